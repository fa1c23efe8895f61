/**
 * The values that `shell.parse` gives, as types: which fields each has, and which words a field can be. A check reads it, so
 * that a misspelt field, kind or zone is found before a hook runs.
 */
import { CERTAINTIES, KINDS, ORIGINS, ZONE_NAMES } from '../shell/index.ts';
import { COMMAND_FIELD_DOCS, EFFECT_FIELD_DOCS } from './builtin-examples.ts';

export interface RecordField {
  /** Another record. */
  readonly record?: string;
  /** A list of such records. */
  readonly items?: string;
  /** The only texts it can be. */
  readonly words?: readonly string[];
}

/** What the built-in of this name returns. */
export const RETURNED: Readonly<Record<string, string>> = { 'shell.parse': 'shell.reading' };

export const RECORDS: Readonly<Record<string, ReadonlyMap<string, RecordField>>> = {
  'shell.reading': new Map<string, RecordField>([
    ['commands', { items: 'shell.command' }],
    ['effects', { items: 'shell.effect' }],
    ...['summary', 'errors', 'complete', 'dynamic'].map((name) => [name, {}] as const),
  ]),
  'shell.command': new Map(COMMAND_FIELD_DOCS.map(([name]) => [plainName(name), {}] as const)),
  'shell.effect': new Map<string, RecordField>([
    ...EFFECT_FIELD_DOCS.map(([name]) => [plainName(name), {}] as const),
    ['kind', { words: KINDS }],
    ['origin', { words: ORIGINS }],
    ['certainty', { words: CERTAINTIES }],
    ['paths', { items: 'shell.path' }],
    ['command', { record: 'shell.command' }],
  ]),
  'shell.path': new Map<string, RecordField>([
    ['path', {}],
    ['zone', { words: ZONE_NAMES }],
  ]),
};

/** Without the parameters of a method. */
function plainName(documented: string): string {
  return documented.replace(/\(.*/, '');
}
