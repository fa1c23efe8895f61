/**
 * `harness import`: an agent's own transcripts as tapes, so that a first policy can be tried on work that was already done.
 */
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  ALL_AGENTS,
  agentNamed,
  type CodingAgent,
  type Imported,
  importFile,
  type Transcripts,
  transcriptsIn,
  type Unimported,
} from '../agents/index.ts';
import { didYouMean } from '../base/index.ts';
import { machineHost, makeFile } from '../machine/index.ts';
import { progressOf } from '../project/index.ts';
import { IMPORTS, recordsFolder } from '../session/index.ts';
import {
  type Arguments,
  countOf,
  harmless,
  type Output,
  quote,
  type Run,
  UsageError,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const { adapter, transcripts: source } = sourceOf(args.positionals[0]!);
  const given = args.positionals[1];
  const root = resolve('.');
  const path = given ?? source.folder(machineHost.env, homedir());
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new UsageError(
      `${quote(path)} is not there${given === undefined ? `: ${adapter.title} wrote no session here` : ''}`,
    );
  const { readTranscript } = await source.reader();
  const out = args.value('out') ?? IMPORTS;
  const everywhere = given !== undefined || args.has('all');
  const isWanted = everywhere
    ? () => true
    : (file: string, transcript: Parameters<Transcripts['isOf']>[2]) => source.isOf(root, file, transcript);
  const makeOut = () => makeFolder(out, args.value('out') === undefined ? root : null);
  const progress = progressOf('importing', output);
  const files = transcriptsIn(path, source.file);
  const results: (Imported | Unimported)[] = [];
  for (const [i, file] of files.entries()) {
    progress(i, files.length);
    results.push(importFile(file, { agent: adapter.agent, read: readTranscript, isWanted, out, makeOut }));
  }
  report(results, out, args, output);
  return results.some((result) => 'problem' in result) ? 1 : 0;
};

/** What people said to an agent is not for a repository. */
function makeFolder(out: string, root: string | null): void {
  if (root !== null) return void recordsFolder(root, out);
  mkdirSync(out, { recursive: true });
  makeFile(join(out, '.gitignore'), '*\n', 0o600);
}

type WithTranscripts = CodingAgent & { readonly transcripts: Transcripts };

function sourceOf(name: string): WithTranscripts {
  const sources = ALL_AGENTS.filter((one): one is WithTranscripts => one.transcripts !== undefined);
  const found = sources.find((one) => one === agentNamed(name));
  if (found !== undefined) return found;
  const known = sources.map(({ adapter }) => adapter.agent);
  throw new UsageError(`import knows ${known.join(', ')}, got ${quote(name)}${didYouMean(name, known)}`);
}

function report(
  results: readonly (Imported | Unimported)[],
  out: string,
  args: Arguments,
  output: Output,
): void {
  const problems = results.filter((result) => 'problem' in result);
  const read = results.filter((result): result is Imported => 'state' in result);
  const kept = read.filter(({ tape }) => tape !== null);
  const of = (state: Imported['state']) => read.filter((result) => result.state === state).length;
  const sum = (key: 'calls' | 'refused' | 'unclear') => kept.reduce((all, result) => all + result[key], 0);
  if (args.has('json')) {
    output.line(JSON.stringify({ out, sessions: kept, problems, elsewhere: of('other project') }));
    return;
  }
  for (const { file, problem } of problems)
    output.note(`${output.paintNote('yellow', 'left out')}: ${harmless(file)} ${harmless(problem)}`);
  const states = (['new', 'updated', 'unchanged'] as const).map((state) => `${of(state)} ${state}`);
  output.line(
    `${countOf(kept.length, 'session')} (${states.join(', ')}) with ${countOf(sum('calls'), 'call')}, ${sum('refused')} refused by a person`,
  );
  if (sum('unclear') > 0)
    output.line(
      `${countOf(sum('unclear'), 'call')} could not be read and ${sum('unclear') === 1 ? 'stands' : 'stand'} under the agent's own name`,
    );
  if (of('other project') > 0)
    output.line(`${countOf(of('other project'), 'session')} of other projects left out; --all takes them`);
  if (kept.length > 0) output.line(`in ${out}: try a policy on them with  harness backtest ${out}`);
}
