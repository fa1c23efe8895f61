/**
 * Text inside of text: what `sh -c`, `eval`, files, traps and variables hand to a shell is read and walked like the first.
 */

import { readCmd } from '../cmd/read.ts';
import { type Dialect, type ShellReading, shellReading } from '../dialect.ts';
import { expandValue, type Scope } from '../known/expand.ts';
import type { Alt, Value } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { readStatements } from '../powershell/statements.ts';
import { Cursor } from '../syntax/cursor.ts';
import { readBody } from '../syntax/here-documents.ts';
import { readAll } from '../syntax/substitutions.ts';
import type { Node } from '../syntax/tree.ts';
import { noteText } from '../text.ts';
import { type Frame, type Result, type Run, UNKNOWN } from './run.ts';
import { type State, stateAtUnknownTime } from './state.ts';
import { walk } from './walk.ts';

/** Reads the text and walks it. In a text that dash and bash read differently, both ways. */
export function runText(
  run: Run,
  text: string,
  reading: ShellReading,
  state: State,
  frame: Frame,
  exact = false,
): Result {
  const offset = frame.place?.start ?? 0;
  if (!exact) {
    if (!run.mayDescend(frame, offset) || !run.shared.mayReadAgain(text.length, offset)) return UNKNOWN;
    noteText(run.shared, text, offset, false);
  }
  const differed = run.differs;
  run.differs = false;
  const before = run.commands.length;
  const second = reading.other === null ? null : state.fork();
  const first = walkText(run, text, reading.dialect, state, frame, exact);
  const differs = run.differs || first.differs;
  run.differs = differed || (differs && reading.other === null);
  if (!differs) return first.result;
  if (reading.posixOnly) run.error('shell', 'more than every shell of this kind has', offset);
  if (reading.other === null || second === null) return first.result;
  const after = run.commands.length;
  if (refuses(run, text, reading.other, frame, exact)) {
    run.error('shell', `${reading.other.name} does not take this, or reads it differently`, offset);
    return first.result;
  }
  run.repeated(before, after, () => walkText(run, text, reading.other!, second, frame, exact));
  if (run.differ(before, after)) {
    run.error('shell', 'sh and bash run different commands', offset);
    return UNKNOWN;
  }
  return first.result;
}

/** Whether this shell finds an error that the first did not; what it says about it helps nobody. */
function refuses(run: Run, text: string, dialect: Dialect, frame: Frame, exact: boolean): boolean {
  const { errors } = run.shared;
  const before = errors.length;
  if (!run.shared.mayReadAgain(text.length, frame.place?.start ?? 0)) return true;
  readAll(cursorFor(run, text, dialect, frame, exact));
  const found = errors.length > before;
  errors.length = before;
  return found;
}

/** Of shells that do not read as POSIX says. */
const READERS: Partial<Record<Dialect['name'], (cursor: Cursor) => Node>> = {
  powershell: (cursor) => readStatements(cursor, ''),
  cmd: readCmd,
};

function cursorFor(run: Run, text: string, dialect: Dialect, frame: Frame, exact: boolean): Cursor {
  return new Cursor(text, dialect, run.shared, exact ? 0 : (frame.place?.start ?? 0), exact);
}

function walkText(
  run: Run,
  text: string,
  dialect: Dialect,
  state: State,
  frame: Frame,
  exact: boolean,
): { readonly result: Result; readonly differs: boolean } {
  const cursor = cursorFor(run, text, dialect, frame, exact);
  const tree = READERS[dialect.name]?.(cursor) ?? readAll(cursor);
  const lines = frame.lines || text.trimEnd().includes('\n');
  const result = walk(run, tree, state, { ...frame, dialect, lines, level: frame.level + 1 });
  return { result, differs: cursor.differs };
}

/** Every text it may be; null stands for one that nobody knows. */
export function runTexts(
  run: Run,
  alts: readonly Alt[] | null,
  reading: ShellReading,
  state: State,
  frame: Frame,
): Result {
  const offset = frame.place?.start ?? 0;
  let result: Result = UNKNOWN;
  for (const alt of alts ?? [{ text: '', known: false }]) {
    if (!alt.known) run.error('code', 'text that is run is only known when it runs', offset);
    // With its unknown pieces in it, the rest can still be named.
    if (alt.text !== '')
      result = runText(run, alt.text, reading, alts?.length === 1 ? state : state.fork(), frame);
  }
  return alts?.length === 1 && alts[0]!.known ? result : UNKNOWN;
}

/** How to read what this shell runs; undefined, with an error, if nobody here can. */
export function readingFor(run: Run, program: string, offset: number): ShellReading | undefined {
  const reading = shellReading(program);
  if (reading === undefined) run.error('shell', `${program} cannot be read`, offset);
  return reading;
}

export const SH: ShellReading = shellReading('sh')!;

/** What a variable holds that a program or the shell itself runs. */
export function runCarriedVariable(
  { run, state, frame }: Scope,
  name: string,
  kind: 'command' | 'text' | 'file',
  value: Value,
  offset: number,
): void {
  const place = frame.place ?? { start: offset, end: offset };
  const inner: Frame = { ...frame, via: [...frame.via, name], place, capture: false };
  for (const { text, known } of value.alts) {
    // A name alone, or nothing, is what most of them hold.
    if (!known) {
      if (kind !== 'command') run.error('code', `what ${name} holds is only known when it runs`, offset);
      continue;
    }
    if (kind === 'command') runText(run, text, SH, state.fork(true), inner);
    else if (/[$`]/.test(text)) {
      runSubstitutions({ run, state, frame: inner }, text, place.start);
      if (kind === 'text') run.error('code', `what ${name} runs depends on when it is shown`, offset);
    } else if (kind === 'file') {
      const written = run.written(resolvePath(state.cwd, { text, tilde: false }), frame);
      if (written !== undefined) runTexts(run, written.alts, SH, state.fork(true), inner);
    }
  }
}

/** Commands between `$(…)` in a text that is expanded some time. */
export function runSubstitutions({ run, state, frame }: Scope, text: string, offset: number): void {
  const cursor = new Cursor(text, frame.dialect, run.shared, offset, false);
  expandValue(
    { run, state: state.fork(), frame: { ...frame, repeats: true, capture: false } },
    readBody(cursor),
  );
}

/** Code that runs at a time nobody knows: any variable and any function may be any it ever was. */
export function runDeferred(run: Run): void {
  const deferred = run.deferred ?? [];
  for (let i = 0; i < deferred.length; i++) {
    const { text, frame, ever, atExit, offset } = deferred[i]!;
    const state = stateAtUnknownTime(ever).fork();
    for (const [name, nodes] of run.definitions ?? []) state.define(name, { nodes: [...nodes], sure: false });
    state.args = null;
    const reading: ShellReading = { dialect: frame.dialect, other: null, posixOnly: false };
    runText(run, text, reading, state, { ...frame, repeats: true, capture: false });
    // Code that comes in between and sets variables makes everything else uncertain.
    if (
      !atExit &&
      (state.variables !== null || (state.functions?.size ?? 0) > (run.definitions?.size ?? 0))
    ) {
      run.error('code', 'a trap changes variables at an unknown time', offset);
    }
  }
}
