/**
 * The shells that can be read, and in what they differ. `sh` is whatever the machine has under that name (dash, bash, ash),
 * so a text for it is read as dash and as bash as soon as it holds something the two read differently.
 */

export interface Dialect {
  readonly name: 'dash' | 'bash' | 'zsh' | 'powershell' | 'cmd';
  /** `$'…'` and `$"…"` are strings. */
  readonly dollarQuotes: boolean;
  /** `&>` and `>&file` send both outputs to a file. */
  readonly bothRedirect: boolean;
  /** `<(…)`, `>(…)`. */
  readonly processes: boolean;
  readonly hereStrings: boolean;
  readonly braces: boolean;
  /** `x=(…)`, `x[1]=…`, `x+=…`. */
  readonly arrays: boolean;
  /** `[[ … ]]`, `((…))`, `$[…]`, `function`, `select`, `coproc`, `time` before compounds, `|&`, `;&`. */
  readonly extended: boolean;
  /** `{fd}>file`. */
  readonly namedDescriptors: boolean;
  /** `f() simple-command`. */
  readonly anyFunctionBody: boolean;
  /** `$x` outside of quotes is divided at blanks. */
  readonly splits: boolean;
  /** The last command of a pipeline runs in the shell itself. */
  readonly lastInShell: boolean;
  /** `echo` reads `\n` without being asked. */
  readonly echoEscapes: boolean;
  /** Arithmetic runs commands that stand in subscripts inside of values. */
  readonly arithmeticRuns: boolean;
}

const BASH: Dialect = {
  name: 'bash',
  dollarQuotes: true,
  bothRedirect: true,
  processes: true,
  hereStrings: true,
  braces: true,
  arrays: true,
  extended: true,
  namedDescriptors: true,
  anyFunctionBody: false,
  splits: true,
  lastInShell: false,
  echoEscapes: false,
  arithmeticRuns: true,
};

const DASH: Dialect = {
  name: 'dash',
  dollarQuotes: false,
  bothRedirect: false,
  processes: false,
  hereStrings: false,
  braces: false,
  arrays: false,
  extended: false,
  namedDescriptors: false,
  anyFunctionBody: true,
  splits: true,
  lastInShell: false,
  echoEscapes: true,
  arithmeticRuns: false,
};

const ZSH: Dialect = { ...BASH, name: 'zsh', splits: false, lastInShell: true, echoEscapes: true };

/** Words that are already those of a program: nothing in them is divided or looked up again. */
export const PLAIN: Dialect = { ...BASH, splits: false, lastInShell: true };
export const POWERSHELL: Dialect = { ...PLAIN, name: 'powershell', arrays: false };
export const CMD: Dialect = { ...PLAIN, name: 'cmd', arrays: false };

export interface ShellReading {
  readonly dialect: Dialect;
  /** The second way to read a text in which the two differ. */
  readonly other: Dialect | null;
  /** What the two ways do not cover: a text that needs more than POSIX is then not certain. */
  readonly posixOnly: boolean;
}

const EITHER: ShellReading = { dialect: BASH, other: DASH, posixOnly: false };
const KSH: ShellReading = { dialect: BASH, other: null, posixOnly: true };

const SHELLS: ReadonlyMap<string, ShellReading> = new Map([
  ['sh', EITHER],
  ['posix', EITHER],
  ['ash', EITHER],
  ['busybox', EITHER],
  ['dash', { dialect: DASH, other: null, posixOnly: false }],
  ['bash', { dialect: BASH, other: null, posixOnly: false }],
  ['rbash', { dialect: BASH, other: null, posixOnly: false }],
  ['zsh', { dialect: ZSH, other: null, posixOnly: false }],
  ['ksh', KSH],
  ['ksh93', KSH],
  ['mksh', KSH],
  ['rksh', KSH],
  ['pdksh', KSH],
  ['osh', KSH],
  ['yash', KSH],
  ['powershell', { dialect: POWERSHELL, other: null, posixOnly: false }],
  ['pwsh', { dialect: POWERSHELL, other: null, posixOnly: false }],
  ['cmd', { dialect: CMD, other: null, posixOnly: false }],
]);

/** How to read a text for this shell, or undefined if it cannot be read: fish, csh. */
export function shellReading(name: string): ShellReading | undefined {
  return SHELLS.get(name);
}
