/**
 * One command of a reading. What is asked for seldom (operands, paths, sources) is worked out when it is first asked for.
 */
import { addCodePaths } from './code/code-paths.ts';
import { patchNames } from './code/patch.ts';
import { type Field, type Ranges, UNTAINTED } from './known/values.ts';
import { type Mounts, onHost, usesOnHost } from './mounts.ts';
import { resolvePath } from './paths.ts';
import { addRedirects, type Layout, layoutOf, type PathUses, unsureOf, usesOf } from './programs/roles.ts';
import type {
  Command,
  CommandAssign,
  CommandCode,
  CommandInput,
  CommandPatch,
  CommandRedirect,
} from './reading.ts';
import type { Input } from './run/run.ts';

/** A redirection that still knows whether it begins with a home folder. */
export interface ShownRedirect extends CommandRedirect {
  readonly tilde: boolean;
}

export interface CommandInit {
  readonly words: readonly Field[];
  readonly assigns: readonly CommandAssign[];
  readonly redirects: readonly ShownRedirect[];
  readonly input: Input;
  readonly via: readonly string[];
  readonly elevated: boolean;
  readonly remote: boolean;
  readonly mounts: Mounts;
  readonly background: boolean;
  readonly isFunction: boolean;
  readonly recursive: boolean;
  readonly endless: boolean;
  readonly cwd: string | null;
  readonly cwdCertain: boolean;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whose output it is made of, beside what its words and input say. */
  readonly from: Ranges;
}

const MOST_SOURCES = 128;

/** The name of a program without folder and `.exe`, in small letters: some file systems do not tell letters apart. */
export function programOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  // zsh looks for `=rm` where it looks for `rm`; no program of other shells is called so.
  if (name.length > 1 && name.startsWith('=')) return name.slice(1);
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}

export class ShellCommand implements Command {
  readonly program: string;
  readonly path: string;
  readonly words: readonly Field[];
  readonly assigns: readonly CommandAssign[];
  readonly redirects: readonly ShownRedirect[];
  readonly via: readonly string[];
  readonly elevated: boolean;
  readonly remote: boolean;
  readonly mounted: boolean;
  readonly background: boolean;
  readonly isFunction: boolean;
  readonly recursive: boolean;
  readonly endless: boolean;
  readonly cwd: string | null;
  readonly cwdCertain: boolean;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  wrapper = false;
  runsStdin = false;
  code: CommandCode | null = null;
  patch: CommandPatch | null = null;
  /** The word that is code. */
  codeAt = -1;
  /** Whose output it runs, found out after it was named. */
  runs: Ranges = UNTAINTED;
  readonly mounts: Mounts;
  /** As the command itself sees it. */
  private readonly folder: string | null;
  private readonly input: Input;
  private readonly from: Ranges;
  private readonly all: readonly ShellCommand[];
  private knownArgs: readonly string[] | null = null;
  private knownLayout: Layout | null = null;
  private knownUses: PathUses | null = null;
  private knownSources: readonly ShellCommand[] | null = null;

  /** `all` are the commands of the reading, which ranges point into. */
  constructor(init: CommandInit, all: readonly ShellCommand[]) {
    this.path = init.words[0]?.text ?? '';
    this.program = programOf(this.path);
    this.words = init.words;
    this.assigns = init.assigns;
    this.redirects = init.redirects;
    this.via = init.via;
    this.elevated = init.elevated;
    this.remote = init.remote;
    this.background = init.background;
    this.isFunction = init.isFunction;
    this.recursive = init.recursive;
    this.endless = init.endless;
    this.mounts = init.mounts;
    this.mounted = init.mounts.length > 0;
    this.folder = init.cwd;
    this.cwd = init.cwd === null || !this.mounted ? init.cwd : onHost(init.cwd, init.mounts)[0]!;
    this.cwdCertain = init.cwdCertain;
    this.text = init.text;
    this.start = init.start;
    this.end = init.end;
    this.input = init.input;
    this.from = init.from;
    this.all = all;
  }

  get args(): readonly string[] {
    this.knownArgs ??= this.words.slice(1).map((word) => word.text);
    return this.knownArgs;
  }

  get operands(): readonly string[] {
    return this.layout.operands.map((at) => this.words[at]!.text);
  }

  get flags(): readonly string[] {
    const flags: string[] = [];
    let last = -1;
    for (const { name, at } of this.layout.options) {
      // Letters of one word stay together, as they are written.
      if (at !== last) flags.push(name.startsWith('--') ? name : this.words[at]!.text);
      last = at;
    }
    return flags;
  }

  get reads(): readonly string[] {
    return this.uses.reads;
  }

  get writes(): readonly string[] {
    return this.uses.writes;
  }

  get deletes(): readonly string[] {
    return this.uses.deletes;
  }

  get modes(): readonly string[] {
    return this.uses.modes;
  }

  get stdin(): CommandInput {
    const { kind, alts, path } = this.input;
    const text = alts?.length === 1 && alts[0]!.known ? alts[0]!.text : null;
    return { kind, text, path };
  }

  get unsure(): readonly string[] {
    if (this.isFunction || this.program === '') return [];
    const found = unsureOf(this.words, this.layout, this.folder, this.wrapper);
    return this.mounted ? found.flatMap((path) => onHost(path, this.mounts)) : found;
  }

  get sources(): readonly ShellCommand[] {
    if (this.knownSources === null) {
      const ranges = [this.input.from, this.from, this.runs, ...this.words.map((word) => word.from)];
      this.knownSources = ranges.some(({ length }) => length > 0) ? this.within(ranges.flat()) : [];
    }
    return this.knownSources;
  }

  private within(ranges: Ranges): readonly ShellCommand[] {
    const found = new Set<ShellCommand>();
    for (const [from, to] of ranges) {
      for (let i = from; i < to; i++) {
        // Of very many, the first and the last.
        if (i - from === MOST_SOURCES) i = Math.max(i, to - MOST_SOURCES);
        found.add(this.all[i]!);
      }
    }
    found.delete(this);
    return [...found].filter((command) => command !== undefined);
  }

  get dynamic(): boolean {
    return (
      this.words.some((word) => !word.known) ||
      this.redirects.some((redirect) => !redirect.known) ||
      this.assigns.some((assign) => !assign.known) ||
      this.code?.known === false
    );
  }

  sub(n: number): string {
    const at = this.layout.operands[n];
    return at === undefined ? '' : this.words[at]!.text;
  }

  has(...flags: string[]): boolean {
    return flags.some(
      (flag) =>
        this.layout.options.some(({ name }) => name === flag) ||
        this.layout.options.some(({ at }) => this.words[at]!.text === flag),
    );
  }

  values(...names: string[]): readonly string[] {
    return this.layout.options.flatMap(({ name, value }) =>
      value !== null && names.includes(name) ? [value.text] : [],
    );
  }

  /** Which words are options and operands. */
  get layout(): Layout {
    this.knownLayout ??= layoutOf(this.program, this.words);
    return this.knownLayout;
  }

  private get uses(): PathUses {
    if (this.knownUses === null) {
      const none: PathUses = { reads: [], writes: [], deletes: [], modes: [] };
      // `script` keeps what the command prints.
      const own = (this.wrapper && this.program !== 'script') || this.isFunction || this.program === '';
      const uses = own ? none : usesOf(this.program, this.words, this.layout, this.folder, this.codeAt);
      addRedirects(uses, this.redirects, this.folder);
      if (this.code !== null) addCodePaths(uses, this.code, this.folder);
      if (this.patch !== null) addPatched(uses, this.patch);
      this.knownUses = this.mounted ? usesOnHost(uses, this.mounts) : uses;
    }
    return this.knownUses;
  }

  /** Everything, for printing and tests. */
  toJSON(): Record<string, unknown> {
    return Object.fromEntries(SHOWN_FIELDS.map((name) => [name, this[name]]));
  }
}

/** What a patch that stands on the line writes. */
function addPatched(uses: PathUses, { texts, base, below, strip, git }: CommandPatch): void {
  for (const text of texts) {
    for (const path of patchNames(text, { strip, loose: !git }).paths)
      uses.writes.push(resolvePath(base, { text: below === '' ? path : `${below}/${path}`, tilde: false }));
  }
}

const SHOWN_FIELDS = [
  'program',
  'path',
  'args',
  'operands',
  'flags',
  'reads',
  'writes',
  'deletes',
  'stdin',
  'via',
  'elevated',
  'dynamic',
  'cwd',
  'text',
] as const;
