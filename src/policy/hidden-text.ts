/**
 * `hidden_text:`, and the built-in hook that carries it out: what becomes of characters in results of tools that a model reads and a
 * person does not see. They are named unless the user or the machine says otherwise; a project can only have such results blocked.
 */
import {
  findHidden,
  isJsonObject,
  type Json,
  type JsonObject,
  nameSpans,
  type Problem,
} from '../base/index.ts';
import type { Body, Condition, Effect, Reply } from '../engine/index.ts';
import { HIDDEN_TEXT, type HiddenText } from '../files/index.ts';
import type { LoadedLayer } from './loaded-layer.ts';

const DEFAULT: HiddenText = 'reveal';

/** Of several layers the stricter word counts. */
export function hiddenTextSetting(layers: readonly LoadedLayer[]): HiddenText {
  const written = layers.flatMap(({ kind, project: { settings } }) =>
    settings.hiddenText === null ? [] : [{ own: kind !== 'project', mode: settings.hiddenText.mode }],
  );
  const own = written.filter((each) => each.own).map(({ mode }) => mode);
  const all = [...(own.length > 0 ? own : [DEFAULT]), ...written.map(({ mode }) => mode)];
  return HIDDEN_TEXT[Math.max(...all.map((mode) => HIDDEN_TEXT.indexOf(mode)))]!;
}

/** A project that lets such text pass believes that it does. */
export function hiddenTextProblems(layers: readonly LoadedLayer[]): Problem[] {
  return layers.flatMap(({ kind, project: { settings } }): Problem[] => {
    const { hiddenText } = settings;
    if (kind !== 'project' || hiddenText?.mode !== 'pass') return [];
    const { file, line } = hiddenText;
    const message = `hidden_text: pass has no effect here: it counts in the user's and the managed layer`;
    return [{ severity: 'warning', code: 'FIELD_UNKNOWN', message, position: { file, line, col: 1 } }];
  });
}

export const HIDDEN_TEXT_HOOK = 'hidden_text';

/** The parts of a result that the model reads. */
const PARTS = ['content', 'result'] as const;

/** An ordinary result is not the hook's: it is looked at, and leaves nothing on the tape. */
export const HAS_HIDDEN_TEXT: Condition = {
  text: 'the result has characters that a person does not see',
  test: (seen) => PARTS.some((part) => hasHidden((seen as JsonObject)[part] ?? null)),
  mayRaise: () => false,
};

function hasHidden(value: Json): boolean {
  if (typeof value === 'string') return findHidden(value).length > 0;
  if (Array.isArray(value)) return value.some(hasHidden);
  return (
    isJsonObject(value) && Object.entries(value).some(([key, each]) => hasHidden(key) || hasHidden(each))
  );
}

export function hiddenTextBody(mode: Exclude<HiddenText, 'pass'>): Body {
  return (seen) => {
    const payload = seen as JsonObject;
    const changed: Record<string, Json> = {};
    let places = 0;
    for (const part of PARTS) {
      const before = payload[part];
      if (before === undefined) continue;
      const found = { places: 0 };
      const after = named(before, found);
      if (found.places > 0) changed[part] = after;
      places = Math.max(places, found.places);
    }
    return reply(mode, changed, places, String(payload.name));
  };
}

function reply(mode: HiddenText, changed: JsonObject, places: number, tool: string): Reply {
  const hook = HIDDEN_TEXT_HOOK;
  const message = `the result of ${tool} has characters in ${places} place${places === 1 ? '' : 's'} that a model reads and a person does not see`;
  const effects: Effect[] = [
    { kind: 'log', hook, level: 'warn', message },
    { kind: 'metric', hook, name: 'audit.hidden.revealed', op: 'incr', value: 1 },
  ];
  if (mode === 'block') return { decision: { action: 'block', reason: message }, effects };
  return { decision: { action: 'modify', payload: changed }, effects };
}

interface Found {
  places: number;
}

/** So many places of a result are named one by one. */
const MOST_PLACES = 1000;

function named(value: Json, found: Found): Json {
  if (typeof value === 'string') {
    const spans = findHidden(value);
    const left = Math.max(0, MOST_PLACES - found.places);
    found.places += spans.length;
    return nameSpans(value, spans, Math.min(left, spans.length));
  }
  if (Array.isArray(value)) return value.map((each) => named(each, found));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [named(key, found), named(each, found)]),
  );
}
