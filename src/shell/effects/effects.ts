/**
 * The effects of a reading: what its commands do, from the rows of the table, the roles of their words, their redirections,
 * their code and what reaches them through pipes. Worked out from the commands that the walk found, when it is first asked
 * for. What cannot be known is an effect of its own and never left out.
 */
import { NO_COMMAND } from '../no-command.ts';
import { wordsIn } from '../programs/notation.ts';
import { type Program, programNamed, subNamed } from '../programs/table.ts';
import type { Command, CommandReading } from '../reading.ts';
import { isExcepted, readCondition, type Situation, statedEffectsOf } from './beyond.ts';
import type { Certainty, Effect, EffectKind, EffectPath, Origin } from './effect.ts';
import { isRehearsal } from './rehearsal.ts';
import { sqlEffects } from './sql.ts';
import { verbClass, verbIn } from './verbs.ts';
import {
  inZone,
  isDisk,
  isHarmlessDevice,
  type RunLocation,
  UNKNOWN_LOCATION,
  type Zone,
  zoneOf,
} from './zones.ts';

const EFFECTS_OF = new WeakMap<
  Command,
  { readonly place: RunLocation; readonly effects: readonly Effect[] }
>();

/** Every effect of a text, command by command. */
export function effectsIn(reading: CommandReading, place: RunLocation = UNKNOWN_LOCATION): readonly Effect[] {
  const found = reading.commands.flatMap((command) => effectsOf(command, place));
  if (reading.complete || found.some(({ certainty }) => certainty === 'unknown')) return found;
  return [...found, unknownRun(reading.commands[0] ?? NO_COMMAND)];
}

/** The effects of one command. */
export function effectsOf(command: Command, place: RunLocation = UNKNOWN_LOCATION): readonly Effect[] {
  const known = EFFECTS_OF.get(command);
  if (known !== undefined && samePlace(known.place, place)) return known.effects;
  const effects = new EffectCollector(command, place).all();
  EFFECTS_OF.set(command, { place, effects });
  return effects;
}

function samePlace(one: RunLocation, other: RunLocation): boolean {
  if (one === other) return true;
  const { cwd, home, workspaces } = one;
  return cwd === other.cwd && home === other.home && workspaces.join('\0') === other.workspaces.join('\0');
}

function unknownRun(command: Command): Effect {
  return { ...NOTHING, kind: 'run', command, from: 'unknown', certainty: 'unknown' };
}

const NOTHING = {
  verb: '',
  resource: '',
  paths: [],
  hosts: [],
  objects: [],
  from: null,
  recursive: false,
  certainty: 'certain',
} as const satisfies Partial<Effect>;

const MOST_SOURCES = 64;

class EffectCollector {
  private readonly effects: Effect[] = [];
  private readonly command: Command;
  private readonly place: RunLocation;
  private readonly program: Program | undefined;
  /** Program and sub-commands, outermost first. */
  private readonly rows: readonly Program[];
  /** Operands that name the sub-command. */
  private readonly depth: number;

  constructor(command: Command, place: RunLocation) {
    this.command = command;
    this.place = place;
    this.program = command.isFunction ? undefined : programNamed(command.program);
    const rows = this.program === undefined ? [] : [this.program];
    let depth = 0;
    if (this.program !== undefined && this.program.subs.size > 0) {
      const sub = subNamed(this.program, command.operands, () => true);
      if (sub !== null) {
        rows.push(sub.program);
        depth = sub.depth;
      }
    }
    this.rows = rows;
    this.depth = depth;
  }

  all(): readonly Effect[] {
    this.paths();
    const { command } = this;
    if (command.recursive || (command.background && command.endless))
      this.add('process', { verb: 'multiply' });
    if (command.isFunction) return this.effects;
    if (command.program !== '' && !isRehearsal(command)) {
      this.runs();
      if (!this.excepted()) {
        this.stated();
        this.verbs();
      }
    }
    this.derived();
    return this.effects;
  }

  private add(kind: EffectKind, more: Partial<Effect>): void {
    this.effects.push({ ...NOTHING, kind, command: this.command, ...more });
  }

  private zoned(paths: readonly string[]): readonly EffectPath[] {
    const found = [...new Set(paths)].filter((path) => !isHarmlessDevice(path));
    return found.map((path) => ({ path, zone: this.zone(path) }));
  }

  private zone(path: string): Zone {
    const zone = zoneOf(path, this.place);
    const made = zone === 'unknown' && /^\$[({]/.test(path) && !path.includes('..');
    // What `mktemp` printed is a temporary path.
    return made && this.sources().some(({ program }) => program === 'mktemp') ? 'temporary' : zone;
  }

  /** What it does with files. */
  private paths(): void {
    const { reads, writes, deletes, modes } = this.command;
    const recursive = this.recursive();
    const row = this.rows.at(-1);
    const guessed = row === undefined || row.guessed;
    const certainty: Certainty = guessed && this.command.program !== '' ? 'possible' : 'certain';
    const one = (kind: EffectKind, paths: readonly string[], sure: Certainty) => {
      const zoned = this.zoned(paths);
      if (zoned.length > 0) this.add(kind, { paths: zoned, recursive, certainty: sure });
    };
    one('read', reads, certainty);
    one('write', modes.length === 0 ? writes : writes.filter((path) => !modes.includes(path)), 'certain');
    one('permissions', modes, 'certain');
    one('delete', deletes, 'certain');
  }

  private recursive(): boolean {
    const { command } = this;
    if (command.via.some((each) => each === 'find' || each === 'fd' || each === 'fdfind')) return true;
    for (const { row } of this.rows) {
      if (row.recursive === undefined) continue;
      if (row.recursive === 'always' || command.has(...wordsIn(row.recursive))) return true;
    }
    return false;
  }

  /** A row says that its effects do not count here. */
  private excepted(): boolean {
    const { command } = this;
    return this.rows.some(({ row }) => isExcepted(row, { command, operands: command.operands }));
  }

  /** What its row states. */
  private stated(): void {
    for (const [at, { row }] of this.rows.entries()) {
      const stated = statedEffectsOf(row);
      if (stated.length === 0) continue;
      const { operands } = this.command;
      const situation = { command: this.command, operands: at === 0 ? operands : operands.slice(this.depth) };
      for (const { kind, verb, resource, object, holds } of stated) {
        if (kind === 'privilege' ? !this.elevates() : !holds(situation)) continue;
        const before = this.effects.some(
          (each) => each.kind === kind && each.verb === verb && each.resource === resource,
        );
        if (!before) this.add(kind, { verb, resource, ...this.objects(kind, object, situation) });
      }
    }
  }

  /** `sudo -u ada` gives no rights of root; what was started says which. */
  private elevates(): boolean {
    return this.command.wrapper || this.command.runsStdin || this.command.args.length === 0;
  }

  private objects(
    kind: EffectKind,
    object: string | null,
    { operands, command }: Situation,
  ): Partial<Effect> {
    const words =
      object === null ? operands : object === 'nothing' ? [] : command.values(...object.split('|'));
    switch (kind) {
      case 'disk':
      case 'mount':
        return { paths: this.zoned(words) };
      case 'send':
        return { hosts: hostsIn(words), paths: this.zoned(this.given()) };
      case 'receive':
        return { hosts: hostsIn(words) };
      case 'listen':
        return {};
      case 'run':
        return { from: 'file', objects: words };
      case 'remote':
        return { objects: words.filter((word) => verbClass(word) === undefined) };
      default:
        return { objects: words };
    }
  }

  /** Paths whose content reaches the command: what it reads itself, and what the commands before it read. */
  private given(): readonly string[] {
    return [...this.command.reads, ...this.sources().flatMap(({ reads }) => reads)];
  }

  /** Commands whose output reaches it, through others as well. */
  private sources(): readonly Command[] {
    const found = new Set<Command>(this.command.sources);
    for (const each of found) {
      if (found.size >= MOST_SOURCES) break;
      for (const source of each.sources) found.add(source);
    }
    found.delete(this.command);
    return [...found];
  }

  /** Code that it runs, and programs about which nothing is known. */
  private runs(): void {
    const { command, program } = this;
    const word = command.words[0];
    if (word !== undefined && !word.known) {
      this.add('run', { from: this.origin('unknown'), objects: [command.path], certainty: 'unknown' });
      return;
    }
    const runsText = program?.row.language !== undefined || RUNS_TEXT.has(command.program);
    if (command.code !== null || command.runsStdin) {
      const known = command.code?.known === true;
      const own: Origin = known ? 'literal' : command.runsStdin ? 'input' : 'unknown';
      // Code that is given as a word and known was written here, whatever the input holds.
      const from = known && !command.runsStdin ? own : this.origin(own);
      this.add('run', { from, objects: [command.program], certainty: known ? 'certain' : 'unknown' });
    } else if (runsText && command.operands.length > 0) {
      const [file = ''] = [...command.values('-m'), ...command.operands];
      this.add('run', { from: this.originOfFile(command.operands), objects: [file] });
    } else if (program === undefined && command.path !== '') {
      const origin = command.path.includes('/') ? this.originOfFile([command.path]) : 'unknown';
      this.add('run', { from: origin, objects: [command.program], certainty: 'possible' });
    }
  }

  /** Of files that are run: its input, a substitution, or what commands before it wrote; else they were there. */
  private originOfFile(files: readonly string[]): Origin {
    if (files.some((file) => INPUT_FILE.test(file))) return this.origin('input');
    const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1));
    const written = this.sources().some(({ writes }) =>
      writes.some((path) => names.includes(path.slice(path.lastIndexOf('/') + 1))),
    );
    return written || files.some((file) => file.includes('$(')) ? this.origin('file') : 'file';
  }

  /** Where a text comes from, as the commands say whose output it is. */
  private origin(own: Origin): Origin {
    let found = own;
    for (const source of this.sources()) {
      const prints = printsOf(source);
      if (prints === 'download' || (source.remote && isFromElsewhere(source))) return 'download';
      if (prints === 'decoded') found = 'decoded';
    }
    return found;
  }

  /** What its sub-command says, where no row says more. */
  private verbs(): void {
    const { program, command, rows } = this;
    const kind = rows.findLast(({ row }) => row.verbs !== undefined)?.row.verbs;
    if (program !== undefined && kind === undefined) return;
    if (kind !== undefined && this.effects.some((effect) => effect.kind === kind)) return;
    const found = verbIn(command.operands);
    if (found === null || found.verb === 'read' || found.verb === 'other') return;
    if (kind === undefined && found.verb !== 'delete') return;
    this.add(kind ?? 'remote', {
      verb: found.verb,
      resource: UNLISTED,
      objects: command.operands.filter((_, at) => at !== found.at),
      certainty: kind === undefined ? 'possible' : 'certain',
    });
  }

  /** Effects that follow from where paths stand and from code. */
  private derived(): void {
    const { command } = this;
    for (const { kind, paths, certainty } of [...this.effects]) {
      const among = (...zones: string[]) => paths.filter(({ zone }) => inZone(zone, zones));
      const own = paths.filter(({ path }) => POLICY.test(path));
      if ((kind === 'write' || kind === 'delete' || kind === 'permissions') && own.length > 0)
        this.add('policy', { verb: kind, paths: own });
      if (kind === 'write') {
        const later = among('home.shell-profile').concat(paths.filter(({ path }) => RUN_LATER.test(path)));
        if (later.length > 0) this.add('persist', { paths: later });
        const disks = paths.filter(({ path }) => isDisk(path));
        if (disks.length > 0) this.add('disk', { verb: 'write', paths: disks });
      }
      if (kind === 'read' && certainty === 'certain' && this.shows()) {
        const secrets = paths.filter(
          ({ path, zone }) => zone === 'home.credentials' || SECRET_FILE.test(path),
        );
        if (secrets.length > 0) this.add('secret', { verb: 'show', paths: secrets });
      }
    }
    for (const { name, value } of command.assigns) {
      if (name.startsWith('HARNESS_')) this.add('policy', { verb: 'loosen' });
      else if (LOADS_CODE.test(name) && value !== '') this.add('run', { from: 'file', objects: [value] });
    }
    if (command.code?.language === 'sql')
      for (const { verb, tables } of sqlEffects(command.code.text))
        this.add('sql', { verb, objects: tables });
  }

  private shows(): boolean {
    return this.program?.row.prints === 'content';
  }
}

const INPUT_FILE = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;
/** The resource of what only a verb says: no row lists the sub-command. */
const UNLISTED = 'unlisted';
/** Builtins that run text they are given. */
const RUNS_TEXT: ReadonlySet<string> = new Set(['eval', 'source', '.']);
/** Variables whose value a program loads as code before its own. */
const LOADS_CODE =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|GCONV_PATH)$/;
const POLICY = /(?:^|\/)(?:\.harness(?:\/|$)|harness\.md$)/;
const RUN_LATER =
  /^\/(?:etc\/(?:cron|systemd|init|rc\.local|profile|xdg\/autostart)|var\/spool\/(?:cron|at)|Library\/Launch)|(?:^|\/)\.git\/hooks\//;
const SECRET_FILE =
  /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist|test)[\w-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|[\w.-]*credentials[\w.-]*\.json|\.netrc|\.pgpass|secrets?\.ya?ml)$|^\/etc\/(?:shadow|gshadow|sudoers)/;

const KINDS_OF = new Map<string, readonly EffectKind[]>();
const BY_VERB: readonly EffectKind[] = ['remote'];

/** The kinds of effects that the row of a program states; without a row, what its verbs may mean. */
export function statedKindsOf(name: string): readonly EffectKind[] {
  const program = programNamed(name);
  if (program === undefined) return BY_VERB;
  let kinds = KINDS_OF.get(name);
  if (kinds === undefined) {
    const rows = [program, ...program.subs.values()].map(({ row }) => row);
    const stated = rows.flatMap((row) => [
      ...statedEffectsOf(row).map(({ kind }) => kind),
      ...(row.verbs === undefined ? [] : [row.verbs]),
    ]);
    kinds = [...new Set(stated)];
    if (KINDS_OF.size < MOST_KINDS) KINDS_OF.set(name, kinds);
  }
  return kinds;
}

const MOST_KINDS = 2000;

/** What runs on another machine prints what that machine says. */
function isFromElsewhere({ via }: Command): boolean {
  return via.some((name) => programNamed(name)?.row.prints === 'download');
}

/** What a command prints, by its row: `download`, `decoded`, `content`. */
export function printsOf(command: Command): string | null {
  const program = programNamed(command.program);
  if (program === undefined) return null;
  const sub = program.subs.size === 0 ? null : subNamed(program, command.operands, () => true);
  const written = sub?.program.row.prints ?? program.row.prints;
  if (written === undefined) return null;
  const [what, given] = written.split(' if ');
  if (given === undefined) return what!;
  const depth = sub?.program.row.prints === undefined ? 0 : sub.depth;
  return readCondition(given)({ command, operands: command.operands.slice(depth) }) ? what! : null;
}

const ADDRESS =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/\s]*@)?(\[[0-9a-f:.]+\]|[\w.*${}()-]+)(?::[^/\s]*)?(?:[/?#].*)?$/i;

/** The machines that words name: addresses, `user@host:path`. */
function hostsIn(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const word of words) {
    if (word.startsWith('/') || word.startsWith('-') || word.startsWith('.')) continue;
    const host = ADDRESS.exec(word)?.[1];
    const named =
      word.includes('://') ||
      word.includes('@') ||
      word.includes(':') ||
      /\.[a-z]{2,}|^\d+(?:\.\d+){3}$/i.test(word);
    if (host !== undefined && (named || host === 'localhost' || words.length === 1))
      found.push(host.toLowerCase());
  }
  return [...new Set(found)];
}
