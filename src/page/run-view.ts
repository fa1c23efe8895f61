/**
 * A run as the page shows it: what was stopped and by which line, one decision with all that each hook saw and said, and the seal.
 * Whatever is long is cut, with a word on how long it was.
 */
import { clip, isJsonObject, type Json } from '../base/index.ts';
import { describeOutcome, effectText, requireEvent, resolveEvent, type TraceEntry } from '../engine/index.ts';
import { type PolicyHook, showCall } from '../policy/index.ts';
import { readingText } from '../project/index.ts';
import { type Story, type Turn, tellStory, verifyTape } from '../tape/index.ts';
import { bounded } from './bounded.ts';
import type { Overviews } from './overview.ts';
import { decisionRow } from './rows.ts';
import type { Decision, Link, RunDetail, Seal, Stopped, Today } from './server/api.ts';
import { PageError } from './server/app.ts';
import type { StoryThen, TapePass } from './tape-pass.ts';
import { inSlices, type ShownTape } from './tapes.ts';
import type { TodaysPolicy } from './today.ts';
import { changesOf, linkNow } from './tried.ts';

export async function runDetail(
  tape: ShownTape,
  overviews: Overviews,
  today: TodaysPolicy,
): Promise<RunDetail> {
  const {
    overview: { row, header },
    pass,
  } = await overviews.one(tape);
  const stopped: Stopped[] = [];
  for await (const found of pass.storiesAt(pass.stopped)) {
    if (found === null) continue;
    const { story, hooks } = found;
    stopped.push({
      ...decisionRow(tape.id, story),
      word: describeOutcome(tellStory(story, [])).word,
      place: await today.placeOf(story, hookOf(story, hooks)),
    });
  }
  const now = await today.open();
  return {
    run: row,
    file: tape.file,
    policy: header?.policy.digest ?? '',
    layers: (header?.policy.layers ?? []).map(({ name }) => name),
    stopped,
    samePolicy: header === null || now.empty ? null : header.policy.digest === now.digest.digest,
  };
}

/** The row of the hook that decided, in the policy of then. */
function hookOf({ dispatch, outcome, turns }: Story, hooks: readonly PolicyHook[]): PolicyHook | undefined {
  const name = outcome?.record.hook;
  const source = turns.find((turn) => turn.hook === name)?.call?.record.source;
  return hooks.find(
    (row) =>
      row.event === dispatch.record.event &&
      row.name === name &&
      (source === undefined || row.source === source),
  );
}

async function storyAt(pass: TapePass, seq: number): Promise<StoryThen> {
  for await (const found of pass.storiesAt([seq])) if (found !== null) return found;
  throw new PageError(404, `entry ${seq} is no part of a decision`);
}

export async function decisionDetail(
  tape: ShownTape,
  seq: number,
  overviews: Overviews,
  today: TodaysPolicy,
): Promise<Decision> {
  const pass = overviews.pass(tape);
  const { story, hooks } = await storyAt(pass, seq);
  const told = tellStory(story, hooks);
  const { dispatch, outcome } = story;
  const { event, payload } = dispatch.record;
  const after = outcome?.record.payload ?? null;
  const { word } = describeOutcome(told);
  // A tape may name any event.
  const known = resolveEvent(event).ok;
  return {
    ...decisionRow(tape.id, story),
    reason: told.reason === null ? null : clip(told.reason, 4000),
    word,
    about: known ? requireEvent(event).fires : '',
    payload: bounded(payload),
    after: after === null ? null : bounded(after),
    changes: after === null || !known ? [] : changesOf(event, payload, after),
    place: await today.placeOf(story, hookOf(story, hooks)),
    chain: linksOf(story, told),
    failure: outcome?.record.failure === undefined ? null : String(outcome.record.failure.message),
    call: callOf(event, payload),
    ...(await pass.beside(dispatch.seq)),
  };
}

function callOf(event: string, payload: Json): Decision['call'] {
  if (event !== 'tool.pre' || !isJsonObject(payload) || typeof payload.name !== 'string') return null;
  // Cut before it is looked at: showing must not take longer than reading did.
  const args = bounded(payload.args ?? {});
  const { brief, warnings } = showCall(payload.name, isJsonObject(args) ? args : {});
  return { lines: brief, warnings };
}

function linksOf({ turns }: Story, { trace, hook: decider }: ReturnType<typeof tellStory>): Link[] {
  const left = [...turns];
  return trace.map((entry) => {
    const asked = entry.state !== 'unmatched' && entry.state !== 'unreached';
    const at = asked ? left.findIndex((turn) => turn.hook === entry.hook) : -1;
    return linkOf(entry, at === -1 ? null : left.splice(at, 1)[0]!, decider);
  });
}

/** `turn`: its part as the tape has it. */
function linkOf(entry: TraceEntry, turn: Turn | null, decider: string | null): Link {
  const link = linkNow(entry, decider);
  if (turn === null) return link;
  const record = turn.end?.record;
  return {
    ...link,
    counted: turn.veto != null || link.counted,
    ms: turn.end?.ms ?? null,
    saw: turn.call?.record.payload === undefined ? null : bounded(turn.call.record.payload),
    gave: record?.raw === undefined ? null : bounded(record.raw),
    readings: (record?.readings ?? []).slice(0, 100).map((reading) => clip(readingText(reading), 1000)),
    effects: (record?.effects ?? [])
      .slice(0, 100)
      .map((effect) => clip(`${effect.kind}: ${effectText(effect)}`, 1000)),
  };
}

export async function sealOf({ file }: ShownTape): Promise<Seal> {
  const { ok, state, entries, firstBroken, problem, signature, head } = await verifyTape(inSlices(file));
  return {
    state: !ok ? 'broken' : state === 'open' ? 'open' : signature === null ? 'verified' : 'signed',
    entries,
    firstBroken,
    problem,
    key: signature?.key ?? null,
    head,
  };
}

export async function todayOf(
  tape: ShownTape,
  seq: number,
  overviews: Overviews,
  today: TodaysPolicy,
): Promise<Today> {
  const { story } = await storyAt(overviews.pass(tape), seq);
  const { action, hook, reason } = decisionRow(tape.id, story);
  return today.would(tape.file, story.outcome?.seq ?? seq, { action: action ?? 'undecided', hook, reason });
}
