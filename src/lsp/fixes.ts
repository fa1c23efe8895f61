/**
 * What an editor offers to do about a finding: the nearest name, the missing `return`, a priority, a comment that accepts it. Each is
 * the smallest change of the text that the message asks for.
 */

import { type CodeAction, CodeActionKind, type Diagnostic, type TextEdit } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { ErrorCode } from '../base/index.ts';
import { regionAt, regionsOf } from './regions.ts';
import { defOf, readScript } from './symbols.ts';
import { environmentOf } from './vocabulary.ts';

/** What a comment can accept: findings about a script that loads. */
const ACCEPTABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'BUILTIN_CALL',
  'BUILTIN_MEMBER',
  'CONDITION_CONSTANT',
  'DECISION_DROPPED',
  'DECISION_IGNORED',
  'DICT_ATTRIBUTE',
  'PATTERN_INVALID',
  'PAYLOAD_FROZEN',
  'PAYLOAD_KEY',
  'RETURN_MISSING',
  'RETURN_TYPE',
  'TOOL_UNKNOWN',
]);

export function fixesFor(
  path: string,
  document: TextDocument,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  return diagnostics.flatMap((diagnostic) =>
    [nearestName, addReturn, addPriority, accept].flatMap((fix) => {
      const found = fix(path, document, diagnostic);
      if (found === null) return [];
      const { title, edits } = found;
      const changes = { [document.uri]: edits };
      return [{ title, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], edit: { changes } }];
    }),
  );
}

type Fix = (
  path: string,
  document: TextDocument,
  diagnostic: Diagnostic,
) => { readonly title: string; readonly edits: TextEdit[] } | null;

const nearestName: Fix = (_path, document, { message: said, range }) => {
  const message = wordsOf(said);
  const meant = /\(did you mean ([^)]*?)\?\)/.exec(message)?.[1]?.replace(/^"|"$/g, '');
  if (meant === undefined) return null;
  const line = document.getText().split('\n')[range.start.line] ?? '';
  // The message names what was written; it may stand a little further on in the line.
  const last = meant.slice(meant.lastIndexOf('.') + 1);
  const names = [...message.matchAll(/"([^"]+)"|\b([A-Za-z_][\w.]*)/g)].map(
    ([, quoted, plain]) => quoted ?? plain!,
  );
  const wrong = names.find(
    (name) => name !== meant && name !== last && isIn(line, name, range.start.character),
  );
  if (wrong === undefined) return null;
  const at = line.indexOf(wrong, Math.max(0, range.start.character - wrong.length));
  const start = { line: range.start.line, character: at };
  const end = { line: range.start.line, character: at + wrong.length };
  const newText = line.startsWith(last, at) ? meant : wrong.includes('.') ? meant : last;
  return { title: `Change to ${meant}`, edits: [{ range: { start, end }, newText }] };
};

function wordsOf(message: Diagnostic['message']): string {
  return typeof message === 'string' ? message : message.value;
}

function isIn(line: string, name: string, from: number): boolean {
  const at = line.indexOf(name, Math.max(0, from - name.length));
  return at !== -1 && !/\w/.test(line[at - 1] ?? '') && !/\w/.test(line[at + name.length] ?? '');
}

const addReturn: Fix = (path, document, { code, range, message }) => {
  if (code === 'DECISION_DROPPED') {
    const { start } = range;
    return { title: 'Return the decision', edits: [{ range: { start, end: start }, newText: 'return ' }] };
  }
  if (code !== 'RETURN_MISSING') return null;
  const text = document.getText();
  const found = regionAt(regionsOf(path, text), document.offsetAt(range.start));
  if (found === null) return null;
  const { region, at } = found;
  const title = 'Add return allow()';
  if (wordsOf(message).includes('returns None')) {
    const end = region.text.indexOf('\n', at) === -1 ? region.text.length : region.text.indexOf('\n', at);
    const span = {
      start: document.positionAt(region.toFile(at)),
      end: document.positionAt(region.toFile(end)),
    };
    return { title, edits: [{ range: span, newText: 'return allow()' }] };
  }
  const { file } = readScript(region, environmentOf(region, path));
  const def = file === null ? undefined : defOf(file, 'handle');
  const first = def?.fn.body[0];
  const last = def?.fn.body.at(-1);
  if (first === undefined || last === undefined) return null;
  const place = document.positionAt(region.toFile(last.end));
  const column = document.positionAt(region.toFile(first.start)).character;
  const newText = `\n${' '.repeat(column)}return allow()`;
  return { title, edits: [{ range: { start: place, end: place }, newText }] };
};

const addPriority: Fix = (_path, document, { code, range }) => {
  if (code !== 'PRIORITY_MISSING') return null;
  const lines = document.getText().split('\n');
  const from = lines.findIndex((line, at) => at >= range.start.line && /^[\s-]*event:/.test(line));
  if (from === -1) return null;
  const indent = /^[\s-]*/.exec(lines[from]!)![0].replaceAll('-', ' ');
  const place = { line: from + 1, character: 0 };
  const newText = `${indent}priority: 50\n`;
  return { title: 'Add priority: 50', edits: [{ range: { start: place, end: place }, newText }] };
};

const accept: Fix = (_path, document, { code, range }) => {
  if (typeof code !== 'string' || !ACCEPTABLE.has(code)) return null;
  const line = (document.getText().split('\n')[range.start.line] ?? '').replace(/\r$/, '');
  const place = { line: range.start.line, character: line.length };
  const newText = `  # harness: ignore ${code} because …`;
  return {
    title: `Accept ${code} here, with a reason`,
    edits: [{ range: { start: place, end: place }, newText }],
  };
};
