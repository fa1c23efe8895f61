/**
 * Adds to and takes from JSON in the style of the file: its indentation, its line ends, its trailing commas; comments and
 * everything else stay as they are. A change is made only where the text reads as wanted; else it is refused at its place.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import { dataOf, type JsoncElement, type JsoncMap, type JsoncNode, readJsonc } from './jsonc.ts';
import { type Edited, lineEndOf, type Refused, splice, spliceAll } from './splice.ts';

type Container = Extract<JsoncNode, { readonly kind: 'map' | 'list' }>;
type KeyPath = readonly string[];

/** Appends an item to the list at the end of the path. Maps and the list are made where they are missing. */
export function addItem(text: string, path: KeyPath, item: Json): Edited | Refused {
  return add(text, path, [item], (list) =>
    list.kind === 'list'
      ? { container: list, element: { key: null, value: item } }
      : wrongKind(list, `a list in ${nameOf(path)}`),
  );
}

/** Sets a key that is not there yet; one that is there stays as it is. */
export function addDefault(text: string, path: KeyPath, value: Json): Edited | Refused {
  return add(text, path, value, () => null);
}

/** Puts another value in the place of the one that is there, in the style of the file. */
export function replaceValue(text: string, path: KeyPath, before: Json, value: Json): Edited | Refused {
  const reading = readJsonc(text);
  if (!reading.ok) return { refused: reading.message, offset: reading.offset };
  const node = follow(reading.root, path)?.at(-1)?.value;
  const standing = node === undefined ? undefined : JSON.stringify(dataOf(node));
  if (standing === JSON.stringify(value)) return { text, splices: [] };
  if (node === undefined || standing !== JSON.stringify(before))
    return { refused: `want ${nameOf(path)} as it was read, got something else`, offset: node?.start ?? 0 };
  const root = reading.root as Container;
  const around = text.slice(root.start, root.end);
  const style = {
    compact: !around.includes('\n'),
    eol: lineEndOf(text),
    inner: indentAt(text, node.start),
    unit: unitOf(text, root),
  };
  return splice(text, node.start, node.end - node.start, render({ key: null, value }, style));
}

/** Takes the items that are `ours` out of the list at the path, and what is left empty by that. */
export function removeItems(text: string, path: KeyPath, ours: (item: Json) => boolean): Edited | Refused {
  const reading = readJsonc(text);
  if (!reading.ok) return { refused: reading.message, offset: reading.offset };
  const trail = follow(reading.root, path);
  const list = trail?.at(-1)?.value;
  if (trail === null || list?.kind !== 'list') return { text, splices: [] };
  const gone = list.elements.filter(({ value }) => ours(dataOf(value)));
  if (gone.length === 0) return { text, splices: [] };
  if (gone.length < list.elements.length) return removeElements(text, list, gone);
  // The outermost thing that would be left empty goes as a whole; the root stays.
  let depth = trail.length - 1;
  while (depth > 0 && (parentOf(trail, depth, reading.root)?.elements.length ?? 0) === 1) depth--;
  const parent = parentOf(trail, depth, reading.root);
  const element = trail[depth];
  if (parent === null || element === undefined) return { text, splices: [] };
  return removeElements(text, parent, [element]);
}

/** What stands at the path; undefined if nothing does or the text is not JSON. */
export function jsonAt(text: string, path: KeyPath): Json | undefined {
  const reading = readJsonc(text);
  if (!reading.ok || reading.root === null) return undefined;
  if (path.length === 0) return dataOf(reading.root);
  const node = follow(reading.root, path)?.at(-1)?.value;
  return node === undefined ? undefined : dataOf(node);
}

interface Target {
  readonly container: Container;
  readonly element: { readonly key: string | null; readonly value: Json };
}

function add(
  text: string,
  path: KeyPath,
  missing: Json,
  atEnd: (node: JsoncNode) => Target | Refused | null,
): Edited | Refused {
  const reading = readJsonc(text);
  if (!reading.ok) return { refused: reading.message, offset: reading.offset };
  if (reading.root === null) return newDocument(text, nest(path, missing));
  let node: JsoncNode = reading.root;
  const around: Container[] = [];
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'map') return wrongKind(node, `an object in ${nameOf(path.slice(0, depth))}`);
    const found = node.elements.filter((element) => element.key === key);
    if (found.length > 1) {
      return {
        refused: `the key ${JSON.stringify(key)} stands twice in one object`,
        offset: found[1]!.start,
      };
    }
    around.push(node);
    const [member] = found;
    if (member === undefined) {
      const value = nest(path.slice(depth + 1), missing);
      return append(text, around, { container: node, element: { key, value } });
    }
    node = member.value;
  }
  const target = atEnd(node);
  if (target === null) return { text, splices: [] };
  if ('refused' in target) return target;
  return append(text, [...around, target.container], target);
}

function wrongKind(node: JsoncNode, want: string): Refused {
  const got =
    node.kind === 'scalar' ? JSON.stringify(node.value) : node.kind === 'map' ? 'an object' : 'a list';
  return { refused: `want ${want}, got ${got}`, offset: node.start };
}

function nameOf(path: KeyPath): string {
  return path.length === 0 ? 'the file' : `"${path.join('.')}"`;
}

function nest(path: KeyPath, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }) as JsonObject, value);
}

/** In a file of nothing but space and comments, after them. */
function newDocument(text: string, value: Json): Edited {
  const eol = lineEndOf(text);
  const start = text === '' || text === '\ufeff' || text.endsWith('\n') ? '' : eol;
  const body = JSON.stringify(value, null, 2).replaceAll('\n', eol);
  return splice(text, text.length, 0, `${start}${body}${eol}`);
}

/** `around` ends with the container itself. */
function append(text: string, around: readonly Container[], { container, element }: Target): Edited {
  const { elements, start, end } = container;
  const close = end - 1;
  const last = elements.at(-1);
  const compact = isCompact(text, around);
  const eol = lineEndOf(text);
  const unit = unitOf(text, around[0] ?? container);
  const outer = indentAt(text, start);
  const inner = last === undefined ? outer + unit : (ownLine(text, elements[0]!.start) ?? outer + unit);
  const rendered = render(element, { compact, eol, inner, unit });
  if (last === undefined) {
    const body = text.slice(start + 1, close);
    if (compact) return splice(text, close, 0, rendered);
    // A comment may stand in there: what is added comes after it, and the bracket keeps its place if it has its own line.
    const anchor = body.trim() === '' && !body.includes('\n') ? close : start + 1 + body.trimEnd().length;
    const tail = text.slice(anchor, close).includes('\n') ? '' : `${eol}${outer}`;
    return splice(text, anchor, 0, `${eol}${inner}${rendered}${tail}`);
  }
  const valueEnd = last.comma === -1 ? last.end : last.comma + 1;
  const anchor = valueEnd + text.slice(valueEnd, close).trimEnd().length;
  const gap = compact ? gapIn(text, container) : `${eol}${inner}`;
  return spliceAll(text, [
    ...(last.comma === -1 && anchor !== last.end ? [{ at: last.end, remove: 0, insert: ',' }] : []),
    {
      at: anchor,
      remove: 0,
      insert: `${last.comma === -1 && anchor === last.end ? ',' : ''}${gap}${rendered}${last.comma === -1 ? '' : ','}`,
    },
  ]);
}

/** On one line, as the nearest container that has something in it; a line comment always needs its own line. */
function isCompact(text: string, around: readonly Container[]): boolean {
  const full = around.findLast(({ elements }) => elements.length > 0);
  return full !== undefined && !text.slice(full.start, full.end).includes('\n');
}

function gapIn(text: string, { start, end }: Container): string {
  return /,\s/.test(text.slice(start, end)) || text[start + 1] === ' ' ? ' ' : '';
}

interface Style {
  readonly compact: boolean;
  readonly eol: string;
  readonly inner: string;
  readonly unit: string;
}

function render({ key, value }: Target['element'], { compact, eol, inner, unit }: Style): string {
  const body = compact
    ? JSON.stringify(value)
    : JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${inner}`);
  return key === null ? body : `${JSON.stringify(key)}:${compact ? '' : ' '}${body}`;
}

/** One step of indentation: that of the first thing in the file that has a line of its own. */
function unitOf(text: string, root: Container): string {
  const first = root.elements[0];
  const own = first === undefined ? null : ownLine(text, first.start);
  // JSON.stringify takes no longer step than ten.
  return own === null || own === '' ? '  ' : own.slice(0, 10);
}

/** The space before this place, if nothing else stands before it on its line. */
function ownLine(text: string, at: number): string | null {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*$/.test(before) && at > before.length ? before : null;
}

/** The space that the line of this place begins with. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The elements from the root to the end of the path; null if one is missing. */
function follow(root: JsoncNode | null, path: KeyPath): readonly JsoncElement[] | null {
  const trail: JsoncElement[] = [];
  let node = root;
  for (const key of path) {
    if (node?.kind !== 'map') return null;
    const member: JsoncElement | undefined = node.elements.findLast((element) => element.key === key);
    if (member === undefined) return null;
    trail.push(member);
    node = member.value;
  }
  return trail;
}

function parentOf(trail: readonly JsoncElement[], depth: number, root: JsoncNode | null): JsoncMap | null {
  const node = depth === 0 ? root : (trail[depth - 1]?.value ?? null);
  return node?.kind === 'map' ? node : null;
}

/** Takes elements out with the space before them and one comma each, so that what `append` did is undone. */
function removeElements(text: string, container: Container, gone: readonly JsoncElement[]): Edited {
  const { elements, start, end } = container;
  const kept = elements.filter((element) => !gone.includes(element));
  const cuts = gone.map((element) => {
    const from = spaceBefore(text, container, element);
    return { at: from, remove: (element.comma === -1 ? element.end : element.comma + 1) - from, insert: '' };
  });
  // If the last one had no comma after it, the one that is last now has none either.
  const last = kept.at(-1);
  const lone =
    elements.at(-1)?.comma === -1 && last !== undefined && last.comma !== -1 && last !== elements.at(-1);
  if (lone) cuts.push({ at: last.comma, remove: 1, insert: '' });
  const edited = spliceAll(text, cuts);
  if (kept.length > 0) return edited;
  const left = edited.text.slice(start + 1, end - 1 - (text.length - edited.text.length));
  if (left === '' || left.trim() !== '') return edited;
  const closed = splice(edited.text, start + 1, left.length, '');
  return { text: closed.text, splices: [...edited.splices, ...closed.splices] };
}

/** Where the space before an element begins; behind a line comment its line end stays if something follows. */
function spaceBefore(text: string, { elements, start }: Container, element: JsoncElement): number {
  const before = elements[elements.indexOf(element) - 1];
  const open = before === undefined ? start + 1 : Math.max(before.end, before.comma + 1);
  const between = text.slice(open, element.start);
  const from = open + between.trimEnd().length;
  const comment = [...between.matchAll(COMMENT)].at(-1)?.[0].startsWith('//') ?? false;
  const lastOfLine = /^[ \t,]*(?:\r?\n|$)/.test(text.slice(element.end));
  return comment && !lastOfLine ? element.start : from;
}

const COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;
