/**
 * The floor: operations that no configuration of an agent can mean. They are refused whatever hooks, permissions and
 * people say, also where there are none. This file is the whole list, and nothing switches it off.
 *
 * It is a net under accidents, not a sandbox: a program that deletes by itself is not seen here.
 */
import { posix } from 'node:path';
import type { Host, Program } from '../base/host.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { compileGlob } from '../match/glob.ts';
import { readShell, type ShellCommand } from '../match/shell.ts';

/** Folders without which the machine, or everybody's work on it, is gone. */
const SYSTEM_FOLDERS = [
  '/bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var',
  '/usr/bin /usr/lib /usr/sbin /var/lib /Applications /Library /System /Users /Volumes',
].flatMap((line) => line.split(' '));

const HOME = /^\/(?:home|Users)\/[^/]+$/;
const DRIVE = /^[a-z]:[\\/]*(?:(?:windows|users|program files[^\\/]*)[\\/]*)?\*?$/i;
const DEVICE =
  /^(?:\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|r?disk\d|dm-|md\d|loop|mapper\/|nbd|k?mem|port)|\/proc\/sysrq-trigger|\\*\.?\\?PhysicalDrive)/i;
/** A function that runs itself twice, in the background. Bounded, so that no text makes it slow. */
const FORK_BOMB = /([\w:.]{1,40})\s{0,9}\(\)\s{0,9}\{[^}]{0,99}?\1\s{0,9}\|\s{0,9}\1\s{0,9}&/;

interface Where {
  /** Null where it is not known. */
  readonly cwd: string | null;
}

/** Judges one program by the words after its name. */
type Judge = (args: readonly string[], where: Where) => string | null;

const says = (what: string, holds: boolean): string | null => (holds ? what : null);

const SHUTDOWN: Judge = (args) =>
  says('shuts the machine down', !args.some((arg) => arg === '-c' || arg === '--help'));
const MAKE_FILESYSTEM: Judge = () => 'overwrites a whole disk';
const OVERWRITE: Judge = (args) => says('overwrites a disk', args.some(isDevice));
const PERMISSIONS: Judge = (args, where) =>
  says(
    'changes the owner or rights of the whole system',
    has(args, 'R', '--recursive') && operands(args).some((path) => isSystem(path, where)),
  );
const WINDOWS_DELETE: Judge = (args) =>
  says('deletes a whole drive', args.some((arg) => /^\/s$/i.test(arg)) && args.some(isDrive));
const REMOVE: Judge = (args, where) =>
  says(
    'deletes the whole system or a home folder',
    args.includes('--no-preserve-root') ||
      ((has(args, 'rR', '--recursive') || args.some((arg) => /^-recurse$/i.test(arg))) &&
        operands(args).some((path) => isSystem(path, where) || isHome(path, where))),
  );

const JUDGES: Readonly<Record<string, Judge>> = {
  rm: REMOVE,
  'remove-item': REMOVE,
  ri: REMOVE,
  find: (args, where) =>
    says(
      'deletes the whole system or a home folder',
      args.some((arg, i) => arg === '-delete' || (/^-(?:exec|ok)/.test(arg) && isDeleter(args[i + 1]))) &&
        args.some((path) => !path.startsWith('-') && (isSystem(path, where) || isHome(path, where))),
    ),
  mv: (args, where) =>
    says(
      'moves the whole system or a home folder away',
      operands(args)
        .slice(0, -1)
        .some((path) => isSystem(path, where) || isHome(path, where)),
    ),
  chmod: PERMISSIONS,
  chown: PERMISSIONS,
  chgrp: PERMISSIONS,
  dd: (args) =>
    says(
      'overwrites a disk',
      args.some((arg) => arg.startsWith('of=') && isDevice(arg.slice(3))),
    ),
  cp: (args) => says('overwrites a disk', isDevice(operands(args).at(-1) ?? '')),
  tee: OVERWRITE,
  shred: OVERWRITE,
  wipefs: OVERWRITE,
  blkdiscard: OVERWRITE,
  sgdisk: OVERWRITE,
  mke2fs: MAKE_FILESYSTEM,
  newfs: MAKE_FILESYSTEM,
  shutdown: SHUTDOWN,
  reboot: SHUTDOWN,
  halt: SHUTDOWN,
  poweroff: SHUTDOWN,
  init: (args) => says('shuts the machine down', /^[06]$/.test(args[0] ?? '')),
  telinit: (args) => says('shuts the machine down', /^[06]$/.test(args[0] ?? '')),
  systemctl: (args) =>
    says(
      'shuts the machine down',
      args.some((arg) => /^(?:poweroff|reboot|halt|kexec)$/.test(arg)),
    ),
  // The first word may be a signal; after it, -1 is every process.
  kill: (args) => says('ends every process', args.indexOf('-1', 1) !== -1),
  format: (args) => says('overwrites a whole disk', args.some(isDrive)),
  rd: WINDOWS_DELETE,
  rmdir: WINDOWS_DELETE,
  del: WINDOWS_DELETE,
  erase: WINDOWS_DELETE,
};

/** They run what stands after them: the letters of their options that take a value, and the words before the program. */
const WRAPPERS: Readonly<Record<string, readonly [values: string, skipped: number]>> = {
  sudo: ['ugpChDRTtrU', 0],
  doas: ['uC', 0],
  env: ['uC', 0],
  nice: ['n', 0],
  ionice: ['cnp', 0],
  time: ['fo', 0],
  timeout: ['ks', 1],
  stdbuf: ['ioe', 0],
  xargs: ['IinPLdaEs', 0],
  chroot: ['', 1],
  flock: ['wE', 1],
  watch: ['n', 0],
  strace: ['oeps', 0],
  exec: ['a', 0],
  function: ['', 1],
};
const PLAIN_WRAPPERS = new Set(
  'nohup setsid coproc command builtin busybox toybox caffeinate unbuffer if then else elif do while until ! { }'.split(
    ' ',
  ),
);

/** They take a command line as one of their words. */
const SHELLS = new Set(
  'sh bash zsh dash ksh ash fish busybox su script eval trap cmd powershell pwsh env watch'.split(' '),
);

const MOST_NESTED = 16;
const MOST_PLACES = 256;

/** Why a program may never be started, or null. */
export function refusedProgram(program: Program, cwd: string | null): string | null {
  const found =
    'argv' in program
      ? judgeCommand({ words: program.argv, redirects: [], input: null, piped: false }, { cwd }, 0)
      : judgeLine('shell' in program ? program.shell : program.script, { cwd }, 0);
  return found === null ? null : `it ${found}, which is never done`;
}

/** Arguments by which tools are handed commands. */
const COMMAND_KEYS = ['command', 'cmd', 'commands', 'command_line', 'commandline', 'argv', 'script', 'shell'];

/** Why a tool call may never run, whoever wrote the tool, or null. */
export function refusedCall(args: JsonObject, cwd: string | null): string | null {
  for (const [key, value] of Object.entries(args)) {
    if (!COMMAND_KEYS.includes(key.toLowerCase())) continue;
    const why = commandsIn(value).map((program) => refusedProgram(program, cwd));
    const found = why.find((each) => each !== null);
    if (found !== undefined) return found;
  }
  return null;
}

function commandsIn(value: Json): Program[] {
  if (typeof value === 'string') return [{ shell: value }];
  if (!Array.isArray(value)) return [];
  const words = value.filter((word): word is string => typeof word === 'string');
  return [{ argv: words }, ...words.filter((word) => /\s/.test(word)).map((shell) => ({ shell }))];
}

/** The host as tools are lent it. */
export function flooredHost(host: Host): Host {
  return {
    now: () => host.now(),
    elapsed: () => host.elapsed(),
    uuid: () => host.uuid(),
    env: (name) => host.env(name),
    variables: () => host.variables(),
    http: (request, signal) => host.http(request, signal),
    appendFile: (request) => host.appendFile(request),
    run: (request, signal) => {
      const message = refusedProgram(request.program, request.cwd);
      if (message === null) return host.run(request, signal);
      return Promise.resolve({ ...NEVER_RAN, startError: { code: 'FLOOR', message } });
    },
  };
}

const NEVER_RAN = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  truncated: [],
  invalidUtf8: [],
  flooded: false,
  timedOut: false,
  aborted: false,
  leftBehind: 0,
  ms: 0,
};

function judgeLine(text: string, where: Where, depth: number): string | null {
  if (depth > MOST_NESTED) return 'nests commands too deeply to be read';
  if (FORK_BOMB.test(text)) return 'starts processes without end';
  const { commands, nested } = readShell(text);
  let { cwd } = where;
  let before: ShellCommand | null = null;
  for (const command of commands) {
    const found =
      judgeCommand(command, { cwd }, depth) ?? judgeInput(command, command.piped ? before : null, depth);
    if (found !== null) return found;
    const [name, folder = '~'] = command.words;
    if (name === 'cd' || name === 'pushd') cwd = below(cwd, folder);
    before = command;
  }
  for (const line of nested) {
    const found = judgeLine(line, where, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function judgeCommand({ words, redirects }: ShellCommand, where: Where, depth: number): string | null {
  if (redirects.some(({ op, target }) => op.includes('>') && isDevice(target))) return 'overwrites a disk';
  for (const place of programsIn(words)) {
    const name = nameOf(words[place]!);
    const args = words.slice(place + 1);
    const found = judgeOf(name)?.(args, where) ?? (SHELLS.has(name) ? judgeShell(args, where, depth) : null);
    if (found !== null) return found;
  }
  return null;
}

/** Where the names of programs stand: the first word, and what follows one that only starts another. */
function programsIn(words: readonly string[]): number[] {
  const places: number[] = [];
  let place = 0;
  while (place < words.length && places.length < MOST_PLACES) {
    const name = nameOf(words[place]!);
    if (/^\w+=/.test(words[place]!)) {
      place++;
      continue;
    }
    places.push(place++);
    const [values, skipped] = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : ['', 0];
    if (!Object.hasOwn(WRAPPERS, name) && !PLAIN_WRAPPERS.has(name)) break;
    for (; words[place]?.startsWith('-'); place++) {
      const option = words[place]!;
      // Whether a long option takes the next word cannot be told: that word may be the program, or the one after it.
      if (/^--[^=]+$/.test(option)) places.push(place + 2);
      else if (option.length === 2 && values.includes(option[1]!)) place++;
    }
    place += skipped;
  }
  return places.filter((each) => each < words.length);
}

function judgeOf(name: string): Judge | undefined {
  if (/^mkfs(\.|$)/.test(name)) return MAKE_FILESYSTEM;
  return Object.hasOwn(JUDGES, name) ? JUDGES[name] : undefined;
}

/** `sh -c "…"`: its words are command lines, one by one and all together. */
function judgeShell(args: readonly string[], where: Where, depth: number): string | null {
  const first = args.findIndex((arg) => !/^(?:-|\/c$)/i.test(arg));
  if (first === -1) return null;
  const rest = args.slice(first);
  for (const line of [...rest.filter((each) => /[\s;&|()]/.test(each)), rest.join(' ')]) {
    const found = judgeLine(line, where, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** What a shell is given to read is a command line as well, and what `xargs` reads are words of its command. */
function judgeInput(
  { words, input }: ShellCommand,
  before: ShellCommand | null,
  depth: number,
): string | null {
  const prints = /^(?:echo|printf)$/.test(nameOf(before?.words[0] ?? ''));
  const printed = prints ? (before?.words.slice(1) ?? []) : [];
  const names = words.map(nameOf);
  const lines: string[] = [];
  if (names.some((name) => SHELLS.has(name))) lines.push(input ?? '', printed.join(' '));
  if (names.includes('xargs') && prints) lines.push([...words, ...printed].join(' '));
  const found = lines.map((line) => judgeLine(line, { cwd: null }, depth + 1));
  return found.find((each) => each !== null) ?? null;
}

function nameOf(word: string): string {
  return word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

function has(args: readonly string[], letters: string, long: string): boolean {
  return args.some(
    (arg) => arg === long || (/^-[a-zA-Z]+$/.test(arg) && [...letters].some((each) => arg.includes(each))),
  );
}

function operands(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const before = (end === -1 ? args : args.slice(0, end)).filter((arg) => !arg.startsWith('-'));
  return end === -1 ? before : [...before, ...args.slice(end + 1)];
}

function isDeleter(word: string | undefined): boolean {
  return /^(?:rm|unlink|shred)$/.test(nameOf(word ?? ''));
}

function isDevice(path: string): boolean {
  return DEVICE.test(path);
}

function isDrive(path: string): boolean {
  return DRIVE.test(path);
}

function isSystem(path: string, { cwd }: Where): boolean {
  return braces(path).some((each) => {
    if (isDrive(each)) return true;
    const place = folderOf(cwd, each);
    if (place === null || place.startsWith('~')) return false;
    if (place === '') return true;
    const glob = /[*?[]/.test(place) ? compileGlob(place) : (name: string) => name === place;
    return SYSTEM_FOLDERS.some(glob);
  });
}

function isHome(path: string, { cwd }: Where): boolean {
  return braces(path).some((each) => {
    const place = folderOf(cwd, each);
    return place !== null && (/^~[^/]*$/.test(place) || HOME.test(place));
  });
}

/** The folder a path stands for, `` for the root. `x/*` is all that is in x, and that is what x is. */
function folderOf(cwd: string | null, path: string): string | null {
  const whole = below(cwd, path);
  if (whole === null) return null;
  let folder = posix.normalize(whole);
  // Above the home folder are those of everybody.
  if (whole.startsWith('~') && !folder.startsWith('~')) return '/home';
  while (/\/[*?.![\]{},]*$/.test(folder)) folder = folder.replace(/\/[*?.![\]{},]*$/, '');
  return folder;
}

function below(cwd: string | null, path: string): string | null {
  if (path.startsWith('/') || path.startsWith('~')) return path;
  return cwd === null ? null : `${cwd}/${path}`;
}

/** `{a,b}` is two words; a word with more of them than anybody means is left alone. */
function braces(word: string, depth = 0): string[] {
  const found = depth > 2 ? null : /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(word);
  if (found === null) return [word];
  const [, head = '', list = '', tail = ''] = found;
  return list
    .split(',')
    .slice(0, 16)
    .flatMap((each) => braces(head + each + tail, depth + 1));
}
