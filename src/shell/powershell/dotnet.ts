/**
 * Calls of .NET and of objects: what they delete, write, download or start, as the commands that do the same. A call that no
 * row names is a command of its own name, which no program has, so that it is seen and nothing is made up about it.
 */
import type { Cursor } from '../syntax/cursor.ts';
import type { Part, Word } from '../syntax/tree.ts';
import {
  commandExpression,
  computed,
  type Expression,
  literal,
  literals,
  partsOf,
  text,
} from './expressions.ts';
import {
  COMPUTED,
  commandPart,
  listOf,
  literalOf,
  PROGRAM,
  plainWord,
  simple,
  textPart,
  wordOf,
} from './nodes.ts';
import { variable } from './strings.ts';

/**
 * The words of a command: `0`, `1`, … are the arguments, `@` is the object itself, `*` all arguments.
 */
type Form = string;

const STATIC: Readonly<Record<string, Form>> = {
  'io.file::delete': 'rm 0',
  'io.file::writealltext': 'tee 0',
  'io.file::writealllines': 'tee 0',
  'io.file::writeallbytes': 'tee 0',
  'io.file::appendalltext': 'tee -a 0',
  'io.file::appendalllines': 'tee -a 0',
  'io.file::create': 'tee 0',
  'io.file::createtext': 'tee 0',
  'io.file::appendtext': 'tee -a 0',
  'io.file::openwrite': 'tee 0',
  'io.file::open': 'tee 0',
  'io.file::readalltext': 'cat 0',
  'io.file::readalllines': 'cat 0',
  'io.file::readallbytes': 'cat 0',
  'io.file::readlines': 'cat 0',
  'io.file::openread': 'cat 0',
  'io.file::opentext': 'cat 0',
  'io.file::copy': 'cp 0 1',
  'io.file::move': 'mv 0 1',
  'io.file::replace': 'mv 0 1',
  'io.file::setattributes': 'chmod = 0',
  'io.file::exists': 'stat 0',
  'io.directory::exists': 'stat 0',
  'io.directory::delete': 'rm -r 0',
  'io.directory::createdirectory': 'mkdir -p 0',
  'io.directory::move': 'mv 0 1',
  'io.directory::getfiles': 'ls 0',
  'io.directory::getdirectories': 'ls 0',
  'io.directory::enumeratefiles': 'ls 0',
  'io.directory::setcurrentdirectory': 'ls 0',
  'io.compression.zipfile::extracttodirectory': 'unzip 0 -d 1',
  'io.compression.zipfile::createfromdirectory': 'zip -r 1 0',
  'diagnostics.process::start': '*',
  'environment::exit': 'true',
  'reflection.assembly::load': 'eval *',
  'reflection.assembly::loadfrom': 'eval *',
  'reflection.assembly::loadfile': 'eval *',
  'microsoft.visualbasic.fileio.filesystem::deletefile': 'rm 0',
  'microsoft.visualbasic.fileio.filesystem::deletedirectory': 'rm -r 0',
  'microsoft.visualbasic.interaction::shell': 'cmd /c 0',
};

const MEMBERS: Readonly<Record<string, Form>> = {
  downloadstring: 'curl 0',
  downloaddata: 'curl 0',
  downloadfile: 'curl -o 1 0',
  downloadfileasync: 'curl -o 1 0',
  downloadstringasync: 'curl 0',
  downloadstringtaskasync: 'curl 0',
  openread: 'curl 0',
  getstringasync: 'curl 0',
  getbytearrayasync: 'curl 0',
  getasync: 'curl 0',
  getstreamasync: 'curl 0',
  postasync: 'curl -d 1 0',
  putasync: 'curl -d 1 0',
  uploadstring: 'curl -d 1 0',
  uploaddata: 'curl -d 1 0',
  uploadfile: 'curl -T 1 0',
  uploadvalues: 'curl -d 1 0',
  shellexecute: '*',
  exec: 'cmd /c 0',
  delete: 'rm -r @',
  deletefile: 'rm 0',
  deletefolder: 'rm -r 0',
  copyto: 'cp @ 0',
  moveto: 'mv @ 0',
  kill: 'kill @',
  run: 'cmd /c 0',
  addscript: '=invoke-expression 0',
  invokescript: '=invoke-expression 0',
  invokeexpression: '=invoke-expression 0',
  invokecommand: '=invoke-expression 0',
};

/** They hand on what they are called on. */
const SAME: ReadonlySet<string> = new Set(
  'tostring trim trimstart trimend invokereturnasis getawaiter getresult result content rawcontent fullname path pspath fullpath providerpath value definition scriptblock ast tochararray getnewclosure'.split(
    ' ',
  ),
);

function commandOf(
  c: Cursor,
  start: number,
  form: Form,
  self: Expression | null,
  args: readonly Expression[],
): Expression {
  const words: Word[] = [];
  for (const piece of form.split(' ')) {
    const given =
      piece === '@'
        ? self
        : /^\d$/.test(piece) && words.length > 0
          ? (args[Number(piece)] ?? null)
          : undefined;
    if (piece === '*') words.push(...args.flatMap(({ items }) => items.map(wordOf)));
    else if (given === undefined) words.push(plainWord(words.length > 0 ? piece : nameOf(piece)));
    else if (given !== null) words.push(...given.items.map(wordOf));
  }
  const pieces = form.split(' ');
  const others = args.filter((_, at) => !pieces.includes('*') && !pieces.includes(String(at)));
  if (self !== null && !pieces.includes('@')) others.unshift(self);
  return beside(
    c,
    start,
    others,
    commandExpression(c, start, words.length === 0 ? [plainWord(COMPUTED)] : words),
  );
}

/** What a call has no use for runs all the same. */
function beside(c: Cursor, start: number, others: readonly Expression[], call: Expression): Expression {
  const open = others.flatMap(({ items }) => items.filter((parts) => literalOf(parts) === null));
  if (open.length === 0 || call.runs === undefined) return call;
  const runs = listOf([simple(c, start, [plainWord(COMPUTED), ...open.map(wordOf)]), call.runs]);
  return { items: [[commandPart(runs, c.offset(start))]], runs };
}

/** `=` before the name of a command of PowerShell itself. */
function nameOf(piece: string): string {
  return piece.startsWith('=') ? piece.slice(1) : `${PROGRAM}${piece}`;
}

export function callStatic(
  c: Cursor,
  start: number,
  type: string,
  name: string,
  args: readonly Expression[],
): Expression {
  const key = `${type}::${name}`;
  const [first] = args;
  const own = STATIC[key];
  if (own !== undefined) return commandOf(c, start, own, null, args);
  if (key === 'convert::frombase64string' && first !== undefined) return decoded(c, start, first);
  if (key === 'io.path::combine' || key === 'io.path::join') return { items: [joinedPath(args)] };
  if (
    /^io\.path::|^string::(?:format|concat)$|^convert::|^uri::|^net\.webutility::/.test(key) &&
    first !== undefined
  )
    return args.length === 1 ? first : computed(c, args);
  if (key === 'string::join' && args.length >= 2) {
    const between = literal(first!);
    const all = args.slice(1).flatMap(({ items }) => items);
    if (between !== null && all.length > 1)
      return {
        items: [
          all.flatMap((parts, at) => (at === 0 || between === '' ? parts : [textPart(between), ...parts])),
        ],
      };
    return args.length === 2 ? args[1]! : computed(c, args);
  }
  if (key === 'scriptblock::create' && first !== undefined)
    return { items: [[textPart('{'), ...partsOf(first), textPart('}')]] };
  if (key === 'environment::getenvironmentvariable' && first !== undefined) {
    const named = literal(first);
    return named === null ? computed(c, args) : { items: [variable(`env:${named}`, c.offset(start), true)] };
  }
  if (key === 'environment::getfolderpath') return { items: [variable('home', c.offset(start), false)] };
  if (key === 'environment::setenvironmentvariable' && args.length >= 2) {
    const [named, value, scope] = args;
    const words = [plainWord('\0export'), wordOf([...partsOf(named!), textPart('='), ...partsOf(value!)])];
    return commandExpression(
      c,
      start,
      literal(scope ?? text('process'))?.toLowerCase() === 'process'
        ? words
        : [plainWord('\0setx'), ...named!.items.map(wordOf), ...value!.items.map(wordOf)],
    );
  }
  if (name === 'new') return newObject(c, start, type, args);
  if (PURE.test(type)) return computed(c, args);
  return commandExpression(c, start, [
    plainWord(`[${type}]::${name}`),
    ...args.flatMap(({ items }) => items.map(wordOf)),
  ]);
}

/** Types that only compute. */
const PURE =
  /^(?:math|bigint|int\d*|long|double|decimal|byte|bool|guid|datetime|datetimeoffset|timespan|regex|text\..*|version|array|linq\..*|collections\..*|enum|char|console|ipaddress|net\.ipaddress|globalization\..*|numerics\..*|security\.cryptography\..*|gc|threading\.thread|xml.*|tuple|nullable|random|stopwatch|diagnostics\.stopwatch|bitconverter|uri|runtime\.interopservices\.runtimeinformation|environment|io\.path|convert|psobject|pscustomobject|hashtable|ordered|object|string)$/;

function newObject(c: Cursor, start: number, type: string, args: readonly Expression[]): Expression {
  if (/^net\.sockets\.tcpclient$/.test(type)) return commandOf(c, start, 'nc 0 1', null, args);
  if (/^io\.(?:streamwriter|filestream)$/.test(type)) return commandOf(c, start, 'tee 0', null, args);
  if (/^io\.(?:streamreader)$/.test(type)) return commandOf(c, start, 'cat 0', null, args);
  if (/^io\.(?:fileinfo|directoryinfo)$|^uri$/.test(type)) return args[0] ?? computed(c, args);
  return computed(c, args);
}

export function staticProperty(type: string, name: string): Expression {
  if (type === 'environment' && name === 'newline') return text('\n');
  if (type === 'io.path' && name.endsWith('separatorchar')) return text('/');
  return { ...text(`${type}::${name}`), type: `${type}::${name}` };
}

export function propertyOf(c: Cursor, value: Expression, name: string): Expression {
  if (SAME.has(name)) return value;
  if (value.type !== undefined) return { ...value, type: `${value.type}.${name}` };
  return computed(c, [value]);
}

export function callMember(
  c: Cursor,
  start: number,
  self: Expression,
  name: string,
  args: readonly Expression[],
): Expression {
  const [first] = args;
  if (name === 'getstring' || name === 'getbytes') {
    const given = first === undefined ? null : literal(first);
    if (first === undefined || literal(self) === null) return computed(c, [self, ...args]);
    return given === null ? first : text(given.replaceAll('\0', ''));
  }
  if (name === 'invoke' || name === 'invokereturnasis' || name === 'begininvoke') {
    // Of a pipeline that is there as text, what it runs has been said where it was added.
    const block = literal(self);
    if (block !== null || self.items.some((parts) => parts[0]?.kind === 'param'))
      return commandExpression(c, start, [
        ...self.items.map(wordOf),
        ...args.flatMap(({ items }) => items.map(wordOf)),
      ]);
    return self.runs === undefined ? computed(c, [self, ...args]) : beside(c, start, args, self);
  }
  if (name === 'foreach' || name === 'where')
    return beside(
      c,
      start,
      [self],
      commandExpression(c, start, [
        plainWord('foreach-object'),
        ...args.flatMap(({ items }) => items.map(wordOf)),
      ]),
    );
  const form = MEMBERS[name];
  // `Run`, `Exec`, `Delete` of what only is a text do nothing.
  if (form !== undefined) return commandOf(c, start, form, self, args);
  const given = literal(self);
  const texts = args.map(literal);
  if (given !== null && texts.every((each) => each !== null)) {
    const value = ofText(given, name, texts as string[]);
    if (value !== null) return value;
  }
  if (name === 'split' && self.items.length === 1 && given === null) return computed(c, [self]);
  if (SAME.has(name) && args.length === 0) return self;
  return computed(c, [self, ...args]);
}

function ofText(given: string, name: string, [a = '', b = '']: readonly string[]): Expression | null {
  switch (name) {
    case 'replace':
      return a === '' ? null : text(given.replaceAll(a, b));
    case 'tolower':
    case 'tolowerinvariant':
      return text(given.toLowerCase());
    case 'toupper':
    case 'toupperinvariant':
      return text(given.toUpperCase());
    case 'substring':
      return text(given.slice(Number(a), b === '' ? undefined : Number(a) + Number(b)));
    case 'insert':
      return text(given.slice(0, Number(a)) + b + given.slice(Number(a)));
    case 'remove':
      return text(given.slice(0, Number(a)) + (b === '' ? '' : given.slice(Number(a) + Number(b))));
    case 'split':
      return a === '' ? null : { items: given.split(a).map((each) => [textPart(each)]) };
    case 'tochararray':
      return { items: [...given].slice(0, MOST_CHARACTERS).map((each) => [textPart(each)]) };
    default:
      return null;
  }
}

const MOST_CHARACTERS = 10_000;

function joinedPath(args: readonly Expression[]): readonly Part[] {
  return args
    .flatMap(({ items }) => items)
    .flatMap((parts, at) => (at === 0 ? parts : [textPart('/'), ...parts]));
}

/** Of a text its bytes, as characters; of anything else, what `base64 -d` makes of it. */
function decoded(c: Cursor, start: number, value: Expression): Expression {
  const all = literals(value);
  const read = all?.length === 1 ? fromBase64(all[0]!) : null;
  if (read !== null) return text(read);
  const word = wordOf(partsOf(value));
  const redirects = [{ op: '<<<', fd: null, target: word, at: c.offset(start) }];
  const script = simple(c, start, [plainWord('\0base64'), plainWord('-d')], { redirects });
  return { items: [[commandPart(script, c.offset(start))]] };
}

/** What stands in base64, with the zero bytes of UTF-16 left in; null if it is no such text. */
export function fromBase64(written: string): string | null {
  const plain = written.replace(/\s+/g, '').replace(/=+$/, '');
  if (plain === '' || !/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return null;
  const read = atob(plain);
  return /^[\0\t\n\r\x20-\x7e]*$/.test(read) ? read : null;
}
