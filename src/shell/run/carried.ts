/**
 * Commands that options and operands of other programs hold: values with the role `helper`.
 */
import type { ShellCommand } from '../command.ts';
import { FORMS } from '../programs/notation.ts';
import { scanOptions } from '../programs/options.ts';
import { type Program, programNamed, subNamed } from '../programs/table.ts';
import { runTexts, SH } from './nested.ts';
import type { Run } from './run.ts';
import type { Started } from './start.ts';

const HELPER = /^helper(?::(.+))?$/;
const MARKED_HELPER = /(?:^| )helper:(\S+)/;

export function runHelpers(run: Run, started: Started, command: ShellCommand): void {
  const program = programNamed(command.program);
  if (program === undefined) return;
  if (mayHelp(program)) runOptions(run, started, command.program, program);
  if (program.subs.size === 0) return;
  const sub = subNamed(program, command.operands, mayHelp);
  if (sub !== null) runOptions(run, started, command.program, sub.program);
}

function mayHelp({ row, values }: Program): boolean {
  if (row.marked !== undefined) return true;
  for (const role of values.values()) if (role.startsWith('helper')) return true;
  return false;
}

function runOptions(run: Run, started: Started, name: string, program: Program): void {
  const { frame, words } = started;
  const { options, operands } = scanOptions(words, 1, program.wholeSpec, {
    mixed: true,
    single: program.row.single === true,
  });
  const inner = {
    ...frame,
    via: [...frame.via, name],
    capture: false,
    place: { start: started.start, end: started.end },
  };
  const texts = options.flatMap(({ name: option, value }) => {
    const found = HELPER.exec(program.values.get(option) ?? '');
    return value === null || found === null ? [] : [{ word: value, form: found[1] }];
  });
  const form = MARKED_HELPER.exec(program.row.marked ?? '')?.[1];
  if (form !== undefined) for (const at of operands) texts.push({ word: words[at]!, form });
  for (const { word, form: pattern } of texts) {
    const text = pattern === undefined ? word.text : (FORMS[pattern]!.exec(word.text)?.[1] ?? '');
    if (text !== '') runTexts(run, [{ text, known: word.known }], SH, started.env.fork(true), inner);
  }
}
