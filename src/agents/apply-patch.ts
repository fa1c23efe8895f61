/**
 * The patch text of the `apply_patch` tool that several agents share, read into the files it touches: an added file is a
 * `write_file`, a changed, moved or deleted one an `edit_file`. Read strictly: a line that two readers could take for different
 * things is a problem and blocks, since the agent may read it the other way.
 */
import { isJsonObject, type Json, kindOf, quote } from '../base/index.ts';
import { isNotACall, type NotACall, type ToolForm } from './tool-forms.ts';
import type { CanonicalCall } from './tools.ts';

const HEADERS = {
  add: '*** Add File:',
  update: '*** Update File:',
  delete: '*** Delete File:',
  move: '*** Move to:',
} as const;
const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const ENVIRONMENT = '*** Environment ID:';

/** A patch of more files than this is not judged file by file. */
const MOST_FILES = 200;

/** The tool that takes a patch under `key`, or as its whole input. It cannot be rewritten: there is no way back to a patch. */
export function patchForm(key: string): ToolForm {
  return {
    split(input) {
      const patch = isJsonObject(input) ? input[key] : input;
      return typeof patch === 'string'
        ? parsePatch(patch)
        : { problem: `want ${key} to be the text of a patch, got ${kindOf(patch)}` };
    },
    join: () => null,
  };
}

export function parsePatch(text: string): readonly CanonicalCall[] | NotACall {
  const lines = text.split(/\r?\n/);
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  while (lines.length > 0 && lines[0]!.trim() === '') lines.shift();
  if (lines[0]?.trim() !== BEGIN) return wrong(BEGIN, lines[0]);
  if (lines.length < 2 || lines.at(-1)!.trim() !== END) return wrong(END, lines.at(-1));
  const body = lines.slice(1, -1);
  const calls: CanonicalCall[] = [];
  let at = body[0]?.startsWith(ENVIRONMENT) ? 1 : 0;
  while (at < body.length) {
    if (body[at]!.trim() === '') {
      at++;
      continue;
    }
    const file = readFile(body, at);
    if (isNotACall(file)) return file;
    calls.push(file.call);
    if (calls.length > MOST_FILES) return { problem: `want a patch of at most ${MOST_FILES} files` };
    at = file.next;
  }
  return calls.length === 0 ? { problem: 'want a patch of at least one file' } : calls;
}

interface FilePart {
  readonly call: CanonicalCall;
  readonly next: number;
}

function readFile(lines: readonly string[], at: number): FilePart | NotACall {
  const line = lines[at]!;
  const kind = (['add', 'update', 'delete'] as const).find((each) => line.startsWith(HEADERS[each]));
  if (kind === undefined) return wrong('the header of a file', line);
  const path = line.slice(HEADERS[kind].length).trim();
  if (path === '') return { problem: `want a path after ${quote(HEADERS[kind])}` };
  if (kind === 'delete') return { call: { name: 'edit_file', args: { path, delete: true } }, next: at + 1 };
  return kind === 'add' ? added(lines, at + 1, path) : updated(lines, at + 1, path);
}

function added(lines: readonly string[], from: number, path: string): FilePart | NotACall {
  let next = from;
  while (next < lines.length && lines[next]!.startsWith('+')) next++;
  const content = lines.slice(from, next).map((line) => `${line.slice(1)}\n`);
  return { call: { name: 'write_file', args: { path, content: content.join('') } }, next };
}

function updated(lines: readonly string[], from: number, path: string): FilePart | NotACall {
  const moved = lines[from]?.startsWith(HEADERS.move) === true;
  const to = moved ? lines[from]!.slice(HEADERS.move.length).trim() : null;
  if (to === '') return { problem: `want a path after ${quote(HEADERS.move)}` };
  const old: string[] = [];
  const fresh: string[] = [];
  let next = moved ? from + 1 : from;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    if (isFileHeader(line)) break;
    if (line.trim().startsWith('*** ') && line.trim() !== END_OF_FILE) {
      return { problem: `a line that may be a header stands inside a change: ${quote(line)}` };
    }
    const sign = line[0] ?? ' ';
    if (line === END_OF_FILE || line.startsWith('@@')) continue;
    if (sign !== ' ' && sign !== '+' && sign !== '-') {
      return wrong('a line of a change, which begins with a space, + or -', line);
    }
    if (sign !== '+') old.push(line.slice(1));
    if (sign !== '-') fresh.push(line.slice(1));
  }
  const args: Record<string, Json> = { path, old: old.join('\n'), new: fresh.join('\n') };
  if (to !== null) args.to = to;
  return { call: { name: 'edit_file', args }, next };
}

function isFileHeader(line: string): boolean {
  return [HEADERS.add, HEADERS.update, HEADERS.delete].some((header) => line.startsWith(header));
}

function wrong(wanted: string, got: string | undefined): NotACall {
  return { problem: `not a patch: want ${wanted}, got ${got === undefined ? 'nothing' : quote(got, 60)}` };
}
