/**
 * `harness explain TAPE SEQ`: why a recorded decision fell, in the words of `decide --explain`: every hook of the chain as it stood
 * then, what each said, which one decided, and the file it came from. Of a hook whose file is still what it was, the condition and
 * the line are told as well.
 */
import { basename, dirname } from 'node:path';
import { canonicalJson } from '../base/canonical-json.ts';
import type { Hook } from '../hooks/hook.ts';
import { describeHook, type PolicyHook } from '../policy/policy-digest.ts';
import { chapters, includes, type Story } from '../tape/stories.ts';
import { readTape } from '../tape/tape-reader.ts';
import { ChainThen, tellStory } from '../tape/tell-story.ts';
import { type Arguments, UsageError } from './command.ts';
import { printStory } from './explain.ts';
import { quote } from './options.ts';
import type { Output } from './output.ts';
import { openPolicyAt } from './project-dir.ts';
import { newestTape } from './tape/find-tapes.ts';
import { cut, harmless } from './timeline/fit.ts';

export async function explainEntry(
  tape: string,
  text: string,
  args: Arguments,
  output: Output,
): Promise<number> {
  for (const option of ['dir', 'shell']) {
    if (args.has(option)) throw new UsageError(`explain TAPE SEQ does not take --${option}`);
  }
  const seq = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seq) || seq < 1) {
    throw new UsageError(
      `explain wants a COMMAND in quotes, or a TAPE and the number of an entry; got ${quote(text)}`,
    );
  }
  const file = newestTape(tape, output);
  const { header, entries } = readTape(file);
  const chain = new ChainThen(header);
  for (const chapter of chapters(chain.listen(entries, seq))) {
    if (chapter.kind !== 'decision' || !includes(chapter.story, seq)) continue;
    await tell(chapter.story, chain.hooks, file, args.has('json'), output);
    return 0;
  }
  throw new UsageError(`entry ${seq} of ${quote(file)} is no part of a decision`);
}

/** Hooks of the project that the tape lies in, by what a tape says of them: the same row, digest included, is the same hook. */
async function hooksNow(file: string): Promise<ReadonlyMap<string, Hook>> {
  const folder = dirname(file);
  const dir = basename(dirname(folder)) === '.harness' ? dirname(dirname(folder)) : '.';
  const { digest, hooks } = await openPolicyAt(dir, { trust: 'no code' });
  return new Map(hooks.map((hook) => [keyOf(describeHook(hook, digest.files)), hook]));
}

/** The position of one that is in no file depends on what else a program registered. */
function keyOf(row: PolicyHook): string {
  return canonicalJson(row.digest === null ? { ...row, position: 0 } : row);
}

const ROOM = { lines: 12, characters: 1500 };

async function tell(
  story: Story,
  rows: readonly PolicyHook[],
  file: string,
  json: boolean,
  output: Output,
): Promise<void> {
  const now = await hooksNow(file);
  const of = rows.filter(({ event }) => event === story.dispatch.record.event);
  const hooks = of.map((row) => now.get(keyOf(row)) ?? null);
  const told = tellStory(story, rows, (at) => hooks[at]?.line);
  const { seq, record } = story.dispatch;
  if (json) {
    output.line(JSON.stringify({ tape: file, seq, payload: record.payload, ...told }));
    return;
  }
  const payload = typeof record.payload === 'string' ? record.payload : JSON.stringify(record.payload);
  output.line(output.paint('dim', `entry ${seq} of ${harmless(file)}`));
  output.line(cut(harmless(payload), ROOM));
  printStory(
    { ...told, payload: story.outcome?.record.payload ?? record.payload },
    told.trace.map((_, at) => hooks[at] ?? null),
    output,
  );
  output.line(
    output.paint('dim', `all that each hook saw and read: harness tape show ${harmless(file)} --seq ${seq}`),
  );
}
