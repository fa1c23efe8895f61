/**
 * One event that was decided just now, as a page shows it. It needs no machine: the server of the page and the playground of the
 * site, which has none, say the same.
 */
import { clip, type Json, type Problem } from '../base/index.ts';
import {
  checkPayload,
  describeOutcome,
  effectText,
  type Outcome,
  remarksOn,
  rewritten,
  type TraceEntry,
} from '../engine/index.ts';
import { marksOf } from '../project/index.ts';
import { type CommandReading, effectsIn, sentencesFor } from '../shell/index.ts';
import { remarkText } from '../terminal/index.ts';
import { bounded } from './bounded.ts';
import type { Link, Tried } from './server/api.ts';

export function triedFrom(
  outcome: Outcome,
  payload: Json,
  problems: readonly Problem[],
  command: Tried['command'],
): Tried {
  const { event, action, reason, hook } = outcome;
  const { word, place } = describeOutcome(outcome);
  return {
    event,
    action,
    word,
    reason,
    hook,
    place,
    chain: outcome.trace.map((entry) => linkNow(entry, hook)),
    changes: changesOf(event, payload, outcome.payload as Json),
    effects: outcome.effects.map((effect) => `${effect.kind} of ${effect.hook}: ${effectText(effect)}`),
    warnings: checkPayload(event, payload),
    problems: problemViews(problems),
    command,
  };
}

export function problemViews(problems: readonly Problem[]): Tried['problems'] {
  return problems.slice(0, 100).map(({ severity, code, message, position }) => ({
    severity,
    code,
    message,
    line: position?.line ?? null,
    col: position?.col ?? null,
  }));
}

export function changesOf(event: string, before: Json, after: Json): Tried['changes'] {
  return rewritten(event, before, after).map((change) => ({
    path: change.path,
    ...(change.before !== undefined && { before: bounded(change.before) }),
    ...(change.after !== undefined && { after: bounded(change.after) }),
  }));
}

export function linkNow(entry: TraceEntry, decider: string | null): Link {
  const { hook, source, layer, frontEnd, priority, mode, state, ms, steps } = entry;
  return {
    hook,
    source,
    layer,
    frontEnd,
    priority,
    mode,
    state,
    said: entry.decision,
    reason: entry.reason === null ? null : clip(entry.reason, 4000),
    counted: hook === decider && entry.decision !== null,
    ms,
    steps,
    remarks: remarksOn(entry).flatMap((remark) => remarkText(remark, null) ?? []),
    saw: null,
    gave: null,
    readings: [],
    effects: [],
  };
}

export function commandView(
  reading: CommandReading,
  looking: ReadonlySet<string>,
  held: readonly { readonly rule: string; readonly action: string; readonly reason: string }[],
): Tried['command'] {
  const { complete, errors, commands } = reading;
  return {
    does: sentencesFor(effectsIn(reading)),
    complete,
    errors: errors.map(({ message }) => message),
    commands: commands.slice(0, 50).map((command) => ({
      text: [command.program, ...command.args].join(' '),
      program: command.program,
      args: command.args,
      reads: command.reads,
      writes: command.writes,
      deletes: command.deletes,
      via: command.via,
      marks: marksOf(command),
    })),
    looked: [...looking].sort(),
    held: held.map(({ rule, action, reason }) => ({ rule, action, reason })),
  };
}
