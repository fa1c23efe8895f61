/**
 * Puts other values in the place of those of a TOML table, and takes that back: texts and lists of texts, each key on a line of its own.
 * What was written is read again before it counts.
 */
import { isJsonObject, type Json, sameJson } from '../../base/index.ts';
import { pathKey, tomlLocations } from '../../files/index.ts';
import { type Edited, lineEndOf, type Refused, spliceAll } from './splice.ts';
import { tomlData } from './toml-edit.ts';

/** Null: the key is not there. */
export interface TomlChange {
  readonly key: string;
  readonly before: Json | null;
  readonly value: Json | null;
}

export function inverted({ key, before, value }: TomlChange): TomlChange {
  return { key, before: value, value: before };
}

export function tomlValuesAre(
  text: string,
  table: readonly string[],
  values: readonly TomlChange[],
): boolean {
  const data = tableIn(text, table);
  return data !== null && values.every(({ key, value }) => sameJson(data[key] ?? null, value));
}

export function replaceTomlValues(
  text: string,
  table: readonly string[],
  values: readonly TomlChange[],
): Edited | Refused {
  if (tomlValuesAre(text, table, values)) return { text, splices: [] };
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const places = tomlLocations(text.slice(mark));
  const header = (places.get(pathKey(table))?.key ?? 0) + mark;
  const refused = (why: string): Refused => ({ refused: why, offset: header });
  const data = tableIn(text, table);
  if (data === null || text[header] !== '[')
    return refused(`want a table [${table.join('.')}] of its own, got none`);
  const eol = lineEndOf(text);
  const lineEnd = text.indexOf('\n', header) === -1 ? text.length : text.indexOf('\n', header) + 1;
  const wanted = [];
  let added = '';
  for (const { key, before, value } of values) {
    if (!sameJson(data[key] ?? null, before))
      return refused(`want ${key} as it was read, got something else`);
    const written = value === null ? '' : `${key} = ${JSON.stringify(value)}`;
    const place = places.get(pathKey([...table, key]));
    if (place === undefined) {
      added += `${written}${eol}`;
      continue;
    }
    const from = place.key + mark;
    const to = valueEnd(text, place.value + mark);
    if (value !== null) {
      wanted.push({ at: from, remove: to - from, insert: written });
      continue;
    }
    const rest = text.indexOf('\n', to);
    wanted.push({ at: from, remove: (rest === -1 ? text.length : rest + 1) - from, insert: '' });
  }
  if (added !== '')
    wanted.push({ at: lineEnd, remove: 0, insert: text[lineEnd - 1] === '\n' ? added : eol + added });
  const edited = spliceAll(text, wanted);
  return tomlValuesAre(edited.text, table, values)
    ? edited
    : refused(`want [${table.join('.')}] with each key on a line of its own, got it written otherwise`);
}

const STRING = /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/** After the last character of a text or of a list of texts. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at]!;
    if (char === '"' || char === "'") {
      STRING.lastIndex = at;
      at += STRING.exec(text)?.[0].length ?? 1;
      if (depth === 0) return at;
      continue;
    }
    if (char === '#') at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
    else at++;
    if (char === '[') depth++;
    if (char === ']' && --depth === 0) return at;
    if (depth === 0 && /[\s,]/.test(char)) return at - 1;
  }
  return text.length;
}

function tableIn(text: string, table: readonly string[]): Record<string, Json | undefined> | null {
  let data = tomlData(text) as Json | undefined;
  for (const key of table) data = isJsonObject(data) ? data[key] : undefined;
  return isJsonObject(data) ? data : null;
}
