/**
 * What redirections do: which files are written with what, what a command finds on its input, and whether its output still
 * reaches the pipe.
 */

import type { ShownRedirect } from '../command.ts';
import { expandTarget, expandValue, type Scope } from '../known/expand.ts';
import type { Alt, Field, Ranges } from '../known/values.ts';
import { UNTAINTED } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import type { Redirect } from '../syntax/tree.ts';
import { type Frame, INHERITED, type Input, type Result, type Run, UNKNOWN } from './run.ts';
import type { State } from './state.ts';
import { variable } from './state.ts';

/** A redirection with every target it may have. */
export interface Expanded {
  readonly op: string;
  readonly fd: string | null;
  readonly targets: readonly Field[];
}

const NONE: readonly Expanded[] = [];

export function expandRedirects(scope: Scope, redirects: readonly Redirect[]): readonly Expanded[] {
  if (redirects.length === 0) return NONE;
  return redirects.map(({ op, fd, target }) => {
    if (fd !== null && !/^\d+$/.test(fd)) {
      const value = { alts: [{ text: `\${${fd}}`, known: false }], numeric: true, from: UNTAINTED };
      scope.state.set(fd, variable(value, scope.state.get(fd)));
    }
    if (op !== '<<' && op !== '<<<') return { op, fd, targets: expandTarget(scope, target) };
    const value = expandValue(scope, target);
    const targets = value.alts.map((alt) => ({ ...PLAIN, ...alt, from: value.from }));
    return { op, fd, targets };
  });
}

const PLAIN = { glob: false, many: false, tilde: false };

/** As a command shows them: one entry for each target. */
export function shownRedirects(redirects: readonly Expanded[]): ShownRedirect[] {
  return redirects.flatMap(({ op, fd, targets }) =>
    targets.map(({ text, known, tilde }) => ({ op, fd, target: text, known, tilde })),
  );
}

export function inputFrom(run: Run, redirects: readonly Expanded[], state: State, frame: Frame): Input {
  let input = frame.input;
  for (const { op, fd, targets } of redirects) {
    if (!op.startsWith('<') || (fd !== null && fd !== '0')) continue;
    const from = targets.flatMap((target) => target.from);
    if (op === '<<') input = { ...INHERITED, kind: 'text', alts: targets, from };
    else if (op === '<<<') input = { ...INHERITED, kind: 'text', alts: targets.map(ended), from };
    else if (op === '<' || op === '<>') input = fileInput(run, targets, state, frame, from);
    else input = INHERITED;
  }
  return input;
}

function ended({ text, known }: Alt): Alt {
  return { text: `${text}\n`, known };
}

function fileInput(run: Run, targets: readonly Field[], state: State, frame: Frame, from: Ranges): Input {
  const [first] = targets;
  const path = targets.length === 1 && first !== undefined ? resolvePath(state.cwd, first) : null;
  if (path === '/dev/null')
    return { kind: 'text', alts: [{ text: '', known: true }], path, from: UNTAINTED, shared: false };
  const written = path === null ? undefined : run.written(path, frame);
  const all = written === undefined ? from : [...from, ...written.from];
  const alts = written?.alts.every((alt) => alt.known || alt.text !== '') ? written.alts : null;
  return { kind: 'file', alts, path, from: all, shared: false };
}

const WRITING: ReadonlySet<string> = new Set(['>', '>>', '>|', '&>', '&>>', '<>']);

/** Whether what is printed goes to a file. */
export function writesOutput(redirects: readonly Expanded[]): boolean {
  return redirects.some(({ op, fd }) => WRITING.has(op) && isStdout(op, fd));
}

function isStdout(op: string, fd: string | null): boolean {
  return fd === '1' || (fd === null && op !== '<>');
}

/** Whether the shell may be unable to do it, and then leave the command out. */
export function mayFail({ op, targets }: Expanded): boolean {
  if (op === '<<' || op === '<<<') return false;
  // What `<(…)` stands for is there.
  if (op === '<' && targets.every(({ text }) => /^\/dev\/fd\/1\d{3}$/.test(text))) return false;
  if (op === '>&' || op === '<&') return targets.some(({ text }) => !/^[012]$/.test(text));
  return targets.some(({ text }) => text !== '/dev/null');
}

/** Writes the files, and says what of the output is left for the pipe. */
export function writeOutputs(
  run: Run,
  redirects: readonly Expanded[],
  state: State,
  frame: Frame,
  result: Result,
  from: Ranges,
): Result {
  if (redirects.length === 0) return result;
  // With descriptors moved around nobody knows what goes where.
  const plain = redirects.every(isPlain) && redirects.filter(isOutput).length <= 1;
  const fails = redirects.filter(mayFail).length;
  // What is printed as an error is not known.
  const errors = redirects.some(({ op, fd }) => op.startsWith('&') || (op === '>&' && fd === '2'));
  const sure = result.sure && plain && !errors && !run.unsteady;
  let gone = false;
  for (const { op, fd, targets } of redirects) {
    if (!WRITING.has(op)) continue;
    const stdout = isStdout(op, fd);
    const append = op === '>>' || op === '&>>';
    gone ||= stdout && plain && targets.every(({ text }) => text === '/dev/null');
    const alone = sure && fails === 1 && targets.length === 1 && op !== '<>' && !(append && frame.repeats);
    for (const target of targets) {
      if (!target.known || target.glob) run.files.anywhere = true;
      else {
        const printed = stdout ? { text: result.text, sure: alone } : UNKNOWN;
        run.write(resolvePath(state.cwd, target), printed, append, from, frame);
      }
    }
  }
  if (gone || result.text === '')
    return { text: '', sure: gone || (result.sure && !errors), status: fails > 0 ? -1 : result.status };
  // A file or a descriptor may be another name of the pipe.
  const left = sure && fails === 0 && !redirects.some(isOutput);
  return { text: result.text, sure: left, status: fails > 0 ? -1 : result.status };
}

function isOutput({ op, fd }: Expanded): boolean {
  return (WRITING.has(op) && isStdout(op, fd)) || (op === '>&' && fd !== '2');
}

/** A file, `2>&1`, or `>&2`; and nothing that touches other descriptors. */
function isPlain({ op, fd, targets }: Expanded): boolean {
  if (fd !== null && !/^[012]$/.test(fd)) return false;
  const target = targets.length === 1 && targets[0]!.known ? targets[0]!.text : null;
  if (op === '>&') return fd === '2' ? target === '1' : target === '2';
  return op !== '<&' && op !== '<>';
}
