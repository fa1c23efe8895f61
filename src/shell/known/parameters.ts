/**
 * The value of `$x` and `${x…}`: what the text set before, what a fresh shell has, or not known.
 */
import type { Variable } from '../run/state.ts';
import { variable } from '../run/state.ts';
import type { ParamPart } from '../syntax/tree.ts';
import { checkValue, evaluateSubscript, mayStopLine } from './arithmetic.ts';
import { expandValue, type Scope } from './expand.ts';
import {
  type Alt,
  anyOf,
  certain,
  type Field,
  known,
  number,
  unknown,
  unknownField,
  type Value,
} from './values.ts';

export interface Parameter {
  /** Null if only the argument counts. */
  readonly value: Value | null;
  /** The words of `$@` and arrays. */
  readonly list: readonly Field[] | null;
  /** What stands behind the operator may be what is put in. */
  readonly argument: boolean;
}

/** Set by the shell itself: an assignment does not stay. */
const OWN: ReadonlySet<string> = new Set(
  `_ - 0 RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME LINENO BASHPID PPID UID EUID GROUPS HOSTNAME SHLVL HISTCMD
   FUNCNAME DIRSTACK PIPESTATUS BASH BASHOPTS SHELLOPTS BASH_VERSION BASH_VERSINFO BASH_COMMAND BASH_SUBSHELL BASH_LINENO
   BASH_SOURCE BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_ALIASES BASH_CMDS BASH_REMATCH BASH_EXECUTION_STRING OPTIND OPTARG
   REPLY MAPFILE COPROC COMP_WORDS`.split(/\s+/),
);
const NUMBERS = '#?$!';

export function parameter(scope: Scope, part: ParamPart): Parameter {
  const list = listOf(scope, part);
  if (list !== null) return list;
  const held = variableOf(scope, part);
  if (part.length) return plain(lengthOf(held.value));
  return operate(scope, part, held);
}

function plain(value: Value): Parameter {
  return { value, list: null, argument: false };
}

/** `$@`, `$*`, `${a[@]}`, without an operator that changes them. */
function listOf(scope: Scope, part: ParamPart): Parameter | null {
  const { name, index } = part;
  const all = index !== null && (index.text === '@' || index.text === '*');
  if (name !== '@' && name !== '*' && !all) return null;
  if (part.arg !== null) expandValue(scope, part.arg);
  if (part.length) return plain(number());
  const single = all && part.op === '' && !part.indirect ? scope.state.get(name) : undefined;
  // Where elements can be set, a variable without a list may be an array all the same (`x[1]=a`, `x=(a b); x=c`).
  if (single?.list === null && !scope.frame.dialect.arrays) return plain(single.value);
  const held = all ? (scope.state.get(name)?.list ?? null) : scope.state.args;
  const first = part.op === '' ? 0 : sliceFrom(part, all);
  const words =
    first !== null && !part.indirect && held !== null && !held.slice(0, first).some((field) => field.many)
      ? held.slice(first)
      : [unknownField(`\${${name}}`, true)];
  return { value: null, list: words, argument: false };
}

/** `${@:2}`, `${a[@]:1}`: how many are left out; null for anything else. */
function sliceFrom({ op, arg }: ParamPart, array: boolean): number | null {
  if (op !== ':' || arg?.parts !== null || !/^[1-9]\d{0,3}$/.test(arg.text)) return null;
  return Number(arg.text) - (array ? 0 : 1);
}

/** The variable; one that nobody set here has whatever the environment says. */
function variableOf(scope: Scope, part: ParamPart): Variable {
  const { name } = part;
  const label = `\${${name}}`;
  if (part.indirect) return indirect(scope, part, label);
  if (part.index !== null) {
    const at = evaluateSubscript(scope, part.index, part.at);
    const list = scope.state.get(name)?.list;
    const field = at === null || list?.slice(0, at).some((each) => each.many) ? undefined : list?.[at];
    const alts = field === undefined || field.many ? null : [{ text: field.text, known: field.known }];
    return variable(alts === null ? unknown(label) : { alts, numeric: false, from: field!.from });
  }
  if (NUMBERS.includes(name)) return variable(number(label));
  if (/^\d+$/.test(name) && name !== '0') return argument(scope, Number(name), label);
  if (OWN.has(name)) return variable(unknown(label));
  const found = scope.state.get(name);
  if (found?.list != null) {
    const [first] = found.list;
    return variable(first?.known && !first.many ? known(first.text) : unknown(label));
  }
  return found ?? variable(fresh(scope, name) ?? unknown(label));
}

/** What every fresh shell has. */
function fresh(scope: Scope, name: string): Value | undefined {
  if (name === 'IFS') return known(' \t\n');
  if (name === 'HOME') return known(scope.run.home ?? '~');
  if (name === 'PWD' && scope.state.cwd?.startsWith('/')) return known(scope.state.cwd);
  return undefined;
}

function argument(scope: Scope, n: number, label: string): Variable {
  const args = scope.state.args;
  if (args === null || args.slice(0, n).some((field) => field.many)) return variable(unknown(label));
  const field = args[n - 1];
  if (field === undefined) return { ...variable(known('')), set: false };
  return variable({ alts: [{ text: field.text, known: field.known }], numeric: false, from: field.from });
}

function indirect(scope: Scope, part: ParamPart, label: string): Variable {
  const name = certain(scope.state.get(part.name)?.value ?? unknown(label));
  if (name !== null && /^[A-Za-z_]\w*$/.test(name) && part.op === '' && !OWN.has(name)) {
    return scope.state.get(name) ?? variable(unknown(label));
  }
  // A subscript in the name is evaluated, and that can run commands.
  if (name === null || /[[$`]/.test(name)) {
    scope.run.error('code', 'the name of a variable is only known when it runs', part.at);
  }
  mayStopLine(scope, part.at);
  return variable(unknown(label));
}

function lengthOf(value: Value): Value {
  const text = certain(value);
  return text === null ? number() : known(String([...text].length));
}

function operate(scope: Scope, part: ParamPart, held: Variable): Parameter {
  const { op, arg } = part;
  const { value } = held;
  if (op === '' || arg === null) return plain(value);
  const kind = op.at(-1)!;
  if (op.length <= 2 && '-=+?'.includes(kind)) return fallback(scope, part, held, kind);
  const text = expandValue(scope, arg);
  const by = certain(text);
  const label = `\${${part.name}}`;
  if (op === '@' && !/^[QEAKakuUL]$/.test(by ?? '')) mayStopLine(scope, part.at);
  if (op === '@' && by?.includes('P')) {
    scope.run.error('code', 'a value is expanded as a prompt', part.at);
  }
  if (op === ':') return plain(substring(scope, part, value, text, label));
  const change = by === null || arg.glob ? undefined : CHANGES[op];
  if (change === undefined) return plain(unknown(label, value.from));
  return plain(mapped(value, (each) => change(each, by!), label));
}

function mapped(value: Value, change: (text: string) => string | null, label: string): Value {
  const alts: Alt[] = value.alts.map((alt) => {
    const text = alt.known ? change(alt.text) : null;
    return text === null ? { text: label, known: false } : { text, known: true };
  });
  return anyOf([{ ...value, alts, numeric: false }], label);
}

/** Operators whose argument is plain text. Null if the result is not followed. */
const CHANGES: Readonly<Record<string, (text: string, by: string) => string | null>> = {
  '#': (text, by) => (text.startsWith(by) ? text.slice(by.length) : text),
  '##': (text, by) => (text.startsWith(by) ? text.slice(by.length) : text),
  '%': (text, by) => (text.endsWith(by) ? text.slice(0, text.length - by.length) : text),
  '%%': (text, by) => (text.endsWith(by) ? text.slice(0, text.length - by.length) : text),
  '^^': (text, by) => (by === '' && isAscii(text) ? text.toUpperCase() : null),
  ',,': (text, by) => (by === '' && isAscii(text) ? text.toLowerCase() : null),
  '/': (text, by) => replaced(text, by, false),
  '//': (text, by) => replaced(text, by, true),
};

function isAscii(text: string): boolean {
  return /^[\x01-\x7f]*$/.test(text);
}

/** `x/y`, both plain. */
function replaced(text: string, by: string, all: boolean): string | null {
  const slash = by.indexOf('/');
  const from = slash === -1 ? by : by.slice(0, slash);
  const to = slash === -1 ? '' : by.slice(slash + 1);
  if (from === '' || /[\\&]/.test(by)) return null;
  return all ? text.split(from).join(to) : text.replace(from, () => to);
}

function substring(scope: Scope, part: ParamPart, value: Value, by: Value, label: string): Value {
  const found = /^ ?(-?\d{1,9})(?::(-?\d{1,9}))?$/.exec(certain(by) ?? '');
  if (found === null) {
    checkValue(scope, by, part.at);
    mayStopLine(scope, part.at);
    return unknown(label, value.from);
  }
  const start = Number(found[1]);
  const length = found[2] === undefined ? null : Number(found[2]);
  // Beyond the beginning it is an error.
  if (length !== null && length < 0) mayStopLine(scope, part.at);
  // A few letters of it say little of the variable.
  const shown = length !== null && length >= 0 && length <= 8 ? '$()' : label;
  return mapped(
    value,
    (text) => {
      const from = start < 0 ? text.length + start : start;
      if (from < 0) return '';
      if (length === null) return text.slice(from);
      return text.slice(from, length < 0 ? text.length + length : from + length);
    },
    shown,
  );
}

/** `:-`, `:=`, `:+`, `:?` and the same without a colon. */
function fallback(scope: Scope, part: ParamPart, held: Variable, kind: string): Parameter {
  const colon = part.op.startsWith(':');
  const isFresh = scope.state.get(part.name) === undefined;
  const has = (alt: Alt) => alt.known && held.set === true && (!colon || alt.text !== '');
  const lacks = (alt: Alt) => alt.known && held.set === false && !isFresh;
  const empty = (alt: Alt) => alt.known && colon && alt.text === '';
  const mayHave = held.value.alts.filter((alt) => !lacks(alt) && !empty(alt));
  const mayLack = held.value.alts.some((alt) => !has(alt));
  const value = mayHave.length === 0 ? null : { ...held.value, alts: mayHave };
  if (kind === '+') {
    return { value: mayLack ? known('') : null, list: null, argument: value !== null };
  }
  if (kind === '?') {
    expandValue(scope, part.arg!);
    return plain(value ?? known(''));
  }
  if (kind === '=' && mayLack) {
    const assigned = expandValue(scope, part.arg!);
    const either = anyOf(value === null ? [assigned] : [value, assigned], `\${${part.name}}`);
    scope.state.set(part.name, variable(either, held));
    scope.run.version++;
    return plain(either);
  }
  // It is walked even if it is not used: naming a command too many does no harm.
  if (!mayLack) expandValue(scope, part.arg!);
  return { value, list: null, argument: mayLack };
}
