/**
 * `harness fleet find`: the lines that `tape find` prints on the machines, from the hub. The hub names the tapes that can hold a hit; they
 * are fetched and searched here, newest first, by the code that searches files.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../../base/index.ts';
import { sessionName, type TapeOnHub } from '../../fleet/index.ts';
import { filterOf, readFacts, sinceOf } from '../../project/index.ts';
import { mayMatch, type Search } from '../../tape/index.ts';
import { countOf, onOneLine, type Run, wholeNumber } from '../../terminal/index.ts';
import { hitData, hitLine, hitsIn, MOST_SHOWN } from '../tape/find.ts';
import { hubView } from './view-options.ts';

export const run: Run = async (args, output) => {
  const view = hubView(args);
  const limit = wholeNumber(args, 'limit', 1) ?? MOST_SHOWN;
  const text = (args.positionals[0] ?? '').toLowerCase();
  const search: Search = { ...filterOf(args), since: sinceOf(args), text };
  const { hook, decision, event, since } = search;
  // With --hook a decision is what that hook said, which the hub has no rows of.
  const action = hook === undefined ? (decision ?? null) : null;
  const folder = mkdtempSync(join(tmpdir(), 'harness-find-'));
  let [shown, tapes, broken] = [0, 0, 0];
  try {
    for await (const tape of view.tapes({ action, event: action === null ? null : (event ?? null), since })) {
      if (shown > limit || output.closed) break;
      const before = shown;
      const file = join(folder, `${sessionName(tape.session).replaceAll('/', '_')}.jsonl`);
      try {
        await fetchTape((sink) => view.lines(tape, sink), file);
        const facts = readFacts(file);
        if ('problem' in facts) throw new HarnessError('TAPE_INVALID', reasonOf(tape, facts.problem));
        if (!mayMatch(facts, search)) continue;
        for (const story of hitsIn(file, search, facts)) {
          if (shown++ >= limit) break;
          const { machine, name } = tape;
          const data = () => ({ machine, name, ...hitData(tape.folder, facts.session, story) });
          output.line(args.has('json') ? JSON.stringify(data()) : hitLine(file, story, output));
        }
      } catch (thrown) {
        if (!(thrown instanceof HarnessError) || thrown.code.startsWith('FLEET_')) throw thrown;
        broken++;
        output.note(`${output.paintNote('red', 'broken')}: ${onOneLine(thrown.message)}`);
      } finally {
        rmSync(file, { force: true });
      }
      if (shown > before) tapes++;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!args.has('json'))
    output.line(`${countOf(Math.min(shown, limit), 'decision')} on ${countOf(tapes, 'tape')}`);
  if (shown > limit) output.note(`only the first ${limit} are shown; --limit N shows more`);
  return broken === 0 ? 0 : 1;
};

async function fetchTape(
  readLines: (sink: (piece: Buffer) => void) => Promise<void>,
  file: string,
): Promise<void> {
  const handle = openSync(file, 'w', 0o600);
  try {
    await readLines((piece) => writeSync(handle, piece));
  } finally {
    closeSync(handle);
  }
}

function reasonOf({ name, session, from }: TapeOnHub, problem: string): string {
  const removed = from > 0 ? `its first ${from} lines were removed by retention` : problem;
  return `tape ${session} of ${name}: ${removed}`;
}
