/**
 * The table of programs: every row by every name, made ready for use when a program is first met.
 */
import { rolesByOption, type SubRow, wordsIn } from './notation.ts';
import { type Spec, specOf } from './options.ts';
import { ROWS } from './rows/index.ts';

/** How the command that a program starts stands among its operands. */
export interface Starts {
  /** `words`: the rest is a command. `joined`: the rest is text for a shell. `each`: every operand is. `none`: only options start one. */
  readonly form: 'words' | 'joined' | 'each' | 'none';
  /** Operands before it. */
  readonly skip: number;
  readonly dashes: boolean;
  readonly assigns: boolean;
  /** The operand before it, or the only one, is a user. */
  readonly named: boolean;
}

/** A row, read. */
export interface Program {
  readonly row: SubRow;
  readonly spec: Spec;
  /** Options of the rows above as well. */
  readonly wholeSpec: Spec;
  readonly allOptions: string;
  readonly roles: readonly string[];
  /** What its operands are is not said: words that look like paths may be read. */
  readonly guessed: boolean;
  readonly values: ReadonlyMap<string, string>;
  readonly quiet: readonly string[];
  readonly instead: readonly string[];
  readonly flag: readonly string[];
  readonly behind: readonly string[];
  readonly only: readonly string[];
  readonly files: readonly string[];
  readonly inPlace: readonly string[];
  readonly starts: Starts | null;
  /** It gives what it starts more rights. */
  readonly elevates: boolean;
  readonly subs: ReadonlyMap<string, Program>;
}

const BY_NAME = new Map<string, SubRow>();
const FAMILIES: { readonly prefix: string; readonly row: SubRow }[] = [];
for (const row of ROWS) {
  for (const name of wordsIn(row.names)) {
    if (name.endsWith('*')) FAMILIES.push({ prefix: name.slice(0, -1), row });
    else BY_NAME.set(name, row);
  }
}

/** Names that carry a version: `python3.11`, `perl5.36`, `lua5.4`. */
const VERSIONED = /^(python|perl|ruby|php|lua|node|bash|awk|tclsh|ksh|pip)-?\d+(?:\.\d+)*$/;
const MOST_FOUND = 2000;
const PROGRAMS_BY_NAME = new Map<string, Program | undefined>();
const READ = new Map<SubRow, Program>();

/** The row of a program, by its name without a folder. */
export function programNamed(name: string): Program | undefined {
  if (PROGRAMS_BY_NAME.has(name)) return PROGRAMS_BY_NAME.get(name);
  const plain = VERSIONED.exec(name)?.[1];
  const row =
    BY_NAME.get(name) ??
    (plain === undefined ? undefined : BY_NAME.get(plain)) ??
    FAMILIES.find(({ prefix }) => name.startsWith(prefix))?.row;
  const program = row === undefined ? undefined : readRow(row, null);
  if (PROGRAMS_BY_NAME.size < MOST_FOUND) PROGRAMS_BY_NAME.set(name, program);
  return program;
}

/** The row of a program that runs text of a language. */
export function interpreterNamed(name: string): Program | undefined {
  const program = programNamed(name);
  return program?.row.language === undefined ? undefined : program;
}

function readRow(row: SubRow, above: Program | null): Program {
  const known = above === null ? READ.get(row) : undefined;
  if (known !== undefined) return known;
  const own = row.options ?? '';
  const whole = above === null ? own : `${above.allOptions} ${own}`;
  // A sub-command about which a row says nothing has operands like the program's.
  const operands = row.operands ?? (above === null || above.guessed ? undefined : '-*');
  const roles = wordsIn(operands ?? '?*');
  const ownValues = rolesByOption(row.values);
  const inherits = row.operands === undefined && above !== null;
  const values = inherits ? new Map([...above.values, ...ownValues]) : ownValues;
  const subs = new Map<string, Program>();
  const program: Program = {
    row,
    spec: specOf(own),
    wholeSpec: specOf(whole),
    allOptions: whole,
    roles,
    guessed: roles.some((role) => role.startsWith('?')),
    values,
    quiet: wordsIn(row.quiet),
    instead: wordsIn(row.instead),
    flag: wordsIn(row.flag),
    behind: wordsIn(row.behind),
    only: wordsIn(row.only),
    files: wordsIn(row.files),
    inPlace: wordsIn(row.inPlace),
    starts: startsOf(row, roles, values),
    elevates: [row.effects ?? []].flat().some((effect) => effect.startsWith('privilege')),
    subs,
  };
  if (above === null) READ.set(row, program);
  for (const [keys, sub] of Object.entries(row.subs ?? {})) {
    const read = readRow(typeof sub === 'string' ? { effects: sub } : sub, program);
    for (const key of keys.split('|')) subs.set(key, read);
  }
  return program;
}

const FORM_OF_ROLE: Readonly<Record<string, Starts['form']>> = {
  'command+': 'words',
  'shell+': 'joined',
  'shell*': 'each',
};

function startsOf(row: SubRow, roles: readonly string[], values: ReadonlyMap<string, string>): Starts | null {
  const at = roles.findIndex((role) => FORM_OF_ROLE[role] !== undefined);
  const byOption = [...values.values()].some((role) => role === 'shell' || role === 'command+');
  if (at === -1 && (!byOption || row.language !== undefined)) return null;
  const before = at === -1 ? roles : roles.slice(0, at);
  return {
    form: at === -1 ? 'none' : FORM_OF_ROLE[roles[at]!]!,
    skip: before.filter((role) => role !== '--' && role !== 'assign*').length,
    dashes: before.includes('--'),
    assigns: before.includes('assign*'),
    named: before.includes('user'),
  };
}

export interface FoundSub {
  readonly program: Program;
  /** So many operands name it. */
  readonly depth: number;
}

const DEEPEST_SUB = 3;

/** The deepest sub-command that the first operands name. */
export function subNamed(
  { subs }: Program,
  operands: readonly string[],
  wanted: (program: Program) => boolean,
): FoundSub | null {
  if (subs.size === 0) return null;
  let key = '';
  let found: FoundSub | null = null;
  for (const [at, word] of operands.slice(0, DEEPEST_SUB).entries()) {
    const small = word.toLowerCase();
    key = at === 0 ? small : `${key} ${small}`;
    const program = subs.get(key);
    if (program !== undefined && wanted(program)) found = { program, depth: at + 1 };
  }
  return found;
}
