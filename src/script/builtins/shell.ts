/**
 * `shell`, `path` and `secrets`: what a command does, what a path names, and what must not be told, as values for scripts.
 * Functions of their arguments alone, and none of them raises because of a text: what cannot be read is said in the value.
 */
import { readRemembered, weightOf } from '../../match/command/index.ts';
import { isDisk, isWithin, matchPath, normalForm } from '../../match/path-match.ts';
import { findSecrets, redactSecrets } from '../../match/secrets/secrets.ts';
import {
  builtin,
  List,
  Module,
  Struct,
  type Thread,
  type Value,
  wantItems,
  wantString,
} from '../../starlark/index.ts';
import { ENTRY, listBytes, STRUCT, textBytes } from '../../starlark/values/size.ts';
import { ShellReading } from './shell-values.ts';

export const SHELL = new Module(
  'shell',
  new Map<string, Value>([['parse', builtin('shell.parse', 'text, shell="sh", *, cwd="", home=""', parse)]]),
);

/** Steps for each command that is found, so that a short text with many costs what it takes. */
const STEPS_PER_COMMAND = 32;

/** What it costs does not depend on whether the text was read before. */
function parse(thread: Thread, text: Value, shell: Value, cwd: Value, home: Value): Value {
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
  const reading = readRemembered(given, options);
  thread.spend(STEPS_PER_COMMAND * reading.commands.length);
  thread.charge(weightOf(reading, 0));
  return new ShellReading(thread, reading);
}

export const PATH = new Module(
  'path',
  new Map<string, Value>([
    [
      'match',
      builtin('path.match', 'p, glob', (thread, p, glob) => {
        const path = read(thread, 'path.match', 'p', p);
        const pattern = wantString('path.match', 'glob', glob);
        thread.spend(pattern.length + Math.ceil((path.length * pattern.length) / 32));
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
      builtin('secrets.redact', 'text', (thread, text) => {
        const given = searched(thread, 'secrets.redact', text);
        thread.charge(textBytes(given.length));
        return redactSecrets(given).text;
      }),
    ],
    [
      'find',
      builtin('secrets.find', 'text', (thread, text) => {
        const found = findSecrets(searched(thread, 'secrets.find', text));
        thread.charge(listBytes(found.length) + (STRUCT + 3 * ENTRY) * found.length);
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

function searched(thread: Thread, name: string, text: Value): string {
  const given = wantString(name, 'text', text);
  thread.spend(1 + (given.length >> 2));
  // What overlapping rules find before it is put together.
  thread.charge(given.length);
  return given;
}

function read(thread: Thread, name: string, parameter: string, value: Value): string {
  const text = wantString(name, parameter, value);
  thread.spend(1 + (text.length >> 3));
  return text;
}
