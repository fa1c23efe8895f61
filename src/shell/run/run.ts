/**
 * One reading in progress: what was found so far, what it may still cost, and the surroundings in which a command stands.
 */
import { MOST_COMMANDS, MOST_LEVELS, MOST_STEPS, STEPS_PER_NODE } from '../bounds.ts';
import { type CommandInit, ShellCommand } from '../command.ts';
import type { Dialect } from '../dialect.ts';
import { type Alt, type Ranges, UNTAINTED } from '../known/values.ts';
import type { Mounts } from '../mounts.ts';
import type { ErrorKind } from '../reading.ts';
import type { Shared } from '../syntax/cursor.ts';
import type { Node } from '../syntax/tree.ts';
import { type Written, WrittenFiles } from './files.ts';
import type { State } from './state.ts';

/** What a command finds on its input. */
export interface Input {
  readonly kind: 'inherited' | 'pipe' | 'file' | 'text';
  /** What it may say, or null if nobody knows. */
  readonly alts: readonly Alt[] | null;
  readonly path: string | null;
  readonly from: Ranges;
  /** Other commands read from it too, so that nobody knows who gets what. */
  readonly shared: boolean;
}

export const INHERITED: Input = { kind: 'inherited', alts: null, path: null, from: UNTAINTED, shared: false };

/** The surroundings of a command; a deeper one is a copy with changes. */
export interface Frame {
  readonly dialect: Dialect;
  readonly via: readonly string[];
  readonly elevated: boolean;
  readonly remote: boolean;
  readonly mounts: Mounts;
  readonly background: boolean;
  /** In a pipeline, the first of the commands that run beside one another; -1 outside of one. */
  readonly parallel: number;
  readonly input: Input;
  /** Somebody wants to know what is printed. */
  readonly capture: boolean;
  /** May run more than once. */
  readonly repeats: boolean;
  /** In a loop without an end. */
  readonly endless: boolean;
  readonly level: number;
  /** Functions being called, with what they were called with. */
  readonly calls: readonly { readonly name: string; readonly args: string; readonly version: number }[];
  /** Where `break` and `return` lead out of. */
  readonly loop: State | null;
  readonly call: State | null;
  /** The text, or one around it, has more than one line. */
  readonly lines: boolean;
  /** What `local` hid, to be put back. */
  readonly locals: Map<string, import('./state.ts').Variable | undefined> | null;
  /** For text inside of text: the command it stands in. */
  readonly place: { readonly start: number; readonly end: number } | null;
}

/** What is printed. */
export interface Printed {
  /** Null if nothing is known of it. */
  readonly text: string | null;
  /** False if it may be something else, or nothing. */
  readonly sure: boolean;
}

/** What a command printed, and whether it worked: 0, 1, or -1 for nobody knows. */
export interface Result extends Printed {
  readonly status: -1 | 0 | 1;
}

export const UNKNOWN: Result = { text: null, sure: false, status: -1 };
/** Prints nothing, or is skipped: it ends a loop, a function or the shell. */
export const EXITS: Result = { text: '', sure: false, status: -1 };
export const SILENT: Result = { text: '', sure: true, status: -1 };
export const WORKED: Result = { text: '', sure: true, status: 0 };
export const FAILED: Result = { text: '', sure: true, status: 1 };

/** One after the other. What is not known in between is an unknown piece. */
export function concatPrinted(a: Printed, b: Printed): Printed {
  if (a.text === '' && a.sure) return b;
  if (b.text === '' && b.sure) return a;
  if (a.text === null && b.text === null) return a;
  return { text: (a.text ?? '$()\n') + (b.text ?? '$()\n'), sure: a.sure && b.sure };
}

/** The same, if it is printed at all. */
export function maybePrinted(printed: Printed): Printed {
  return printed.text === '' || !printed.sure ? printed : { ...printed, sure: false };
}

/** Code that runs at a time nobody knows: `trap`. */
export interface Deferred {
  readonly text: string;
  /** Only when everything else has run. */
  readonly atExit: boolean;
  readonly frame: Frame;
  /** See `State.ever`; what comes after it is in there too. */
  readonly ever: State['ever'];
  readonly offset: number;
}

/** In one text. */
const MOST_PLACES = 32;

export class Run {
  readonly shared: Shared;
  readonly home: string | null;
  readonly commands: ShellCommand[] = [];
  private ownFiles: WrittenFiles | null = null;
  /** Every body a function ever had, for code that runs later. Made, like the others, when it is needed: few texts do. */
  definitions: Map<string, Set<Node>> | null = null;
  aliases: Map<string, string> | null = null;
  deferred: Deferred[] | null = null;
  /** Something was met that dash and bash do differently. */
  differs = false;
  /** `set -e`, `trap` and their like: what is printed is no longer sure. */
  unsteady = false;
  /** Something runs in the background: when files are written is not sure. */
  parallel = false;
  /** Goes up whenever a variable, function or folder changes. */
  version = 0;
  private steps = 0;
  private places = 0;
  private second = false;
  /** When files were last looked at in a pipeline. */
  private readBeside: Map<string, number> | null = null;
  private seen: Map<string, ShellCommand> | null = null;

  constructor(shared: Shared, home: string | null) {
    this.shared = shared;
    this.home = home;
  }

  get wroteFiles(): boolean {
    return this.ownFiles !== null;
  }

  get files(): WrittenFiles {
    this.ownFiles ??= new WrittenFiles();
    return this.ownFiles;
  }

  error(kind: ErrorKind, message: string, offset: number): void {
    this.shared.error(kind, message, offset);
  }

  /** False, with an error, if there is too much to look at. */
  step(offset: number): boolean {
    if (++this.steps <= MOST_STEPS + STEPS_PER_NODE * this.shared.nodes) return true;
    this.error('limit', 'loops and calls that are too much to follow', offset);
    return false;
  }

  /** Whether one more word may be tried as the program of a wrapper. */
  mayTry(): boolean {
    return ++this.places <= MOST_PLACES;
  }

  /** False, with an error, if texts are nested too deep. */
  mayDescend(frame: Frame, offset: number): boolean {
    if (frame.level < MOST_LEVELS) return true;
    this.error('limit', `commands inside of commands more than ${MOST_LEVELS} deep`, offset);
    return false;
  }

  emit(init: CommandInit, repeats: boolean): ShellCommand {
    if (repeats || this.second) {
      // The second look at the body of a loop finds mostly what the first one found.
      this.seen ??= new Map();
      const key = keyOf(init);
      const before = this.seen.get(key);
      if (before !== undefined) return before;
      const command = this.add(init);
      this.seen.set(key, command);
      return command;
    }
    return this.add(init);
  }

  /** Walks the same text again, in another shell: what was found before is not named twice. */
  repeated(from: number, to: number, walk: () => void): void {
    this.seen ??= new Map();
    for (let i = from; i < to; i++) this.seen.set(keyOf(this.commands[i]!), this.commands[i]!);
    const before = this.second;
    this.second = true;
    walk();
    this.second = before;
  }

  /** Whether the second walk found a program, or its words, that the first did not. */
  differ(from: number, to: number): boolean {
    const names = new Set<string>();
    for (let i = from; i < to; i++) names.add(wordsOf(this.commands[i]!));
    for (let i = to; i < this.commands.length; i++) {
      const command = this.commands[i]!;
      if (command.program !== '' && !names.has(wordsOf(command))) return true;
    }
    return false;
  }

  /** What a file may hold that this text writes; undefined if it does not write it. */
  written(path: string, frame: Frame): Written | undefined {
    const written = this.files.read(path, this.commands);
    if (frame.parallel !== -1) {
      this.readBeside ??= new Map();
      this.readBeside.set(path, this.commands.length);
    }
    const beside = frame.parallel !== -1 && written !== undefined && written.at > frame.parallel;
    if (written === undefined || (!this.parallel && !beside)) return written;
    return { ...written, alts: written.alts.map((alt) => ({ ...alt, known: false })) };
  }

  /** Writes a file. */
  write(path: string, printed: Printed, append: boolean, from: Ranges, frame: Frame): void {
    this.files.write(path, printed, append, from, this.commands.length);
    const read = this.readBeside?.get(path);
    if (frame.parallel !== -1 && read !== undefined && read >= frame.parallel) {
      this.error('code', 'a file is written while it is read', frame.place?.start ?? 0);
    }
  }

  private add(init: CommandInit): ShellCommand {
    const command = new ShellCommand(init, this.commands);
    if (this.commands.length < MOST_COMMANDS) this.commands.push(command);
    else this.error('limit', `more than ${MOST_COMMANDS} commands`, init.start);
    return command;
  }
}

function wordsOf({ words, via }: ShellCommand): string {
  return JSON.stringify([via, words.map((word) => `${word.known ? '' : '?'}${word.text}`)]);
}

function keyOf(init: Omit<CommandInit, 'input' | 'from'>): string {
  const words = init.words.map((word) => `${word.known ? '' : '?'}${word.text}`);
  const targets = init.redirects.map((each) => `${each.op}${each.target}`);
  const assigns = init.assigns.map((each) => `${each.name}=${each.value}`);
  return JSON.stringify([init.start, init.via, init.mounts, init.cwd, words, targets, assigns]);
}
