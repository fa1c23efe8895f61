/**
 * The canonical text of the records that nearly every decision is made of, put together without making the records. Null
 * where a record is of a rarer form; and whoever finds this text to differ makes sure with the record itself.
 */
import { canonicalJson } from '../base/canonical-json.ts';
import type { Effect, Outcome, TraceEntry } from '../events/decision.ts';
import type { Hook } from '../hooks/hook.ts';
import type { HookVetoedRecord, Reading } from './entry.ts';
import type { CallEnded } from './records.ts';

/** The parts that are the same in every call of a hook. */
interface HookText {
  readonly name: string;
  readonly called: string;
}

const texts = new WeakMap<Hook, HookText>();

function textsOf(hook: Hook): HookText {
  const known = texts.get(hook);
  if (known !== undefined) return known;
  const name = JSON.stringify(hook.name);
  const called = `,"hook":${name},"source":${JSON.stringify(hook.source)},"type":"hook_call"}`;
  const made = { name, called };
  texts.set(hook, made);
  return made;
}

/** Of a call with the payload as it came. */
export function callText(dispatch: number, hook: Hook): string {
  return `{"dispatch":${dispatch}${textsOf(hook).called}`;
}

export function endText(dispatch: number, hook: Hook, ended: CallEnded): string | null {
  const { entry, decision, effects, readings } = ended;
  if (entry.failure !== null || entry.state !== 'ran') return null;
  if (decision?.action === 'modify' || decision?.action === 'delegate') return null;
  const said = effects.length === 0 ? '' : `"effects":[${effectTexts(effects)}],`;
  const read = readings.length === 0 ? '' : `,"readings":${readingTexts(readings)}`;
  const reason = entry.reason === null ? '' : `,"reason":${JSON.stringify(entry.reason)}`;
  const steps = `"result":"${entry.decision ?? 'allow'}","steps":${entry.steps},"type":"hook_returned"`;
  return `{"dispatch":${dispatch},${said}"hook":${textsOf(hook).name}${read}${reason},${steps}${remarks(entry)}}`;
}

export function vetoText({ decision, dispatch, reason }: HookVetoedRecord, hook: Hook): string {
  const by = `"hook":${textsOf(hook).name},"reason":${JSON.stringify(reason)}`;
  return `{"decision":"${decision}","dispatch":${dispatch},${by},"type":"hook_vetoed"}`;
}

export function outcomeText(dispatch: number, outcome: Outcome, rewritten: boolean): string | null {
  const { action, event, failure, hook, reason, request } = outcome;
  if (rewritten || failure !== undefined || request !== undefined) return null;
  const by = hook === null ? '' : `,"hook":${JSON.stringify(hook)}`;
  const why = reason === null ? '' : `,"reason":${JSON.stringify(reason)}`;
  return `{"action":"${action}","dispatch":${dispatch},"event":"${event}"${by}${why},"type":"outcome"}`;
}

function remarks({ vetoIgnored, warnings }: TraceEntry): string {
  const ignored = vetoIgnored === undefined ? '' : `,"vetoIgnored":${JSON.stringify(vetoIgnored)}`;
  return warnings.length === 0 ? ignored : `${ignored},"warnings":${JSON.stringify(warnings)}`;
}

function effectTexts(effects: readonly Effect[]): string {
  let text = '';
  for (const effect of effects) {
    if (text !== '') text += ',';
    text += effectText(effect);
  }
  return text;
}

function effectText(effect: Effect): string {
  const hook = JSON.stringify(effect.hook);
  switch (effect.kind) {
    case 'log':
      return `{"hook":${hook},"kind":"log","level":"${effect.level}","message":${JSON.stringify(effect.message)}}`;
    case 'metric':
      return `{"hook":${hook},"kind":"metric","name":${JSON.stringify(effect.name)},"op":"${effect.op}","value":${effect.value}}`;
    case 'reminder':
      return `{"hook":${hook},"kind":"reminder","reminder":${canonicalJson(effect.reminder)}}`;
    default:
      return `{"hook":${hook},"kind":"${effect.kind}","text":${JSON.stringify(effect.text)}}`;
  }
}

/** Their keys are in order, and so are those of the values, which come from a tape. */
function readingTexts(readings: readonly Reading[]): string {
  return JSON.stringify(readings);
}
