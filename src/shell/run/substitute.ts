/**
 * What `$(…)`, backticks and `<(…)` come to: their commands are walked in a state of their own, and what they print is the
 * value, if it can be known.
 */
import type { Scope } from '../known/expand.ts';
import { number, type Ranges, UNTAINTED, unknown, type Value } from '../known/values.ts';
import type { CommandPart, ProcessPart } from '../syntax/tree.ts';
import { INHERITED, type Input } from './run.ts';
import { walk } from './walk.ts';

/** Print nothing but a number. */
const COUNTERS: ReadonlySet<string> = new Set(['wc', 'nproc']);

export function substituted({ run, state, frame }: Scope, part: CommandPart): Value {
  const before = run.commands.length;
  const { text, sure } = walk(run, part.script, state.fork(), { ...frame, capture: true });
  const from: Ranges = [[before, run.commands.length]];
  if (text === null) {
    const last = run.commands.length > before ? run.commands.at(-1)!.program : '';
    return COUNTERS.has(last) ? { ...number(), from } : unknown('$()', from);
  }
  const printed = text.replace(/\n+$/, '').replaceAll('\0', '');
  return { alts: [{ text: printed, known: sure && !run.unsteady }], numeric: false, from };
}

/** The path under which a program finds what the commands print, or gives them to read. */
export function processOutput({ run, state, frame }: Scope, part: ProcessPart): Value {
  const before = run.commands.length;
  const input: Input = part.writes ? { ...INHERITED, kind: 'pipe' } : frame.input;
  const { text, sure } = walk(run, part.script, state.fork(), { ...frame, capture: !part.writes, input });
  const from: Ranges = part.writes ? UNTAINTED : [[before, run.commands.length]];
  run.parallel = true;
  const path = run.files.process({ text: part.writes ? null : text, sure: sure && !run.unsteady }, from);
  return unknown(path, from);
}
