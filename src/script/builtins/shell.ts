/**
 * `shell`, `path` and `secrets`: what a command does, what a path names, and what must not be told, as values for scripts.
 * Functions of their arguments alone, and none of them raises because of a text: what cannot be read is said in the value.
 */
import {
  isDisk,
  isWithin,
  matchPath,
  normalForm,
  sizeOfBraces,
  TOO_MANY_ALTERNATIVES,
} from '../../base/index.ts';
import { findSecrets, redactSecrets } from '../../secrets/index.ts';
import { readCached, weightOf } from '../../shell/index.ts';
import {
  builtin,
  ENTRY,
  fail,
  List,
  listBytes,
  Module,
  STRUCT_SIZE,
  Struct,
  type Thread,
  textBytes,
  type Value,
  wantBool,
  wantItems,
  wantString,
} from '../../starlark/index.ts';
import { ShellReading } from './shell-values.ts';

export const SHELL = new Module(
  'shell',
  new Map<string, Value>([
    ['parse', builtin('shell.parse', 'text, shell="sh", *, cwd="", home="", workspace=""', parse)],
  ]),
);

/** Steps for each command that is found, so that a short text with many costs what it takes. */
const STEPS_PER_COMMAND = 32;

/** What it costs does not depend on whether the text was read before. */
function parse(thread: Thread, text: Value, shell: Value, cwd: Value, home: Value, workspace: Value): Value {
  const options = {
    shell: wantString('shell.parse', 'shell', shell),
    cwd: wantString('shell.parse', 'cwd', cwd) || undefined,
    home: wantString('shell.parse', 'home', home) || undefined,
  };
  const given =
    text instanceof List
      ? wantItems(thread, 'shell.parse', 'text', text).map((word, i) =>
          wantString('shell.parse', `text[${i}]`, word),
        )
      : wantString('shell.parse', 'text', text);
  const length = typeof given === 'string' ? given.length : given.reduce((sum, each) => sum + each.length, 0);
  thread.spend(1 + (length >> 2));
  thread.charge(length);
  const reading = readCached(given, options);
  thread.spend(STEPS_PER_COMMAND * reading.commands.length);
  thread.charge(weightOf(reading, 0));
  const folder = wantString('shell.parse', 'workspace', workspace) || options.cwd;
  return new ShellReading(thread, reading, {
    cwd: options.cwd ?? null,
    workspaces: folder === undefined ? [] : [folder],
    home: options.home ?? null,
  });
}

export const PATH = new Module(
  'path',
  new Map<string, Value>([
    [
      'match',
      builtin('path.match', 'p, glob', (thread, p, glob) => {
        const path = read(thread, 'path.match', 'p', p);
        const pattern = wantString('path.match', 'glob', glob);
        thread.spend(1 + pattern.length);
        const size = sizeOfBraces(pattern);
        if (size === null) return fail(`path.match: for parameter glob: ${TOO_MANY_ALTERNATIVES}`);
        const all = size.alternatives + size.characters;
        const pairs = partsIn(path) * partsIn(pattern) * size.alternatives;
        thread.spend(all + Math.ceil((path.length * all) / 32) + (pairs >> 2));
        chargePath(thread, all);
        return matchPath(path, pattern);
      }),
    ],
    [
      'within',
      builtin('path.within', 'p, folder', (thread, p, folder) =>
        isWithin(read(thread, 'path.within', 'p', p), read(thread, 'path.within', 'folder', folder)),
      ),
    ],
    ['is_disk', builtin('path.is_disk', 'p', (thread, p) => isDisk(read(thread, 'path.is_disk', 'p', p)))],
    [
      'normal',
      builtin('path.normal', 'p', (thread, p) => {
        const path = read(thread, 'path.normal', 'p', p);
        thread.charge(textBytes(path.length));
        return normalForm(path);
      }),
    ],
  ]),
);

export const SECRETS = new Module(
  'secrets',
  new Map<string, Value>([
    [
      'redact',
      builtin('secrets.redact', 'text, personal=False', (thread, text, personal) => {
        const given = searched(thread, 'secrets.redact', text);
        thread.charge(textBytes(given.length));
        const options = { personal: wantBool('secrets.redact', 'personal', personal), pay: payFor(thread) };
        return redactSecrets(given, options).text;
      }),
    ],
    [
      'find',
      builtin('secrets.find', 'text, personal=False', (thread, text, personal) => {
        const options = { personal: wantBool('secrets.find', 'personal', personal), pay: payFor(thread) };
        const found = findSecrets(searched(thread, 'secrets.find', text), options);
        thread.charge(listBytes(found.length) + (STRUCT_SIZE + 3 * ENTRY) * found.length);
        return new List(
          found.map(
            ({ rule, start, end }) =>
              new Struct([
                ['rule', rule],
                ['start', start],
                ['end', end],
              ]),
          ),
        );
      }),
    ],
  ]),
);

/** What a place that is looked at costs in steps, and what is remembered of a secret: found, put in order, put together. */
const STEPS_PER_PLACE = 8;
const FOUND_BYTES = 160;

function payFor(thread: Thread): (found: number) => void {
  let paid = 0;
  return (found) => {
    thread.spend(STEPS_PER_PLACE);
    if (found === paid) return;
    thread.charge(FOUND_BYTES * (found - paid));
    paid = found;
  };
}

function searched(thread: Thread, name: string, text: Value): string {
  const given = wantString(name, 'text', text);
  thread.spend(1 + (given.length >> 1));
  // What overlapping rules find before it is put together.
  thread.charge(given.length);
  return given;
}

function partsIn(path: string): number {
  let parts = 1;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parts++;
  return parts;
}

function read(thread: Thread, name: string, parameter: string, value: Value): string {
  const text = wantString(name, parameter, value);
  thread.spend(1 + (text.length >> 3));
  chargePath(thread, text.length);
  return text;
}

/** What is made while a path or a pattern is read: a place for each character, and parts. */
const BYTES_PER_CHARACTER = 40;
/** No file has a longer path. What a shorter one takes is gone at once, and a guard may look at thousands. */
export const LONGEST_FILE_PATH = 4096;

export function chargePath(thread: Thread, characters: number): void {
  if (characters > LONGEST_FILE_PATH) thread.charge(BYTES_PER_CHARACTER * characters);
}
