/**
 * Simple commands: words, redirections and assignments are expanded, and the program is started in the walk.
 */
import type { ShownRedirect } from '../command.ts';
import { evaluateSubscript, mayStopLine } from '../known/arithmetic.ts';
import { expandValue, expandWords, type Scope } from '../known/expand.ts';
import { type Alt, anyOf, type Field, tooLong, UNTAINTED, unknown, type Value } from '../known/values.ts';
import { COMMAND_VARIABLES } from '../programs/variables.ts';
import type { CommandAssign } from '../reading.ts';
import type { Assign, CompoundNode, Simple } from '../syntax/tree.ts';
import { runCarriedVariable, runText } from './nested.ts';
import {
  type Expanded,
  expandRedirects,
  inputFrom,
  mayFail,
  shownRedirects,
  writeOutputs,
  writesOutput,
} from './redirects.ts';
import {
  concatPrinted,
  type Frame,
  maybePrinted,
  type Result,
  type Run,
  SILENT,
  UNKNOWN,
  WORKED,
} from './run.ts';
import { start } from './start.ts';
import { join, type State, type Variable, variable } from './state.ts';

const NO_ASSIGNS: readonly CommandAssign[] = [];
const NO_REDIRECTS: readonly ShownRedirect[] = [];

export function runSimple(run: Run, node: Simple, state: State, frame: Frame): Result {
  if (!run.step(node.start)) return UNKNOWN;
  if (run.aliases !== null) followAlias(run, node, state, frame);
  const scope = { run, state, frame };
  const lists = expandWords(scope, node.words);
  const redirects = expandRedirects(scope, node.redirects);
  const from = run.commands.length;
  let result: Result = SILENT;
  const fails = redirects.some(mayFail);
  if (lists.length === 1 && !fails) result = runWords(scope, node, lists[0]!, redirects);
  else {
    const layers = lists.map((words) => {
      const layer = state.fork();
      const each = runWords({ run, state: layer, frame }, node, words, redirects);
      result = lists.length === 1 ? each : { ...concatPrinted(result, maybePrinted(each)), status: -1 };
      return layer;
    });
    // A file that cannot be opened means that the command does not run.
    join(state, layers, !fails);
  }
  return redirects.length === 0
    ? result
    : writeOutputs(run, redirects, state, frame, result, [[from, run.commands.length]]);
}

function runWords(
  scope: Scope,
  node: Simple,
  words: readonly Field[],
  redirects: readonly Expanded[],
): Result {
  return words.length === 0 ? assignOnly(scope, node, redirects) : runProgram(scope, node, words, redirects);
}

function runProgram(
  { run, state, frame }: Scope,
  node: Simple,
  words: readonly Field[],
  redirects: readonly Expanded[],
): Result {
  let env = state;
  let assigns = NO_ASSIGNS;
  if (node.assigns.length > 0) {
    env = state.fork();
    assigns = assignAll({ run, state: env, frame }, node.assigns, true);
  }
  const capture = frame.capture || (redirects.length > 0 && writesOutput(redirects));
  const inner: Frame = capture === frame.capture ? frame : { ...frame, capture };
  const result = start(run, {
    words,
    assigns,
    redirects: redirects.length === 0 ? NO_REDIRECTS : shownRedirects(redirects),
    input: redirects.length === 0 ? frame.input : inputFrom(run, redirects, state, frame),
    state,
    env,
    frame: inner,
    shell: 'all',
    text: node.text,
    start: (frame.place ?? node).start,
    end: (frame.place ?? node).end,
    from: UNTAINTED,
    tries: 0,
  });
  if (node.declared !== null) assignAll({ run, state, frame }, node.declared, false);
  return result;
}

/** No program: the assignments stay, and files of redirections are made. */
function assignOnly({ run, state, frame }: Scope, node: Simple, redirects: readonly Expanded[]): Result {
  const assigns = assignAll({ run, state, frame }, node.assigns, false);
  if (assigns.length > 0 || redirects.length > 0) {
    emitPlain(run, node, assigns, redirects, state, frame);
  }
  // `$(<file)` prints the file.
  if (redirects.some(({ op }) => op === '<')) {
    const alts = frame.capture ? inputFrom(run, redirects, state, frame).alts : null;
    return alts?.length === 1 ? { text: alts[0]!.text, sure: false, status: -1 } : UNKNOWN;
  }
  return assigns.some((assign) => !assign.known) ? SILENT : WORKED;
}

/** Redirections of a compound command stand in an entry of their own, without a program. */
export function emitRedirects(
  run: Run,
  node: CompoundNode,
  redirects: readonly Expanded[],
  state: State,
  frame: Frame,
): void {
  emitPlain(run, node, NO_ASSIGNS, redirects, state, frame);
}

function emitPlain(
  run: Run,
  node: { readonly start: number; readonly end: number; readonly text: string },
  assigns: readonly CommandAssign[],
  redirects: readonly Expanded[],
  state: State,
  frame: Frame,
): void {
  const from = redirects.flatMap(({ targets }) => targets.flatMap((target) => target.from));
  const { start: first, end } = frame.place ?? node;
  run.emit(
    {
      words: [],
      assigns,
      redirects: shownRedirects(redirects),
      input: frame.input,
      via: frame.via,
      elevated: frame.elevated,
      remote: frame.remote,
      mounts: frame.mounts,
      background: frame.background,
      isFunction: false,
      recursive: false,
      endless: frame.endless,
      cwd: state.cwd,
      cwdCertain: state.cwdCertain,
      text: node.text,
      start: first,
      end,
      from,
    },
    frame.repeats,
  );
}

function assignAll(scope: Scope, assigns: readonly Assign[], exported: boolean): CommandAssign[] {
  return assigns.flatMap((assign) => {
    const value = assignOne(scope, assign, exported);
    return value.alts.map(({ text, known }) => ({ name: assign.name, value: text, known }));
  });
}

function assignOne(scope: Scope, assign: Assign, exported: boolean): Value {
  const { name, append, index, list } = assign;
  const before = scope.state.get(name);
  noteAssigned(scope, name, assign.value.start);
  if (index !== null) {
    evaluateSubscript(scope, index, assign.value.start);
    const value = expandValue(scope, assign.value);
    setVariable(scope, name, { ...variable(unknown(`\${${name}}`), before), exported });
    return value;
  }
  if (list !== null) return assignList(scope, name, list, append, before);
  const value = expandValue(scope, assign.value);
  const whole = append ? appended(before?.value ?? unknown(`\${${name}}`), value, name) : value;
  setVariable(scope, name, { ...variable(whole, before), exported: exported || (before?.exported ?? false) });
  runCarried(scope, name, whole, assign.value.start);
  return whole;
}

function assignList(
  scope: Scope,
  name: string,
  words: Assign['list'] & {},
  append: boolean,
  before: Variable | undefined,
): Value {
  const lists = expandWords(scope, words);
  const [only] = lists;
  const keyed = only?.some((field) => /^\[.*\]=/s.test(field.text)) ?? false;
  const held = append ? (before?.list ?? null) : [];
  const label = `\${${name}}`;
  const list = lists.length === 1 && !keyed && held !== null ? [...held, ...only!] : null;
  setVariable(scope, name, { ...variable(unknown(label), before), list });
  const text = (only ?? []).map((field) => field.text).join(' ');
  return {
    alts: [{ text, known: list?.every((field) => field.known) ?? false }],
    numeric: false,
    from: UNTAINTED,
  };
}

function appended(before: Value, value: Value, name: string): Value {
  const alts: Alt[] = before.alts.flatMap((first) =>
    value.alts.map((second) => ({ text: first.text + second.text, known: first.known && second.known })),
  );
  const label = `\${${name}}`;
  if (alts.some((alt) => tooLong(alt.text))) return unknown(label);
  return anyOf(
    [{ alts, numeric: before.numeric && value.numeric, from: [...before.from, ...value.from] }],
    label,
  );
}

/** bash does not let anybody set these. */
const FIXED: ReadonlySet<string> = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO']);
/** Setting these changes how a shell, this one or one it starts, reads its text. */
const SWITCHING = /^(?:POSIXLY_CORRECT|BASH_COMPAT|BASHOPTS|SHELLOPTS|BASH_FUNC_.*)$/s;

/** Notes what an assignment does beside setting a variable. */
export function noteAssigned(scope: Scope, name: string, at: number): void {
  const frozen = scope.state.get(name)?.frozen === true || FIXED.has(name);
  const zsh = scope.frame.dialect.name === 'zsh' && /^(?:status|pipestatus|argv|path|fpath)$/.test(name);
  if (frozen || zsh) mayStopLine(scope, at);
  if (SWITCHING.test(name)) scope.run.error('shell', `${name} changes how text is read`, at);
}

/** A variable that was made readonly may keep its value. */
export function setVariable({ run, state }: Scope, name: string, next: Variable): void {
  const before = state.get(name);
  run.version++;
  if (before?.frozen !== true) {
    state.set(name, next);
    return;
  }
  const label = `\${${name}}`;
  state.set(name, { ...next, value: anyOf([before.value, next.value], label), list: null, frozen: true });
}

/** `PS4='$(…)'`, `GIT_SSH_COMMAND=…`: somebody runs the value. */
export function runCarried(scope: Scope, name: string, value: Value, offset: number): void {
  const kind = COMMAND_VARIABLES.get(name);
  if (kind !== undefined) runCarriedVariable(scope, name, kind, value, offset);
}

/** Whether an alias holds depends on the shell and the line it was defined on, so both readings are kept. */
function followAlias(run: Run, node: Simple, state: State, frame: Frame): void {
  const [first] = node.words;
  if (first === undefined || first.quoted || first.parts !== null) return;
  const text = run.aliases?.get(first.text);
  if (text === undefined || frame.via.includes('alias')) return;
  const width = first.text.length;
  const rest = node.text.startsWith(first.text)
    ? node.text.slice(width)
    : ` ${node.words
        .slice(1)
        .map((word) => word.text)
        .join(' ')}`;
  runText(run, `${text}${rest}`, { dialect: frame.dialect, other: null, posixOnly: false }, state.fork(), {
    ...frame,
    via: [...frame.via, 'alias'],
    place: frame.place ?? node,
  });
}
