/**
 * Everything a tape knows about one decision: what was fired, whom it came by and what each hook saw, read, said and left
 * behind, and what came of it.
 */
import type { Json } from '../../base/index.ts';
import { effectText } from '../../engine/index.ts';
import {
  type HookFailedRecord,
  type HookReturnedRecord,
  type Reading,
  readable,
  type Story,
  type Turn,
  toolOf,
} from '../../tape/index.ts';
import { countOf, cut, harmless, type Output } from '../../terminal/index.ts';
import type { DecidingPlace } from './deciding-place.ts';

/** As one JSON object. */
export function storyData(story: Story, place: DecidingPlace | null = null): Record<string, unknown> {
  const { dispatch, turns, outcome } = story;
  const { type: _dispatch, ...fired } = dispatch.record;
  const { type: _outcome, ...decided } = outcome?.record ?? { type: 'outcome' };
  return {
    seq: dispatch.seq,
    event: fired.event,
    tool: toolOf(story),
    action: outcome?.record.action ?? null,
    reason: outcome?.record.reason ?? null,
    hook: outcome?.record.hook ?? null,
    ...(place !== null && { place: { file: place.file, line: place.line } }),
    ms: outcome?.ms ?? null,
    at: dispatch.at ?? null,
    fired,
    calls: turns.map(turnData),
    outcome: outcome === null ? null : { seq: outcome.seq, ...decided },
  };
}

function turnData({ hook, call, end, veto }: Turn): Record<string, unknown> {
  const { type, ...said } = end?.record ?? { type: null };
  return {
    ...said,
    hook,
    failed: type === 'hook_failed',
    ms: end?.ms ?? null,
    seq: call?.seq ?? end?.seq ?? null,
    source: call?.record.source ?? null,
    ...(call?.record.payload !== undefined && { payload: call.record.payload }),
    vetoed: veto !== null,
  };
}

export function printStory(story: Story, output: Output, place: DecidingPlace | null = null): void {
  const { dispatch, turns, outcome } = story;
  const { event, payload, callId, parent } = dispatch.record;
  const of = [
    `entry ${dispatch.seq}`,
    dispatch.at === undefined ? '' : timeOf(dispatch.at),
    callId === undefined ? '' : `call ${callId}`,
    parent === undefined ? '' : `emitted by a hook of dispatch ${parent}`,
  ].filter((part) => part !== '');
  output.line(`${output.paint('bold', harmless(event))}  ${output.paint('dim', harmless(of.join(', ')))}`);
  block('payload', payload, output);
  output.line(
    turns.length === 0
      ? 'No hook had a say in it.'
      : `${countOf(turns.length, 'hook')} had a say, in this order:`,
  );
  for (const [i, turn] of turns.entries()) printTurn(i + 1, turn, output);
  output.line();
  if (outcome === null) {
    output.line('The tape ends before the decision.');
    return;
  }
  const { action, hook, reason, failure } = outcome.record;
  const at = place === null ? '' : ` (${place.file}${place.line === null ? '' : `:${place.line}`})`;
  const by = hook === undefined ? '' : ` by ${hook}${at}`;
  const why = reason === undefined ? '' : `: ${readable(reason)}`;
  output.line(harmless(`Outcome (entry ${outcome.seq}): ${action}${by}${why}${time(outcome.ms)}`));
  if (failure !== undefined)
    output.line(harmless(`The operation failed: ${failure.hook}: ${readable(failure.message)}`));
  if (outcome.record.payload !== undefined) block('rewritten to', outcome.record.payload, output);
}

function printTurn(place: number, { hook, call, end, veto }: Turn, output: Output): void {
  const where = call === null ? '' : `  ${call.record.source}`;
  output.line();
  output.line(`${place}. ${output.paint('cyan', harmless(hook))}${output.paint('dim', harmless(where))}`);
  if (call?.record.payload !== undefined) block('saw', call.record.payload, output);
  if (end === null) {
    output.line('   no answer on the tape');
    return;
  }
  const { record, ms } = end;
  for (const reading of record.readings ?? []) line('read', readingText(reading), output);
  line('said', `${verdict(record)}${veto === null ? '' : ' (it counted)'}`, output);
  if (record.type === 'hook_failed' && record.failure !== undefined) {
    const { kind, code, message, traceback } = record.failure;
    line('failed', `${kind} (${code}): ${readable(message)}`, output);
    for (const text of (traceback === undefined ? '' : readable(traceback)).split('\n')) {
      if (text !== '') line('', text, output);
    }
  }
  if (record.vetoIgnored !== undefined) line('ignored', record.vetoIgnored, output);
  for (const warning of record.warnings ?? []) line('warned', readable(warning), output);
  for (const effect of record.effects ?? [])
    line(effect.kind, `${effect.hook}: ${effectText(effect)}`, output);
  if (record.raw !== undefined) block('gave', record.raw, output);
  line('cost', `${countOf(record.steps, 'step')}${time(ms)}`, output);
}

function verdict(record: HookReturnedRecord | HookFailedRecord): string {
  const reason = record.reason === undefined ? '' : `: ${readable(record.reason)}`;
  if (record.type === 'hook_returned') return `${record.result}${reason}`;
  const state =
    record.state === 'ran' ? 'nothing that counts' : `nothing (${record.state.replace('_', ' ')})`;
  return `${record.result ?? state}${reason}; so it was ${record.policy}`;
}

export function readingText({ kind, key, value, error, pending }: Reading): string {
  const asked = key === undefined ? '' : ` ${JSON.stringify(key)}`;
  if (pending === true) return `${kind}${asked}: no answer before the call was over`;
  return `${kind}${asked}: ${error === undefined ? (value === undefined ? 'nothing' : JSON.stringify(value)) : `error: ${error}`}`;
}

/** As far as it is one: a tape may say anything. */
function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function time(ms: number | undefined): string {
  return ms === undefined ? '' : `, ${ms.toFixed(3)} ms`;
}

const ROOM = { lines: 12, characters: 1500 };

function line(label: string, text: string, output: Output): void {
  const [first = '', ...rest] = cut(harmless(text), ROOM).split('\n');
  output.line(`   ${output.paint('dim', label.padEnd(9))}${first}`);
  for (const more of rest) output.line(`            ${more}`);
}

function block(label: string, value: Json, output: Output): void {
  line(label, typeof value === 'string' ? value : JSON.stringify(value, null, 2), output);
}
