/**
 * `harness explain TAPE SEQ`: why a recorded decision fell, in the words of `decide --explain`: every hook of the chain as it stood
 * then, what each said, which one decided, and the file it came from.
 */
import type { PolicyHook } from '../policy/policy-digest.ts';
import { chapters, includes, type Story } from '../tape/stories.ts';
import { readTape } from '../tape/tape-reader.ts';
import { ChainThen, tellStory } from '../tape/tell-story.ts';
import { type Arguments, UsageError } from './command.ts';
import { printStory } from './explain.ts';
import { quote } from './options.ts';
import type { Output } from './output.ts';
import { newestTape } from './tape/find-tapes.ts';
import { cut, harmless } from './timeline/fit.ts';

export function explainEntry(tape: string, text: string, args: Arguments, output: Output): number {
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
    tell(chapter.story, chain.hooks, file, args.has('json'), output);
    return 0;
  }
  throw new UsageError(`entry ${seq} of ${quote(file)} is no part of a decision`);
}

const ROOM = { lines: 12, characters: 1500 };

function tell(story: Story, hooks: readonly PolicyHook[], file: string, json: boolean, output: Output): void {
  const told = tellStory(story, hooks);
  const { seq, record } = story.dispatch;
  if (json) {
    output.line(JSON.stringify({ tape: file, seq, payload: record.payload, ...told }));
    return;
  }
  const payload = typeof record.payload === 'string' ? record.payload : JSON.stringify(record.payload);
  output.line(output.paint('dim', `entry ${seq} of ${harmless(file)}`));
  output.line(cut(harmless(payload), ROOM));
  printStory({ ...told, payload: story.outcome?.record.payload ?? record.payload }, null, output);
  output.line(
    output.paint('dim', `all that each hook saw and read: harness tape show ${harmless(file)} --seq ${seq}`),
  );
}
