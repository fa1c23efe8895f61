/**
 * Markdown artifacts in one form: the scripts in their front matter formatted, the YAML around them tidied, the body untouched. The
 * data is the same afterwards, which is checked, and so are the scripts, see `starlark/format`.
 */
import {
  canonicalJson,
  type Json,
  type MapNode,
  type Problem,
  type ScalarNode,
  SourceFile,
  type Tree,
  toData,
} from '../base/index.ts';
import { formatExpression, formatFile } from '../starlark/index.ts';
import { embeddedSource } from './embedded-source.ts';
import { splitFrontmatter } from './frontmatter.ts';
import { parseArtifact } from './parse-artifact.ts';
import type { FileReport } from './report.ts';

export type FormattedArtifact =
  | { readonly ok: true; readonly text: string }
  /** It cannot be understood, and stays as it is. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Fields that hold Starlark, wherever they stand. */
const SCRIPTS: ReadonlySet<string> = new Set(['script', 'verify']);
const EXPRESSIONS: ReadonlySet<string> = new Set(['when', 'condition']);

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function formatArtifact(path: string, text: string): FormattedArtifact {
  const read = readMap(path, text);
  if (read.map === null) return { ok: false, problems: read.report.problems };
  const edits: Edit[] = [];
  const blocks: [number, number][] = [];
  visit(read.map, (key, keyStart, node) => {
    const lines = blockOf(text, node);
    if (lines !== null) blocks.push(lines);
    const edit = SCRIPTS.has(key)
      ? scriptEdit(read.report, text, keyStart, node, lines)
      : EXPRESSIONS.has(key)
        ? expressionEdit(read.report, text, node)
        : null;
    if (edit !== null) edits.push(edit);
  });
  if (read.report.failed) return { ok: false, problems: read.report.problems };
  edits.push(...tidying(text, blocks));
  const next = applied(text, edits);
  const after = readMap(path, next);
  const same = after.map !== null && dataOf(read.map) === dataOf(after.map);
  return { ok: true, text: same ? next : text };
}

function readMap(path: string, text: string): { readonly map: MapNode | null; readonly report: FileReport } {
  return parseArtifact(path, { ok: true, text }, { noun: '', plainTextIsFine: true });
}

type Visitor = (key: string, keyStart: number, node: ScalarNode) => void;

function visit(tree: Tree, found: Visitor, key = '', keyStart = 0): void {
  if (tree.kind === 'scalar') found(key, keyStart, tree);
  else if (tree.kind === 'list') for (const item of tree.items) visit(item, found, '', keyStart);
  else for (const entry of tree.entries.values()) visit(entry.value, found, entry.key, entry.keyStart);
}

/** The lines of a scalar that has several, which mean what they are: from the first after its header, to the last. */
function blockOf(text: string, { start, end = start, style }: ScalarNode): [number, number] | null {
  const first = text.indexOf('\n', start) + 1;
  if (first === 0 || first >= end) return null;
  return [style === 'literal' || style === 'folded' ? first : start, end];
}

function scriptEdit(
  report: FileReport,
  text: string,
  keyStart: number,
  node: ScalarNode,
  lines: [number, number] | null,
): Edit | null {
  const header = text.slice(node.start, text.indexOf('\n', node.start));
  // A header with a number says how far the block is indented, and a quoted script has escapes of its own.
  if (node.style !== 'literal' || lines === null || /^\|[-+]?\d/.test(header)) return null;
  const source = embeddedSource(report.source, node);
  const formatted = formatFile(source);
  if (!formatted.ok) {
    for (const { message, position } of formatted.errors) report.at('SCRIPT_INVALID', message, position);
    return null;
  }
  const indent = ' '.repeat(columnOf(text, keyStart) + 2);
  const written = formatted.text.trimEnd().split('\n');
  const [start, end] = lines;
  const kept = /\n*$/.exec(text.slice(start, end))![0].length > 0 ? '\n' : '';
  const body = written.map((line) => (line === '' ? '' : indent + line)).join('\n');
  return { start, end, text: body + (kept === '' ? '' : trailingLines(text.slice(start, end), header)) };
}

/** `|+` keeps the empty lines at the end, and they count. */
function trailingLines(block: string, header: string): string {
  return header.includes('+') ? /\n+$/.exec(block)![0] : '\n';
}

function expressionEdit(report: FileReport, text: string, node: ScalarNode): Edit | null {
  const { start, end = start, style } = node;
  if (style !== 'plain' || typeof node.value !== 'string') return null;
  const written = text.slice(start, end);
  if (written.includes('\n') || written.trim() !== node.value.trim() || node.value.trim() === '') return null;
  const formatted = formatExpression(new SourceFile(report.source.name, node.value.trim()));
  if (!formatted.ok) {
    const [first] = formatted.errors;
    report.error('WHEN_INVALID', first?.message ?? 'cannot be parsed', start);
    return null;
  }
  return { start, end, text: formatted.text };
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Spaces at the ends of lines, more than one empty line, more than one space after a key: outside of texts with lines of their own. */
function tidying(text: string, blocks: readonly [number, number][]): Edit[] {
  const split = splitFrontmatter(text);
  if (!split.ok) return [];
  const { yaml, yamlStart } = split.parts;
  const edits: Edit[] = [];
  let at = yamlStart;
  let empty = true;
  const lines = yaml.split('\n');
  for (const [nth, line] of lines.entries()) {
    const end = at + line.length;
    const inside = blocks.some(([from, to]) => at >= from && at < to);
    if (!inside && nth < lines.length - 1) {
      const rest = lines.slice(nth + 1).every((each) => each.trim() === '');
      const drop = line.trim() === '' && (empty || rest);
      const tidy = line.trimEnd().replace(/^(\s*(?:- )*[A-Za-z_][\w-]*:)[ \t]{2,}(?=[^\s#])/, '$1 ');
      if (drop) edits.push({ start: at, end: end + 1, text: '' });
      else if (tidy !== line) edits.push(...lineEdits(at, line, tidy));
    }
    empty = !inside && line.trim() === '';
    at = end + 1;
  }
  return edits;
}

/** Both ends of a line apart, so that they do not touch what is changed between them. */
function lineEdits(at: number, line: string, tidy: string): Edit[] {
  const trimmed = line.trimEnd();
  const edits: Edit[] = [];
  if (trimmed !== line) edits.push({ start: at + trimmed.length, end: at + line.length, text: '' });
  const extra = trimmed.length - tidy.length;
  const colon = /^\s*(?:- )*[A-Za-z_][\w-]*:/.exec(trimmed)?.[0].length ?? 0;
  if (extra > 0) edits.push({ start: at + colon, end: at + colon + extra, text: '' });
  return edits;
}

function applied(text: string, edits: readonly Edit[]): string {
  let next = text;
  let limit = text.length;
  for (const { start, end, text: written } of [...edits].sort((a, b) => b.start - a.start)) {
    // Two that touch the same place: the outer one has it.
    if (end > limit) continue;
    next = next.slice(0, start) + written + next.slice(end);
    limit = start;
  }
  return next;
}

/** The data with every script in its one form, as text: equal before and after. */
function dataOf(map: MapNode): string {
  return canonicalJson(normal(toData(map), ''));
}

function normal(value: Json, key: string): Json {
  if (typeof value === 'string') {
    if (!SCRIPTS.has(key) && !EXPRESSIONS.has(key)) return value;
    const source = new SourceFile('', SCRIPTS.has(key) ? value : value.trim());
    const formatted = SCRIPTS.has(key) ? formatFile(source) : formatExpression(source);
    return formatted.ok ? formatted.text.trimEnd() : value;
  }
  if (Array.isArray(value)) return value.map((item) => normal(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, normal(each as Json, name)]));
}
