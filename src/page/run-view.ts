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
import { decisionRow, rowOf } from './rows.ts';
import type { Decision, Link, RunDetail, Seal, Stopped, StoppedView, Today } from './server/api.ts';
import { PageError } from './server/app.ts';
import { doesOf, ruleIn } from './steps.ts';
import type { StoryAtEntry, TapePass } from './tape-pass.ts';
import { inSlices, type ShownTape } from './tapes.ts';
import type { TodaysPolicy } from './today.ts';
import { changesOf, linkNow } from './tried.ts';

/** In the bar of time. */
const MOST_TURNS = 300;

export async function runDetail(tape: ShownTape, overviews: Overviews): Promise<RunDetail> {
  const {
    overview: { row, header },
    pass,
  } = await overviews.one(tape);
  return {
    run: row,
    file: tape.file,
    policy: header?.policy.digest ?? '',
    turns: pass.turns.slice(0, MOST_TURNS),
    stopLines: pass.stopLines,
  };
}

export async function stoppedOf(
  tape: ShownTape,
  overviews: Overviews,
  today: TodaysPolicy | null,
): Promise<StoppedView> {
  const {
    overview: { header },
    pass,
  } = await overviews.one(tape);
  const stopped: Stopped[] = [];
  for await (const found of pass.storiesAt(pass.stopped)) {
    if (found === null) continue;
    const { story, hooks } = found;
    stopped.push({
      ...decisionRow(tape.id, story),
      word: describeOutcome(tellStory(story, [])).word,
      rule: ruleIn(story),
      does: doesOf(story.dispatch.record.event, story.dispatch.record.payload),
      place: (await today?.placeOf(story, hookOf(story, hooks))) ?? null,
    });
  }
  const now = await today?.open();
  return {
    stopped,
    samePolicy:
      header === null || now === undefined || now.empty ? null : header.policy.digest === now.digest.digest,
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

async function storyAt(pass: TapePass, seq: number): Promise<StoryAtEntry | null> {
  for await (const found of pass.storiesAt([seq])) if (found !== null) return found;
  return null;
}

/** Of an entry that is no decision. */
async function noteDetail(tape: ShownTape, pass: TapePass, seq: number): Promise<Decision> {
  const entry = await pass.noteAt(seq);
  if (entry === null) throw new PageError(404, `the run has no entry ${seq}`);
  return {
    ...rowOf(tape.id, { kind: 'session', entry }),
    ...{ word: entry.record.kind, about: '', payload: bounded(entry.record.data), after: null, changes: [] },
    ...{ place: null, chain: [], failure: null, call: null, does: [], rule: null, parts: [], line: null },
    ...(await pass.beside(seq)),
  };
}

export async function decisionDetail(
  tape: ShownTape,
  seq: number,
  overviews: Overviews,
  today: TodaysPolicy | null,
): Promise<Decision> {
  const { pass } = await overviews.one(tape);
  const step = await pass.stepAt(seq);
  const found = await storyAt(pass, seq);
  if (found === null) return noteDetail(tape, pass, seq);
  const { story, hooks } = found;
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
    place: (await today?.placeOf(story, hookOf(story, hooks))) ?? null,
    chain: linksOf(story, told),
    failure: outcome?.record.failure === undefined ? null : String(outcome.record.failure.message),
    call: callOf(event, payload),
    does: doesOf(event, payload),
    rule: ruleIn(story),
    parts: step?.step.parts ?? [],
    line: step?.line ?? null,
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

export async function todaysDecision(
  tape: ShownTape,
  seq: number,
  overviews: Overviews,
  today: TodaysPolicy,
): Promise<Today> {
  const found = await storyAt(overviews.pass(tape), seq);
  if (found === null) throw new PageError(404, `entry ${seq} is no part of a decision`);
  const { story } = found;
  const { action, hook, reason } = decisionRow(tape.id, story);
  return today.would(tape.file, story.outcome?.seq ?? seq, { action: action ?? 'undecided', hook, reason });
}
