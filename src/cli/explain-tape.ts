/**
 * `harness explain TAPE SEQ`: why a recorded decision fell, in the words of `decide --explain`: every hook of the chain as it stood
 * then, what each said, which one decided, and the file it came from. Of a hook whose file is still what it was, the condition and
 * the line are told as well.
 */
import { canonicalJson } from '../base/index.ts';
import type { Hook } from '../engine/index.ts';
import { describeHook, type Policy, type PolicyHook } from '../policy/index.ts';
import { decidingPlace, newestTape, policyOfTape } from '../project/index.ts';
import { ChainAtEntry, chapters, includes, readTape, type Story, tellStory } from '../tape/index.ts';
import {
  type Arguments,
  cut,
  harmless,
  type Output,
  printStory,
  quote,
  UsageError,
} from '../terminal/index.ts';

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
  const chain = new ChainAtEntry(header);
  for (const chapter of chapters(chain.listen(entries, seq))) {
    if (chapter.kind !== 'decision' || !includes(chapter.story, seq)) continue;
    await printExplanation(chapter.story, chain.hooks, file, args.has('json'), output);
    return 0;
  }
  throw new UsageError(`entry ${seq} of ${quote(file)} is no part of a decision`);
}

/** By what a tape says of them: the same row, digest included, is the same hook. */
function byRow({ digest, hooks }: Policy): ReadonlyMap<string, Hook> {
  return new Map(hooks.map((hook) => [keyOf(describeHook(hook, digest.files)), hook]));
}

/** The position of one that is in no file depends on what else a program registered. */
function keyOf(row: PolicyHook): string {
  return canonicalJson(row.digest === null ? { ...row, position: 0 } : row);
}

const ROOM = { lines: 12, characters: 1500 };

async function printExplanation(
  story: Story,
  rows: readonly PolicyHook[],
  file: string,
  json: boolean,
  output: Output,
): Promise<void> {
  const policy = await policyOfTape(file);
  const now = byRow(policy);
  const of = rows.filter(({ event }) => event === story.dispatch.record.event);
  const hooks = of.map((row) => now.get(keyOf(row)) ?? null);
  const decider = of.find(({ name }) => name === story.outcome?.record.hook);
  const told = tellStory(story, rows, await decidingPlace(policy, story, decider));
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
