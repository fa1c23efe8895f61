/**
 * Commands that options of other programs hold, by the table of carriers.
 */
import type { ShellCommand } from '../command.ts';
import { CARRIERS, type Carrier } from '../programs/carriers.ts';
import { scanOptions, specOf } from '../programs/options.ts';
import { runTexts, SH } from './nested.ts';
import type { Run } from './run.ts';
import type { Started } from './start.ts';

export function runCarriers(run: Run, started: Started, command: ShellCommand): void {
  const { program } = command;
  const own = CARRIERS.get(program);
  if (own === undefined) return;
  runOptions(run, started, program, own);
  const sub = started.words[command.layout.operands[0] ?? -1];
  const key = sub === undefined ? '' : `${program} ${sub.text}`;
  const more = CARRIERS.get(key);
  if (more !== undefined) runOptions(run, started, program, more);
}

function runOptions(run: Run, started: Started, program: string, carrier: Carrier): void {
  const { frame, words } = started;
  const { options, operands } = scanOptions(words, 1, specOf(carrier.options), {
    mixed: true,
    single: carrier.single === true,
  });
  const inner = {
    ...frame,
    via: [...frame.via, program],
    capture: false,
    place: { start: started.start, end: started.end },
  };
  const values = options.flatMap(({ name, value }) => {
    const form = Object.hasOwn(carrier.forms, name) ? carrier.forms[name] : undefined;
    return value === null || form === undefined ? [] : [{ word: value, form }];
  });
  const form = carrier.operand;
  if (form !== undefined) for (const at of operands) values.push({ word: words[at]!, form });
  for (const { word, form: take } of values) {
    const text = take(word.text);
    if (text !== null && text !== '')
      runTexts(run, [{ text, known: word.known }], SH, started.env.fork(true), inner);
  }
}
