/** What stands under the cursor, in the words of the reference. */
import type { Field } from '../base/index.ts';
import { type CompletionScope, keysAbove } from './complete.ts';
import { frontMatterEnd, linesOf, type Region, regionAt, regionsOf } from './regions.ts';
import { defOf, describeDef, loadsOf, readScript } from './symbols.ts';
import {
  builtinWord,
  environmentOf,
  eventWord,
  fieldAt,
  fieldsFor,
  fieldWord,
  payloadField,
  type Word,
} from './vocabulary.ts';

/** Markdown, or null if nothing is known. */
export function hoverAt(around: CompletionScope, offset: number): string | null {
  const { path, text } = around;
  const found = regionAt(regionsOf(path, text), offset);
  const word = found === null ? inFrontMatter(path, text, offset) : inScript(around, found.region, found.at);
  if (word === null) return null;
  return `\`\`\`python\n${word.detail}\n\`\`\`\n${word.doc}`.trim();
}

function inScript({ path, library }: CompletionScope, region: Region, at: number): Word | null {
  const { text } = region;
  const key = payloadKeyAt(text, at);
  if (key !== null) {
    const field = payloadField(region.event, key);
    return field === null ? null : titled(`payload${key.map((each) => `["${each}"]`).join('')}`, field);
  }
  const name = dottedAt(text, at);
  if (name === null) return null;
  const environment = environmentOf(region, path);
  const script = readScript(region, environment);
  const own = script.file === null ? undefined : defOf(script.file, name);
  if (own !== undefined) {
    const { signature, doc } = describeDef(own, text);
    return { name, detail: signature, doc };
  }
  for (const { module, bindings } of loadsOf(script)) {
    const bound = bindings.find(({ ident }) => ident.name === name);
    const found = bound === undefined ? undefined : library?.find(module);
    if (bound === undefined || found?.ok !== true) continue;
    const def = defOf(found.program.file, bound.from);
    if (def === undefined) return { name, detail: name, doc: `From ${module}.` };
    const { signature, doc } = describeDef(def, found.program.source.text);
    return { name, detail: signature, doc: `${doc}\n\nFrom ${module}.`.trim() };
  }
  if (name === 'payload' && region.event !== null) return eventWord(region.event);
  return builtinWord(name, environment);
}

function titled(detail: string, field: Field): Word {
  const word = fieldWord(detail, field);
  return { ...word, detail: `${detail}: ${word.detail}` };
}

function dottedAt(text: string, at: number): string | null {
  const left = /[\w.]*$/.exec(text.slice(0, at))![0];
  const right = /^\w*/.exec(text.slice(at))![0];
  const name = (left + right).replace(/^\.+/, '');
  return /^[A-Za-z_][\w.]*$/.test(name) ? name : null;
}

/** The way to the key of the payload whose quotes the cursor is in. */
function payloadKeyAt(text: string, at: number): string[] | null {
  const way = /\bpayload((?:\[\s*"[^"]*"\s*\]|\.get\(\s*"[^"]*"[^)"]*\))*)(?:\[\s*|\.get\(\s*)"(\w*)$/.exec(
    text.slice(0, at),
  );
  if (way === null) return null;
  const rest = /^\w*(?=")/.exec(text.slice(at));
  if (rest === null) return null;
  return [...[...way[1]!.matchAll(/"([^"]*)"/g)].map(([, key]) => key!), way[2]! + rest[0]];
}

function inFrontMatter(path: string, text: string, offset: number): Word | null {
  const lines = linesOf(text);
  const at = lines.findLastIndex(({ start }) => start <= offset);
  if (at < 1 || at >= frontMatterEnd(lines)) return null;
  const { text: line, start } = lines[at]!;
  const entry = /^(\s*(?:- )*)([\w-]+):[ \t]*["']?([\w.]*)/.exec(line);
  if (entry === null) return null;
  const [, indent = '', key = '', value = ''] = entry;
  if (key === 'event' && offset - start > indent.length + key.length) return eventWord(value);
  const field = fieldAt(fieldsFor(path), [...keysAbove(lines, at, indent.length), key]);
  return field === null ? null : titled(key, field);
}
