/**
 * What an archive would write where it is unpacked: its names are looked up in the archive as it is now, like those of a patch.
 * One that cannot be read, or is not there yet, is for a person to see where guarded files stand below.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Command } from '../shell/index.ts';
import type { Protected } from './protected.ts';
import type { Patched } from './protected-patches.ts';
import { atHome, type JudgedCall } from './protected-words.ts';

const LARGEST = 64_000_000;
const MOST_NAMES = 100_000;

interface Unpacking {
  /** Null: it comes from a pipe, or nobody knows. */
  readonly archive: string | null;
  readonly into: string;
  /** Only these; empty: all. */
  readonly members: readonly string[];
  readonly strip: number;
  /** Names are changed on the way. */
  readonly renames: boolean;
}

/** What a command would unpack over a guarded file. */
export function unpacked(command: Command, call: JudgedCall, guarded: Protected): Patched {
  const found = UNPACKERS.get(command.program)?.(command) ?? unpackedByCode(command);
  if (found === null) return null;
  const cwd = command.cwd === null ? call.cwd : resolve(call.cwd, atHome(command.cwd, call.home));
  const into = resolve(cwd, atHome(found.into, call.home));
  if (guarded.below(into, cwd) === null && guarded.reach(into, cwd) === null) return null;
  const plain = found.members.every((name) => !/[*?[$]/.test(name));
  const reached = (names: readonly string[]) =>
    names.find((name) => guarded.reach(join(into, stripped(name, found.strip)), into) !== null);
  if (found.members.length > 0 && plain && !found.renames && reached(found.members) === undefined)
    return null;
  const file = found.archive === null ? null : resolve(cwd, atHome(found.archive, call.home));
  const shown = file === null ? 'what comes through the pipe' : basename(file);
  if (found.renames) return { unseen: `${shown}: names are changed while it is unpacked` };
  const names = file === null ? null : namesIn(file);
  if (names === null) return { unseen: `${shown}: which files it would write cannot be seen` };
  const place = reached(names);
  return place === undefined ? null : { place };
}

function stripped(name: string, strip: number): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.slice(strip).join('/');
}

type Reader = (command: Command) => Unpacking | null;

/** Programs that unpack, by name. */
export const UNPACKERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['tar', readTar],
  ['gtar', readTar],
  ['bsdtar', readTar],
  [
    'unzip',
    (command) => readArchive(command, command.values('-d')[0], command.has('-l', '-t', '-p', '-v', '-Z')),
  ],
  ['jar', (command) => (isBundle(command, 'x') ? readArchive(command, undefined, false, 1) : null)],
  ['cpio', (command) => (command.has('-i', '--extract') ? unseen(command, '-D', '--directory') : null)],
  ['7z', (command) => (/^[xe]$/.test(command.args[0] ?? '') ? unseen(command) : null)],
  ['7za', (command) => (/^[xe]$/.test(command.args[0] ?? '') ? unseen(command) : null)],
  ['unrar', (command) => (/^[xe]/.test(command.args[0] ?? '') ? unseen(command) : null)],
  ['unar', (command) => unseen(command, '-o', '--output-directory')],
  ['ar', (command) => (isBundle(command, 'x') ? unseen(command) : null)],
  // A template from elsewhere, put over what is there.
  ...['degit', 'tiged', 'giget'].map((name) => [name, over('-f', '--force')] as const),
  ['cookiecutter', over('-f', '--overwrite-if-exists')],
  ['copier', over('-f', '--force', '-w', '--overwrite')],
  ['python', readPython],
  ['python3', readPython],
  ['dpkg-deb', readDeb],
  ['dpkg', readDeb],
]);

function over(...flags: string[]): Reader {
  return (command) => {
    const [source = '', folder] = command.operands.filter((word) => !/^(?:copy|update|recopy)$/.test(word));
    const into = command.values('-o', '--output-dir')[0] ?? folder ?? '.';
    return command.has(...flags) ? { archive: source, into, members: [], strip: 0, renames: false } : null;
  };
}

function isBundle({ args }: Command, letter: string): boolean {
  return /^-?[a-z]+$/i.test(args[0] ?? '') && args[0]!.includes(letter);
}

function unseen(command: Command, ...folder: string[]): Unpacking {
  const attached = command.args.find((arg) => /^-o./.test(arg))?.slice(2);
  const into = command.values(...folder)[0] ?? attached ?? '.';
  return { archive: null, into, members: [], strip: 0, renames: false };
}

function readArchive(
  command: Command,
  folder: string | undefined,
  lists: boolean,
  from = 0,
): Unpacking | null {
  const [archive, ...members] = command.operands.slice(from);
  if (lists || archive === undefined) return null;
  return { archive, into: folder ?? '.', members, strip: 0, renames: false };
}

function readPython(command: Command): Unpacking | null {
  const [module] = command.values('-m');
  if (module !== 'zipfile' && module !== 'tarfile') return null;
  const at = command.args.findIndex((arg) => arg === '-e' || arg === '--extract');
  const archive = at === -1 ? undefined : command.args[at + 1];
  if (archive === undefined) return null;
  return { archive, into: command.args[at + 2] ?? '.', members: [], strip: 0, renames: false };
}

function readDeb(command: Command): Unpacking | null {
  if (!command.has('-x', '-X', '-R', '--extract', '--vextract', '--raw-extract')) return null;
  return { archive: null, into: command.args.at(-1) ?? '.', members: [], strip: 0, renames: false };
}

const CODE_UNPACKS = /\b(?:extract_?all|unpack_archive|extractTo|ExtractToDirectory)\w*\s*\(([^()]{0,200})/i;

/** `zipfile.ZipFile("a.zip").extractall("out")`: the first literal that is the name of an archive, and the last one of the call that is none. */
function unpackedByCode({ code }: Command): Unpacking | null {
  if (code === null || code.language === 'sh') return null;
  const call = CODE_UNPACKS.exec(code.text);
  if (call === null) return null;
  const literals = (text: string) => [...text.matchAll(/["']([^"'\n]{1,400})["']/g)].map(([, each]) => each!);
  const isArchive = (text: string) => /\.(?:zip|jar|t[abgxz]\w{1,3}|tar(?:\.\w+)?)$/i.test(text);
  return {
    archive: literals(code.text).find(isArchive) ?? null,
    into: literals(call[1]!).findLast((text) => !isArchive(text)) ?? '.',
    ...{ members: [], strip: 0, renames: false },
  };
}

function readTar(command: Command): Unpacking | null {
  const { args } = command;
  const bundle = /^[a-zA-Z]+$/.test(args[0] ?? '') ? args[0]! : '';
  if (!bundle.includes('x') && !command.has('-x', '--extract', '--get')) return null;
  if (command.has('-O', '--to-stdout', '--to-command')) return null;
  const takesFile = bundle.includes('f');
  const archive = takesFile ? args[1] : command.values('-f', '--file')[0];
  const strip = Number(command.values('--strip-components')[0] ?? 0);
  return {
    archive: archive === undefined || archive === '-' ? null : archive,
    into: command.values('-C', '--directory').at(-1) ?? '.',
    members: command.operands.filter((operand) => operand !== bundle && operand !== archive),
    strip: Number.isInteger(strip) ? strip : 0,
    renames: command.has('--transform', '--xform', '-s', '-P', '--absolute-names'),
  };
}

/** The names of a tar, also one that is packed with gzip, or of a zip; null for anything else. */
export function namesIn(file: string): readonly string[] | null {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LARGEST) return null;
    const head = Buffer.alloc(4);
    const opened = openSync(file, 'r');
    try {
      readSync(opened, head, 0, 4, 0);
    } finally {
      closeSync(opened);
    }
    if (head.readUInt32LE(0) === 0x04034b50) return namesOfZip(readFileSync(file));
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    const bytes = readFileSync(file);
    return namesOfTar(isGzip ? gunzipSync(bytes, { maxOutputLength: LARGEST }) : bytes);
  } catch {
    return null;
  }
}

const BLOCK = 512;

function namesOfTar(bytes: Buffer): readonly string[] | null {
  const names: string[] = [];
  let longer: string | null = null;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8);
    // Larger sizes are written in another way, which is not followed.
    if (!Number.isInteger(size) || names.length > MOST_NAMES) return null;
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
    const kind = String.fromCharCode(header[156]!);
    const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
    const name = `${prefix === '' ? '' : `${prefix}/`}${textAt(header, 0, 100)}`;
    if (kind === 'L') longer = textAt(body, 0, size);
    else if (kind === 'x') longer = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(body.toString('utf8'))?.[1] ?? longer;
    else if (kind !== 'g') {
      names.push(longer ?? name);
      // A link may lead into a guarded folder, and what is unpacked behind it with it.
      if (kind === '1' || kind === '2') names.push(textAt(header, 157, 100));
      longer = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return names.length === 0 ? null : names;
}

function textAt(bytes: Buffer, from: number, length: number): string {
  const part = bytes.subarray(from, from + length);
  const end = part.indexOf(0);
  return part.subarray(0, end === -1 ? length : end).toString('utf8');
}

const DIRECTORY_END = 0x06054b50;
const ENTRY = 0x02014b50;

function namesOfZip(bytes: Buffer): readonly string[] | null {
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== DIRECTORY_END) end--;
  if (end < 0) return null;
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY) return null;
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    names.push(bytes.toString('utf8', at + 46, at + 46 + name!));
    at += 46 + name! + extra! + comment!;
  }
  return names;
}
