/**
 * What a reading of a shell command says: the commands it runs, what could not be read, and what could not be known.
 * These types are the whole contract; nothing here runs, opens or looks anything up.
 */

/**
 * Why a reading is not complete.
 * - `syntax`: not a text this shell would take, or not one this reader can take for sure
 * - `shell`: shells read it differently, or no reader for that shell exists
 * - `limit`: larger or deeper than is followed
 * - `text`: characters that mislead: NUL, half a character, a change of direction, letters that look like others
 * - `program`: the name of a program is only known when it runs
 * - `code`: text that is run as commands is only known when it runs
 * - `reader`: the reader itself failed; never seen, and still no reason to let a command pass
 */
export type ErrorKind = 'syntax' | 'shell' | 'limit' | 'text' | 'program' | 'code' | 'reader';

export interface ReadError {
  readonly kind: ErrorKind;
  readonly message: string;
  /** In the text that was given; for text inside of text, where the outer command stands. */
  readonly offset: number;
}

export interface CommandReading {
  /**
   * Every program that could run, in the order in which they are met, with those inside of substitutions, functions,
   * `sh -c` and files written before. Where a word has several possible values there is one entry for each.
   */
  readonly commands: readonly Command[];
  readonly errors: readonly ReadError[];
  /**
   * True if every program that the text can start is named in `commands`. Never true with an error. Arguments may still be
   * unknown: that is `dynamic`. What a named program does by itself is not part of it.
   */
  readonly complete: boolean;
  /** Some word of some command is only known when it runs. */
  readonly dynamic: boolean;
}

/** One word as the program gets it. */
export interface CommandWord {
  /** An unknown piece reads `${NAME}`, `$()`, `$(())` or `<()`. */
  readonly text: string;
  readonly known: boolean;
  /** A pattern for file names, outside of quotes. */
  readonly glob: boolean;
  /** It may come out as several words or none. */
  readonly many: boolean;
}

export interface CommandAssign {
  readonly name: string;
  readonly value: string;
  readonly known: boolean;
}

export interface CommandRedirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `<&`, `>&`, `&>`, `&>>`, `<<` (a here-document), `<<<`. */
  readonly op: string;
  /** Null for the usual one. */
  readonly fd: string | null;
  /** A path, a descriptor, or the text of `<<` and `<<<`. */
  readonly target: string;
  readonly known: boolean;
}

export interface CommandInput {
  /** `inherited`: what the shell itself has. */
  readonly kind: 'inherited' | 'pipe' | 'file' | 'text';
  /** What it says, if that is known. */
  readonly text: string | null;
  readonly path: string | null;
}

/** Text that the command gives to an interpreter, as an argument or on its input. */
export interface CommandCode {
  /** `sh`, `python`, `perl`, `ruby`, `javascript`, `php`, `awk`, `sed`, `sql`, … */
  readonly language: string;
  readonly text: string;
  readonly known: boolean;
}

/** A patch that a command applies, and where its names count from. */
export interface CommandPatch {
  /** The folder it is applied in, like `cwd`; null if nobody knows. */
  readonly base: string | null;
  /** A folder below that which goes before every name. */
  readonly below: string;
  /** Applied by git, which may count from the top of its work tree. */
  readonly git: boolean;
  /** How many folders of a name are left out, if that is said. */
  readonly strip: number | null;
  /** As far as the line itself says it. */
  readonly texts: readonly string[];
  /** Files with it that the line does not write; they may be patterns. */
  readonly files: readonly string[];
  /** False: something of it is only known when it runs. */
  readonly seen: boolean;
}

export interface Command {
  /** The name without folder and `.exe`, in small letters. Empty for assignments and redirections alone. */
  readonly program: string;
  /** The program as written, without quotes. */
  readonly path: string;
  readonly args: readonly string[];
  /** Program and arguments, with what is known of each. */
  readonly words: readonly CommandWord[];
  /** Arguments that are neither options nor their values. */
  readonly operands: readonly string[];
  /** Options as written; shortened long ones in full. */
  readonly flags: readonly string[];
  /** Variables set for this command, by the shell or by `env`. */
  readonly assigns: readonly CommandAssign[];
  /** Paths it may read, seen from `cwd`. For a program nobody has a row for, each operand. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  /** Paths whose owner or rights it changes; `writes` has them too. */
  readonly modes: readonly string[];
  /** Words that may be paths, and of which no row says that they are only read: the program may write there. */
  readonly unsure: readonly string[];
  readonly redirects: readonly CommandRedirect[];
  readonly stdin: CommandInput;
  /** It runs what it reads from its input. */
  readonly runsStdin: boolean;
  /** Commands whose output it reads, is given as arguments, or runs. */
  readonly sources: readonly Command[];
  /** What it was started through, outermost first: `sudo`, `sh`, `find`, `xargs`, `eval`, `f()` for a function. */
  readonly via: readonly string[];
  /** It only starts the commands that name it in `via`. */
  readonly wrapper: boolean;
  /** It calls a function of the text, not a program. */
  readonly isFunction: boolean;
  /** A function that calls itself; not followed further. */
  readonly recursive: boolean;
  /** It stands in a loop that has no end, or one too far away. */
  readonly endless: boolean;
  readonly elevated: boolean;
  /** It runs elsewhere: `ssh`, `docker exec`. */
  readonly remote: boolean;
  /** Folders of this machine are mounted where it runs; its paths are said as they stand here. */
  readonly mounted: boolean;
  readonly background: boolean;
  /** A word, redirection or piece of code is only known when it runs. */
  readonly dynamic: boolean;
  readonly code: CommandCode | null;
  readonly patch: CommandPatch | null;
  /** The folder it runs in, relative to where the text starts if that was not given; null if nobody knows. */
  readonly cwd: string | null;
  /** False if a `cd` before it may have failed or may not have run. */
  readonly cwdCertain: boolean;
  /** Its slice of the text it stands in. */
  readonly text: string;
  /** In the text that was given; for text inside of text, that of the outer command. */
  readonly start: number;
  readonly end: number;
  /** The nth operand, behind global options: `sub(0)` of `git -C x push` is `push`. Empty if there is none. */
  sub(n: number): string;
  /** Whether one of the options is given: `-r` also in `-fr`, `--output` also as `--output=x`. */
  has(...flags: string[]): boolean;
  /** The values that these options are given. */
  values(...names: string[]): readonly string[];
}

export interface ReadOptions {
  /** Which shell runs it. Not given, or `sh`: any of dash, bash and ash. */
  readonly shell?: string | undefined;
  /** Where it starts. */
  readonly cwd?: string | undefined;
  /** The home folder; `~` if not given. */
  readonly home?: string | undefined;
}
