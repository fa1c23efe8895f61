/**
 * What may stand where the cursor is: fields and events in front matter; keys of the payload, members of modules, tools, libraries and
 * names in scripts. Pure; the words are those of the tables.
 */
import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver';
import { exported, type Library } from '../script/index.ts';
import type { Value } from '../starlark/index.ts';
import { frontMatterEnd, linesOf, type Region, regionAt, regionsOf } from './regions.ts';
import {
  builtinWord,
  enumOf,
  environmentOf,
  eventNames,
  eventWord,
  fieldAt,
  fieldsFor,
  fieldsInside,
  fieldWord,
  membersOf,
  payloadField,
  topLevelNames,
  type Word,
} from './vocabulary.ts';

export interface CompletionScope {
  /** With forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly tools: readonly string[];
  readonly library: Library | null;
}

export function completionsAt(around: CompletionScope, offset: number): CompletionItem[] {
  const { path, text } = around;
  const found = regionAt(regionsOf(path, text), offset);
  if (found !== null) return inScript(around, found.region, found.region.text.slice(0, found.at));
  return inFrontMatter(path, text, offset);
}

/** Names that may follow the end of a script, for a prompt: the same words without an editor. */
export function completeScript({ event, text }: { readonly event: string; readonly text: string }): string[] {
  const whole = { kind: 'script', field: 'script', text, event, line: 0 } as const;
  const region: Region = { ...whole, toFile: (at) => at, fromFile: (at) => at };
  return inScript({ path: '', text, tools: [], library: null }, region, text).map(({ label }) => label);
}

function item({ name, detail, doc }: Word, kind: CompletionItemKind): CompletionItem {
  return { label: name, kind, detail, documentation: { kind: 'markdown', value: doc } };
}

function bare(label: string, kind: CompletionItemKind): CompletionItem {
  return { label, kind };
}

/** A key of the payload: `payload["args"]["`, `payload.get("`. */
const PAYLOAD = /\bpayload((?:\[\s*"[^"]*"\s*\]|\.get\(\s*"[^"]*"[^)"]*\))*)(?:\[\s*|\.get\(\s*)"\w*$/;
const TOOL =
  /(?:payload\[\s*"name"\s*\]|payload\.get\(\s*"name"\s*\))\s*(?:==|!=|(?:not )?in\s*[[(][^\])]*)\s*"[\w.-]*$/;
const LOAD_PATH = /\bload\(\s*"[^"]*$/;
const LOAD_NAME = /\bload\(\s*"([^"]*)"\s*,[^)]*"\w*$/;
const MEMBER = /\b([A-Za-z_]\w*)\.\w*$/;
const NAME = /(?:^|[^\w".])[A-Za-z_]\w*$|(?:^|[\s(,=[:])$/;

function inScript(around: CompletionScope, region: Region, before: string): CompletionItem[] {
  const environment = environmentOf(region, around.path);
  const payload = PAYLOAD.exec(before);
  if (payload !== null) return payloadKeys(region, payload[1]!);
  if (TOOL.test(before)) return around.tools.map((name) => bare(name, CompletionItemKind.Value));
  if (LOAD_PATH.test(before)) return libraries(around.library);
  const load = LOAD_NAME.exec(before);
  if (load !== null) return exportsOf(around.library, load[1]!);
  if (inString(before)) return [];
  const member = MEMBER.exec(before);
  if (member !== null) return membersIn(member[1]!, environment);
  return NAME.test(before) ? nameCompletions(region, environment) : [];
}

function payloadKeys({ event }: Region, way: string): CompletionItem[] {
  const path = [...way.matchAll(/"([^"]*)"/g)].map(([, key]) => key!);
  const field = payloadField(event, path);
  const keys = field === null ? undefined : fieldsInside(field);
  return Object.entries(keys ?? {}).map(([name, each]) =>
    item(fieldWord(name, each), CompletionItemKind.Property),
  );
}

function membersIn(name: string, environment: ReadonlyMap<string, Value>): CompletionItem[] {
  return membersOf(name, environment).map((member) => {
    const word = builtinWord(`${name}.${member}`, environment);
    return { ...item({ ...word!, name: member }, CompletionItemKind.Method) };
  });
}

const KEYWORDS = 'def if elif else for in return not and or lambda pass break continue load'.split(' ');

function nameCompletions(region: Region, environment: ReadonlyMap<string, Value>): CompletionItem[] {
  const own = new Set(region.text.match(/\b[A-Za-z_]\w*\b/g) ?? []);
  const known = topLevelNames(environment);
  const locals = [...own].filter((name) => !known.includes(name) && !KEYWORDS.includes(name));
  const given = region.kind === 'condition' ? ['event', 'payload'] : [];
  return [
    ...known.map((name) => item(builtinWord(name, environment)!, CompletionItemKind.Function)),
    ...[...new Set([...given, ...locals])].map((name) => bare(name, CompletionItemKind.Variable)),
    ...KEYWORDS.map((name) => bare(name, CompletionItemKind.Keyword)),
  ];
}

/** Whether the last line so far ends inside a string or a comment. */
function inString(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1).replace(/\\./g, '');
  const left = line.replace(/"[^"]*"|'[^']*'/g, '');
  return /["'#]/.test(left);
}

function libraries(library: Library | null): CompletionItem[] {
  const files = [...new Set(library?.names() ?? [])];
  return files.map((name) => bare(`//lib/${name}`, CompletionItemKind.File));
}

function exportsOf(library: Library | null, path: string): CompletionItem[] {
  const found = library?.find(path);
  if (found?.ok !== true) return [];
  return exported(found.module.globals).map((name) => bare(name, CompletionItemKind.Function));
}

function inFrontMatter(path: string, text: string, offset: number): CompletionItem[] {
  const lines = linesOf(text);
  const at = lines.findLastIndex(({ start }) => start <= offset);
  if (at === 0 || at >= frontMatterEnd(lines)) return [];
  const before = text.slice(lines[at]!.start, offset);
  const keys = keysAbove(lines, at, /^\s*(?:- )*/.exec(before)![0].length);
  const value = /^\s*(?:- )*([\w-]+):[ \t]+["']?[\w.]*$/.exec(before);
  if (value !== null) return values(fieldsFor(path), [...keys, value[1]!]);
  if (!/^\s*(?:- )*[\w-]*$/.test(before)) return [];
  const field = keys.length === 0 ? null : fieldAt(fieldsFor(path), keys);
  const fields = keys.length === 0 ? fieldsFor(path) : field === null ? undefined : fieldsInside(field);
  return Object.entries(fields ?? {}).map(([name, each]) => ({
    ...item(fieldWord(name, each), CompletionItemKind.Field),
    insertText: `${name}: `,
  }));
}

function values(fields: ReturnType<typeof fieldsFor>, path: readonly string[]): CompletionItem[] {
  if (path.at(-1) === 'event')
    return eventNames().map((name) => item(eventWord(name)!, CompletionItemKind.Event));
  const field = fieldAt(fields, path);
  return field === null ? [] : enumOf(field).map((word) => bare(word, CompletionItemKind.EnumMember));
}

/** The keys that a line of that column stands under, the outermost first. */
export function keysAbove(lines: ReturnType<typeof linesOf>, at: number, column: number): string[] {
  const keys: string[] = [];
  let limit = column;
  for (let i = at - 1; i > 0 && limit > 0; i--) {
    const found = /^(\s*(?:- )*)([\w-]+):/.exec(lines[i]!.text);
    if (found === null || found[1]!.length >= limit) continue;
    keys.unshift(found[2]!);
    limit =
      found[1]!.replace(/- $/, '').length === found[1]!.length ? found[1]!.length : found[1]!.length - 2;
    limit = Math.max(limit, 0);
    if (found[1]!.length === 0) break;
  }
  return keys;
}
