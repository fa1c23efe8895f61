/**
 * A recorded decision in the form of an outcome made now, so that both are told by the same words: every hook of the chain as it
 * stood then, what each said, and which one decided.
 */
import type { DescribedOutcome, TraceEntry } from '../engine/index.ts';
import type { PolicyHook } from '../policy/index.ts';
import type { Entry, Header } from './entry.ts';
import { readable, type Story, type Turn } from './stories.ts';

/** The hooks in force when an entry was written. */
export class ChainAtEntry {
  hooks: readonly PolicyHook[];

  constructor({ policy }: Header) {
    this.hooks = policy.hooks;
  }

  /** Up to the entry with that number. */
  *listen(entries: Iterable<Entry>, seq = Number.POSITIVE_INFINITY): Generator<Entry> {
    for (const entry of entries) yield this.hear(entry, seq);
  }

  hear(entry: Entry, seq = Number.POSITIVE_INFINITY): Entry {
    const { record } = entry;
    if (record.type === 'policy.changed' && record.accepted && entry.seq < seq)
      this.hooks = record.policy?.hooks ?? this.hooks;
    return entry;
  }
}

/** `place`: the line that decided, if that is known. */
export function tellStory(
  story: Story,
  hooks: readonly PolicyHook[],
  place: { readonly file: string; readonly line: number | null } | null = null,
): DescribedOutcome {
  const { event } = story.dispatch.record;
  const { action = 'allow', reason, hook } = story.outcome?.record ?? {};
  const why = story.outcome === null ? 'the tape ends before the decision' : reason;
  const chain = hooks.filter((row) => row.event === event);
  const source = chain.find(({ name }) => name === hook)?.source;
  return {
    event,
    action,
    reason: why === undefined ? null : readable(why),
    hook: hook ?? null,
    trace: traceOf(story, chain),
    ...(source !== undefined &&
      place?.line != null && { decidedBy: { source, site: { file: place.file, line: place.line } } }),
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
    hook: turn?.hook ?? row?.name ?? '',
    source: turn?.call?.record.source ?? row?.source ?? '',
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
    ...(record?.vetoIgnored !== undefined && { vetoIgnored: record.vetoIgnored }),
    warnings: (record?.warnings ?? []).map(readable),
    ms: end?.ms ?? 0,
    steps: record?.steps ?? 0,
  };
}
