/**
 * What an installation wants of a file, as data: it can be kept in a record, made, found again and taken back. Pure.
 */
import { type Json, type JsonObject, sameJson } from '../../base/index.ts';
import { runsGuard } from '../guard-line.ts';
import { addDefault, addItem, jsonAt, removeItems, replaceValue } from './json-edit.ts';
import { after, type Edited, type Refused, splice } from './splice.ts';
import { removeTomlText, setTomlText, tomlTextAt } from './toml-edit.ts';
import { inverted, replaceTomlValues, type TomlChange, tomlValuesAre } from './toml-values.ts';

export type Operation =
  /** An entry in a list that nobody else would write: it has the marker in it, or names a file of ours. */
  | { readonly kind: 'entry'; readonly path: readonly string[]; readonly value: JsonObject | string }
  /** A text in a list, if it is not there already. It has no marker: one that was there before is not ours. */
  | { readonly kind: 'member'; readonly path: readonly string[]; readonly value: string }
  /** A setting that the format demands, where it is missing. */
  | { readonly kind: 'default'; readonly path: readonly string[]; readonly value: Json }
  /** What stands at a key is another: the same thing with us in front of it. */
  | {
      readonly kind: 'value';
      readonly path: readonly string[];
      readonly before: JsonObject;
      readonly value: JsonObject;
    }
  /** The same for keys of a table; null: the key is not there. */
  | {
      readonly kind: 'toml-values';
      readonly table: readonly string[];
      readonly values: readonly TomlChange[];
    }
  | {
      readonly kind: 'toml';
      readonly table: readonly string[];
      readonly key: string;
      readonly value: string | boolean;
    }
  /** A file that is all ours. */
  | { readonly kind: 'whole'; readonly text: string; readonly executable: boolean };

/** Stands in every file of ours, and in the lines of versions before 0.3, so that it is known again when nothing else is. */
export const MARKER = 'harness-guard';

/** `harness-guard:claude-code`: entries of one agent. */
export function markerOf(agent: string): string {
  return `${MARKER}:${agent}`;
}

/** It is ours and for this agent: it runs the guard, or carries the marker, with nothing behind it that makes it another agent's. */
export function isMarked(text: string, agent: string): boolean {
  const at = text.indexOf(markerOf(agent));
  return (at !== -1 && !/[\w-]/.test(text[at + markerOf(agent).length] ?? '')) || runsGuard(text, agent);
}

export function makeAll(text: string, operations: readonly Operation[]): Edited | Refused {
  let edited: Edited = { text, splices: [] };
  for (const operation of operations) {
    const next = make(edited.text, operation);
    if ('refused' in next) return next;
    edited = after(edited, next);
  }
  return edited;
}

function make(text: string, operation: Operation): Edited | Refused {
  switch (operation.kind) {
    case 'entry':
      return addItem(text, operation.path, operation.value);
    case 'member':
      return containsOperation(text, operation)
        ? { text, splices: [] }
        : addItem(text, operation.path, operation.value);
    case 'default':
      return addDefault(text, operation.path, operation.value);
    case 'value':
      return replaceValue(text, operation.path, operation.before, operation.value);
    case 'toml-values':
      return replaceTomlValues(text, operation.table, operation.values);
    case 'toml':
      return setTomlText(text, operation);
    case 'whole':
      if (text !== '' && !text.includes(MARKER)) {
        return { refused: 'want no file of this name, got one that somebody else wrote', offset: 0 };
      }
      return splice(text, 0, text.length, operation.text);
  }
}

/** Takes back what can be told to be ours by looking at it. `added` says which members were put there by us. */
export function unmakeAll(text: string, operations: readonly Operation[], added: boolean): string | Refused {
  let current = text;
  for (const operation of [...operations].reverse()) {
    const next = unmake(current, operation, added);
    if ('refused' in next) return next;
    current = next.text;
  }
  return current;
}

function unmake(text: string, operation: Operation, added: boolean): Edited | Refused {
  switch (operation.kind) {
    case 'entry':
      return removeItems(text, operation.path, (item) => sameJson(item, operation.value));
    case 'member':
      return added
        ? removeItems(text, operation.path, (item) => item === operation.value)
        : { text, splices: [] };
    case 'toml':
      return removeTomlText(text, operation);
    case 'value':
      return containsOperation(text, operation)
        ? replaceValue(text, operation.path, operation.value, operation.before)
        : { text, splices: [] };
    case 'toml-values':
      return containsOperation(text, operation)
        ? replaceTomlValues(text, operation.table, operation.values.map(inverted))
        : { text, splices: [] };
    case 'default':
      return { text, splices: [] };
    case 'whole':
      return text.includes(MARKER) ? splice(text, 0, text.length, '') : { text, splices: [] };
  }
}

/** Takes every entry with the agent's marker out of all lists below the key, however it looks. */
export function sweep(text: string, container: readonly string[], agent: string): string | Refused {
  const lists = jsonAt(text, container);
  let current = text;
  for (const name of Object.keys(isObject(lists) ? lists : {})) {
    const next = removeItems(current, [...container, name], (item) => isMarked(JSON.stringify(item), agent));
    if ('refused' in next) return next;
    current = next.text;
  }
  return current;
}

export function countMarked(text: string, container: readonly string[], agent: string): number {
  const lists = jsonAt(text, container);
  const items = Object.values(isObject(lists) ? lists : {}).flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return items.filter((item) => isMarked(JSON.stringify(item), agent)).length;
}

/** Everything wanted is there, each once. */
export function isSatisfied(text: string, operations: readonly Operation[]): boolean {
  return operations.every((operation) => containsOperation(text, operation));
}

function containsOperation(text: string, operation: Operation): boolean {
  switch (operation.kind) {
    case 'entry':
      return itemsAt(text, operation.path).filter((item) => sameJson(item, operation.value)).length === 1;
    case 'member':
      return itemsAt(text, operation.path).includes(operation.value);
    case 'default':
      return jsonAt(text, operation.path) !== undefined;
    case 'value':
      return sameJson(jsonAt(text, operation.path) ?? null, operation.value);
    case 'toml-values':
      return tomlValuesAre(text, operation.table, operation.values);
    case 'toml':
      return tomlTextAt(text, operation) === operation.value;
    case 'whole':
      return text === operation.text;
  }
}

function itemsAt(text: string, path: readonly string[]): readonly Json[] {
  const list = jsonAt(text, path);
  return Array.isArray(list) ? list : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
