/**
 * The floor: operations that no configuration of an agent can mean. They are refused whatever hooks, permissions and
 * people say, also where there are none. This file is the whole list, and nothing switches it off.
 *
 * It is a net under accidents, not a sandbox: a program that deletes by itself is not seen here.
 */

import { isDisk, type JsonObject, matchPath, normalForm } from '../base/index.ts';
import { commandReadings, hasPipedInput, narrows } from '../engine/index.ts';
import { type Host, NEVER_RAN, type Program, type Sandbox } from '../machine/index.ts';
import { type Command, type CommandReading, readCached } from '../shell/index.ts';

/** Folders without which the machine, or everybody's work on it, is gone. */
const SYSTEM_FOLDERS = [
  '/bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var',
  '/usr/bin /usr/lib /usr/sbin /var/lib /Applications /Library /System /Users /Volumes',
].flatMap((line) => line.split(' '));

const SYSTEM: ReadonlySet<string> = new Set(SYSTEM_FOLDERS);

const HOME = /^\/(?:home|Users)\/[^/]+$/;
const DRIVE = /^[a-z]:[\\/]*(?:(?:windows|users|program files[^\\/]*)[\\/]*)?\*?$/i;
/** Memory and the machine itself, as files. */
const MACHINE = /^\/dev\/(?:k?mem|port)$|^\/proc\/sysrq-trigger$/;

/** Judges one program. */
type Judge = (command: Command) => string | null;

const reasonIf = (what: string, holds: boolean): string | null => (holds ? what : null);

const DELETES_SYSTEM = 'deletes the whole system or a home folder';
const DOWN = 'shuts the machine down';
const DISK = 'overwrites a disk';

const SHUTDOWN: Judge = (command) =>
  reasonIf(DOWN, !command.has('-c', '-k', '--help', '--version', '--show'));
const LEVEL: Judge = ({ args }) => reasonIf(DOWN, /^[06]$/.test(args[0] ?? ''));
const MAKE_FILESYSTEM: Judge = ({ words, args }) =>
  reasonIf('overwrites a whole disk', args.some(isDisk) || words.some((word) => !word.known));
const PARTITION: Judge = (command) =>
  reasonIf(
    DISK,
    command.args.some(isDisk) &&
      !command.has('-l', '--list', '-p', '--print', '-i', '--info', '-d', '--dump'),
  );
const SHRED: Judge = ({ args }) => reasonIf(DISK, args.some(isDisk));
const PERMISSIONS: Judge = (command) =>
  reasonIf(
    'changes the owner or rights of the whole system',
    command.has('-R', '--recursive') && command.writes.some(isSystem),
  );
const WINDOWS_DELETE: Judge = ({ args }) =>
  reasonIf('deletes a whole drive', args.some((arg) => /^\/s$/i.test(arg)) && args.some(isDrive));
const REMOVE: Judge = (command) =>
  reasonIf(
    DELETES_SYSTEM,
    command.has('--no-preserve-root') ||
      isFedEverything(command) ||
      (isRecursive(command) && (command.deletes.some(isSystemOrHome) || command.args.some(isDrive))),
  );

const JUDGES: Readonly<Record<string, Judge>> = {
  rm: REMOVE,
  srm: REMOVE,
  'remove-item': (command) =>
    reasonIf(
      DELETES_SYSTEM,
      command.args.some((arg) => /^-recurse$/i.test(arg)) &&
        command.args.some((arg) => isDrive(arg) || isSystemOrHome(arg)),
    ),
  unlink: (command) => reasonIf(DELETES_SYSTEM, isFedEverything(command)),
  shred: (command) => SHRED(command) ?? reasonIf(DELETES_SYSTEM, isFedEverything(command)),
  find: (command) => reasonIf(DELETES_SYSTEM, command.has('-delete') && searchesEverything(command)),
  mv: ({ deletes }) => reasonIf('moves the whole system or a home folder away', deletes.some(isSystemOrHome)),
  rsync: (command) =>
    reasonIf(
      DELETES_SYSTEM,
      command.flags.some((flag) => flag.startsWith('--del')) && command.writes.some(isSystemOrHome),
    ),
  chmod: PERMISSIONS,
  chown: PERMISSIONS,
  chgrp: PERMISSIONS,
  wipefs: (command) =>
    reasonIf(
      DISK,
      command.has('-a', '--all', '-o', '--offset', '-f', '--force') && command.args.some(isDisk),
    ),
  blkdiscard: SHRED,
  sgdisk: PARTITION,
  sfdisk: PARTITION,
  fdisk: PARTITION,
  parted: ({ args }) =>
    reasonIf(DISK, args.some(isDisk) && !args.some((arg) => /^(?:-l|--list|print)$/.test(arg))),
  mke2fs: MAKE_FILESYSTEM,
  newfs: MAKE_FILESYSTEM,
  shutdown: SHUTDOWN,
  reboot: SHUTDOWN,
  halt: SHUTDOWN,
  poweroff: SHUTDOWN,
  init: LEVEL,
  telinit: LEVEL,
  systemctl: (command) => reasonIf(DOWN, /^(?:poweroff|reboot|halt|kexec)$/.test(command.sub(0))),
  // The first word may be a signal; after it, -1 is every process.
  kill: ({ args }) => reasonIf('ends every process', args.indexOf('-1', 1) !== -1 && args[0] !== '-0'),
  format: ({ args }) => reasonIf('overwrites a whole disk', args.some(isDrive)),
  rd: WINDOWS_DELETE,
  rmdir: WINDOWS_DELETE,
  del: WINDOWS_DELETE,
  erase: WINDOWS_DELETE,
};

/** They list what they would do, or what is there. */
const SAFE_WITH: ReadonlySet<string> = new Set(['wipefs', 'sgdisk', 'sfdisk', 'fdisk', 'parted']);
/** What is deleted in them is not this machine. */
const ELSEWHERE: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl', 'kubectl', 'docker-compose']);

/** Why a program may never be started, or null. */
export function refusedProgram(program: Program, cwd: string | null): string | null {
  const given = 'argv' in program ? program.argv : 'shell' in program ? program.shell : [program.script];
  return refusal(readCached(given, placed(cwd)), given);
}

/** Why a tool call may never run, no matter who wrote the tool, or null. */
export function refusedCall(args: JsonObject, cwd: string | null): string | null {
  for (const { given, reading } of commandReadings(args, placed(cwd))) {
    const found = refusal(reading, given);
    if (found !== null) return found;
  }
  return null;
}

function placed(cwd: string | null) {
  return cwd === null ? {} : { cwd };
}

function refusal(reading: CommandReading, given: string | readonly string[]): string | null {
  const found = judge(reading) ?? unread(reading, typeof given === 'string' ? given : given.join(' '));
  return found === null ? null : `it ${found}, which is never done`;
}

function judge({ commands }: CommandReading): string | null {
  let loops = 0;
  for (const command of commands) {
    if (command.recursive && (command.background || command.sources.some((source) => source.recursive)))
      loops++;
    const found = judgeCommand(command);
    if (found !== null) return found;
  }
  // One that starts itself twice and waits for neither.
  return loops >= 2 ? 'starts processes without end' : null;
}

function judgeCommand(command: Command): string | null {
  if (command.via.some((program) => ELSEWHERE.has(program))) return null;
  const { program, writes } = command;
  if (!SAFE_WITH.has(program)) {
    if (writes.some((path) => isDisk(path) || MACHINE.test(path))) return DISK;
  }
  const found = judgeOf(program)?.(command) ?? null;
  if (found !== null || command.words[0]?.known !== false) return found;
  // Nobody knows which program it is; what it would do to the root is known if it is one that deletes.
  const flags = command.args.some((arg) => /^-[a-z]*r[a-z]*f|^-[a-z]*f[a-z]*r/i.test(arg));
  return reasonIf(DELETES_SYSTEM, flags && command.args.some((arg) => isSystemOrHome(normalForm(arg))));
}

function judgeOf(name: string): Judge | undefined {
  if (/^mkfs(\.|$)/.test(name)) return MAKE_FILESYSTEM;
  return Object.hasOwn(JUDGES, name) ? JUDGES[name] : undefined;
}

/**
 * A text that is not read to its end may do more than is seen. If its words are those of a disaster it does not pass, whatever
 * order a shell would give them.
 */
function unread({ errors }: CommandReading, text: string): string | null {
  if (!errors.some(({ kind }) => kind === 'syntax' || kind === 'limit' || kind === 'reader')) return null;
  const words = text.split(/[\s;&|()<>`"'{}]+/, MOST_WORDS);
  const names = new Set(words.map((word) => word.slice(word.lastIndexOf('/') + 1)));
  const system = () => words.some((word) => isSystemOrHome(normalForm(word)) && word !== '');
  const recursive = () => words.some((word) => /^-[a-z]*r|^--recursive$|^-delete$/i.test(word));
  if ((names.has('rm') || names.has('find') || names.has('shred')) && recursive() && system())
    return DELETES_SYSTEM;
  const raw = names.has('dd') || names.has('tee') || names.has('shred') || text.includes('>');
  if ((raw || [...names].some((name) => name.startsWith('mkfs'))) && words.some(isDisk)) return DISK;
  return null;
}

const MOST_WORDS = 100_000;

/**
 * The host as tools are lent it; `refuses` says what else it does not start, and why; `sandbox` is what the programs of this call
 * run in beyond what the host itself puts around them.
 */
export function flooredHost(
  host: Host,
  refuses: (program: Program, cwd: string) => string | null = () => null,
  sandbox: Sandbox | null = null,
): Host {
  return {
    now: () => host.now(),
    elapsed: () => host.elapsed(),
    uuid: () => host.uuid(),
    env: (name) => host.env(name),
    variables: () => host.variables(),
    http: (request, signal) => host.http(request, signal),
    appendFile: (request) => host.appendFile(request),
    run: (request, signal) => {
      const message = refusedProgram(request.program, request.cwd) ?? refuses(request.program, request.cwd);
      const walled = sandbox === null ? request : { ...request, sandbox };
      if (message === null) return host.run(walled, signal);
      return Promise.resolve({ ...NEVER_RAN, startError: { code: 'FLOOR', message } });
    },
  };
}

function isRecursive(command: Command): boolean {
  return command.has('-r', '-R', '--recursive');
}

/** Its arguments come from a search that starts at the root or at home: `find / | xargs rm`, `find / -exec rm {} +`. */
function isFedEverything(command: Command): boolean {
  if (!command.deletes.some(hasPipedInput)) return false;
  return command.sources.some((source) => source.program === 'find' && searchesEverything(source));
}

function searchesEverything(command: Command): boolean {
  const roots = command.has('-delete') ? command.deletes : command.reads;
  return roots.some(isSystem) || (roots.some(isHome) && !narrows(command));
}

function isDrive(path: string): boolean {
  return DRIVE.test(path);
}

function isSystemOrHome(path: string): boolean {
  return isSystem(path) || isHome(path);
}

function isSystem(path: string): boolean {
  const place = folderOf(path);
  if (place === '/' || SYSTEM.has(place)) return true;
  // No folder of the list is deeper than two.
  const near = place.startsWith('/') && place.split('/', 4).length <= 3;
  return near && /[*?[$<]/.test(place) && SYSTEM_FOLDERS.some((folder) => matchPath(place, folder));
}

function isHome(path: string): boolean {
  const place = folderOf(path);
  // Above the home folder are those of everybody.
  return /^~[^/]*(?:\/\.\.)*$/.test(place) || HOME.test(place);
}

const ANYTHING = /^[*?.![\]{},]*$/;

/** `x/*` is all that is in x, and that is what x is. */
function folderOf(path: string): string {
  const parts = normalForm(path).split('/');
  while (parts.length > 1 && parts.at(-1) !== '..' && ANYTHING.test(parts.at(-1)!)) parts.pop();
  return parts.length === 1 && parts[0] === '' ? '/' : parts.join('/');
}
