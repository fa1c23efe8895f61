/**
 * The notation in which a program is described once: its names, its options, what operands and option values are, what it
 * starts, and what else it does. Everything that is known about a program stands in its row; see `rows/`.
 *
 * Operands are roles in order, with blanks between; `*` after a role: any number of them, `+`: all the rest together.
 * `- command+` is timeout, `read* write` is cp. Values of options are `-o|--output=write`. The roles:
 *
 * | role | the word is |
 * |---|---|
 * | `read` `write` `delete` `edit` | a path; `edit` reads and writes it |
 * | `mode` | a path whose owner or rights change |
 * | `read@` | a path behind an at sign: `curl -d @file` |
 * | `command+` | a program and its words |
 * | `shell` `shell+` | text for a shell that stands for the program itself: `su -c`, `ssh host …` |
 * | `helper` | text for a shell that the program runs beside its own work: `rsync -e` |
 * | `code` `codefile` | text, or a file of text, in the language of the row |
 * | `assign` | `NAME=value` for what is started |
 * | `mount` `root` | a folder of this machine and where the command finds it: `docker run -v`, `chroot` |
 * | `entry` | a program that stands before the command |
 * | `folder` `user` | where, and as whom, it is started |
 * | `host` | another machine, or an address on it |
 * | `--` | the words behind `--` follow; without one, those behind the operands before |
 * | `-` | nothing of interest |
 * | `?` | not known: taken for a path that may be read |
 *
 * `helper:git-config` takes the text out of the value by a pattern of that name, see `FORMS`.
 */

/** What a row says of one effect: `KIND [VERB] [of RESOURCE] [on OBJECT] [if CONDITION] [unless CONDITION]`, see effects/beyond.ts. */
export type WrittenEffect = string;

export interface SubRow {
  /** The grammar of its options, see options.ts. */
  readonly options?: string;
  readonly operands?: string;
  readonly values?: string;
  /** Options that take the place of the first operand: `grep -e`. */
  readonly instead?: string;
  /** Options may stand behind operands. */
  readonly mixed?: true;
  /** Options are written `-name`. */
  readonly single?: true;
  /** `-5` is an option. */
  readonly numbers?: true;

  /** It runs text of this language; `sh`: read as commands. */
  readonly language?: string;
  /** Options that make the first operand code: `sh -c`. */
  readonly flag?: string;
  /** The operand behind one of these words is code: `deno eval`. */
  readonly behind?: string;
  /** It runs code only with one of these sub-commands: `manage.py shell`. */
  readonly only?: string;
  /** A file of this name in the working folder is run if none is given. */
  readonly files?: string;
  /** Reads code from its input if nothing else gives any. */
  readonly stdin?: true;
  /** Unknown pieces in its code are everyday: `sed "s/x/$y/"`. */
  readonly loose?: true;

  /** An operand that carries a text inside: `ROLE:FORM`. */
  readonly marked?: string;
  /** Options with which it writes what it reads: `sed -i`. */
  readonly inPlace?: string;
  /** Options with which nothing is started. */
  readonly quiet?: string;
  /** What it starts may be a function or builtin of the shell (`all`), or a builtin. */
  readonly lookup?: 'all' | 'builtins';
  /** What it starts runs elsewhere: ssh, docker exec. */
  readonly remote?: true;
  /** Without a command it gives a shell, which reads commands from its input. */
  readonly shellAlone?: true;

  /** Options with which it takes everything below its operands as well; `always` if it does so without one. */
  readonly recursive?: string;
  /** What its output is: `download`, or `decoded if -d`. */
  readonly prints?: string;
  /** What it does beyond its operands. */
  readonly effects?: WrittenEffect | readonly WrittenEffect[];
  /** With these it, and its sub-commands, have none of these effects; a condition like those of effects. */
  readonly unless?: string;
  /** Sub-commands that are not listed are judged by the classes of verbs.ts: they change what another system holds. */
  readonly verbs?: 'remote';
  /** By the first operands, `|` between several: `apply`, `stash drop|stash clear`. A text is the effect of one that has nothing else. */
  readonly subs?: Readonly<Record<string, SubRow | WrittenEffect>>;
  /** Commands and their effects, as the page shows them and a test checks them. */
  readonly examples?: Readonly<Record<string, string>>;
}

export interface Row extends SubRow {
  /** With blanks between; `mkfs.*` is every name that begins so. */
  readonly names: string;
}

/** How a text is taken out of a word, by name: what the first group matches. */
export const FORMS: Readonly<Record<string, RegExp>> = {
  'ssh-option': /^\s*(?:proxycommand|localcommand|knownhostscommand|permitremoteopen)\s*[= ]\s*(.*)$/is,
  'git-config':
    /^(?:core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\.[^=]+|diff\.external|diff\.[^=]+\.(?:command|textconv)|merge\.[^=]+\.driver|(?:diff|merge)tool\.[^=]+\.cmd|filter\.[^=]+\.(?:clean|smudge|process)|gpg\.program|uploadpack\.packobjectshook|credential\.helper|credential\.[^=]+\.helper|alias\.[^=]+)=!?(.*)$/is,
  exec: /^exec=(.*)$/is,
  // Its own options stand behind a comma.
  socat: /^(?:exec|system|shell):((?:"[^"]*"|'[^']*'|\\.|[^,\\])*)/is,
  'apt-option': /^(?:dpkg|apt)::[^=]*(?:invoke|options?|install-pkgs)[^=]*=(.*)$/is,
  'wget-setting': /^\s*use_?askpass\s*=\s*(.*)$/is,
  pipe: /^\|\s*(.*)$/s,
  bang: /^!(.*)$/s,
  'make-variable': /^(?:SHELL|CC|CXX)=(.*)$/s,
  'plus-bang': /^\+!\s*(.*)$/s,
  plus: /^\+:?(?=\D)(.*)$/s,
};

export function wordsIn(text: string | undefined): readonly string[] {
  return text === undefined || text.trim() === '' ? [] : text.trim().split(/\s+/);
}

/** `-f|--file=read --rsh=helper` by option. */
export function rolesByOption(text: string | undefined): ReadonlyMap<string, string> {
  const roles = new Map<string, string>();
  for (const each of wordsIn(text)) {
    const equals = each.lastIndexOf('=');
    for (const name of each.slice(0, equals).split('|')) roles.set(name, each.slice(equals + 1));
  }
  return roles;
}
