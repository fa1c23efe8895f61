/**
 * `harness explain TAPE SEQ`: why a recorded decision fell, in the words of `decide --explain`: every hook of the chain as it stood
 * then, what each said, which one decided, and the file it came from.
 */
import type { TraceEntry } from '../events/decision.ts';
import type { PolicyHook } from '../policy/policy-digest.ts';
import type { Entry, Header } from '../tape/entry.ts';
import { chapters, includes, readable, type Story, type Turn } from '../tape/stories.ts';
import { readTape } from '../tape/tape-reader.ts';
import { type Arguments, UsageError } from './command.ts';
import { printStory, type Told } from './explain.ts';
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

/** The hooks in force when an entry was written. */
class ChainThen {
  hooks: readonly PolicyHook[];

  constructor({ policy }: Header) {
    this.hooks = policy.hooks;
  }

  *listen(entries: Iterable<Entry>, seq: number): Generator<Entry> {
    for (const entry of entries) {
      const { record } = entry;
      if (record.type === 'policy.changed' && record.accepted && entry.seq < seq)
        this.hooks = record.policy?.hooks ?? this.hooks;
      yield entry;
    }
  }
}

const ROOM = { lines: 12, characters: 1500 };

function tell(story: Story, hooks: readonly PolicyHook[], file: string, json: boolean, output: Output): void {
  const told = toldOf(story, hooks);
  const { seq, record } = story.dispatch;
  if (json) {
    output.line(JSON.stringify({ tape: file, seq, payload: record.payload, ...told }));
    return;
  }
  const payload = typeof record.payload === 'string' ? record.payload : JSON.stringify(record.payload);
  output.line(output.paint('dim', `entry ${seq} of ${harmless(file)}`));
  output.line(cut(harmless(payload), ROOM));
  printStory(told, null, output);
  output.line(
    output.paint('dim', `all that each hook saw and read: harness tape show ${harmless(file)} --seq ${seq}`),
  );
}

function toldOf(story: Story, hooks: readonly PolicyHook[]): Told {
  const { event } = story.dispatch.record;
  const { action = 'allow', reason, hook } = story.outcome?.record ?? {};
  const why = story.outcome === null ? 'the tape ends before the decision' : reason;
  return {
    event,
    action,
    reason: why === undefined ? null : harmless(readable(why)),
    hook: hook ?? null,
    trace: traceOf(
      story,
      hooks.filter((row) => row.event === event),
    ),
  };
}

/** The chain with what each hook said. Who has no part in it did not apply, or stands behind the one that ended it. */
function traceOf({ turns }: Story, chain: readonly PolicyHook[]): TraceEntry[] {
  const left = new Set(turns);
  const parts = chain.map((row) => {
    const own = turns.filter((turn) => isOf(turn, row));
    for (const turn of own) left.delete(turn);
    return own.at(-1) ?? null;
  });
  const ended = parts.findIndex((turn) => turn?.veto?.record.decision === 'block');
  const known = chain.map((row, i) => {
    const absent = ended !== -1 && i > ended ? 'unreached' : 'unmatched';
    return entryOf(parts[i] ?? null, row, absent);
  });
  return [...known, ...[...left].map((turn) => entryOf(turn, null, 'unmatched'))];
}

function isOf({ hook, call }: Turn, { name, source }: PolicyHook): boolean {
  const from = call?.record.source;
  return hook === name && (from === undefined || from === source);
}

function entryOf(turn: Turn | null, row: PolicyHook | null, absent: 'unreached' | 'unmatched'): TraceEntry {
  const end = turn?.end ?? null;
  const record = end?.record ?? null;
  const failed = record?.type === 'hook_failed' ? record : null;
  const policy = failed?.policy;
  return {
    hook: harmless(turn?.hook ?? row?.name ?? ''),
    source: harmless(turn?.call?.record.source ?? row?.source ?? ''),
    frontEnd: row?.frontEnd ?? '',
    layer: row?.layer ?? '',
    priority: row?.priority ?? 0,
    mode: row?.mode ?? 'enforce',
    state: turn === null ? absent : (failed?.state ?? 'ran'),
    matched: turn !== null,
    decision: record?.result ?? null,
    reason: record?.reason === undefined ? null : readable(record.reason),
    failure: failed?.failure ?? null,
    ...(policy !== undefined && policy !== 'skipped' && { onFailure: policy }),
    ...(record?.vetoIgnored !== undefined && { vetoIgnored: harmless(record.vetoIgnored) }),
    warnings: (record?.warnings ?? []).map((warning) => harmless(readable(warning))),
    ms: end?.ms ?? 0,
    steps: record?.steps ?? 0,
  };
}
