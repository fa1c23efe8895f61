/**
 * `harness tape ls`: the sessions of a folder, the newest first, one a line, with what their hooks decided.
 */
import { basename } from 'node:path';
import { findTapes, progressOf, sinceOf, summariseAll } from '../../project/index.ts';
import type { TapeSummary } from '../../tape/index.ts';
import { alignColumns, type Cell, countOf, harmless, type Run, type Style } from '../../terminal/index.ts';

const COUNTED = ['entries', 'decisions', 'blocks', 'asks', 'rewrites', 'failures', 'failOpens'] as const;

/** Worth a colour where it is not zero. */
const ALARMING: Readonly<Record<string, Style>> = { blocks: 'yellow', failures: 'red', failOpens: 'red' };
const STATES: Readonly<Record<TapeSummary['state'], Style>> = {
  closed: 'dim',
  open: 'green',
  cut: 'yellow',
  broken: 'red',
};

export const run: Run = (args, output) => {
  const { files } = findTapes(args.positionals[0]);
  const progress = progressOf('reading', output);
  const since = sinceOf(args);
  const tapes = summariseAll(files, {
    fresh: args.has('fresh'),
    onTape: (i) => progress(i, files.length),
  })
    .filter((tape) => isSince(tape, since))
    .sort(newestFirst);
  const broken = tapes.filter((tape) => tape.state === 'broken').length;
  const totals = { sessions: tapes.length - broken, ...sums(tapes) };
  if (args.has('json')) {
    output.line(JSON.stringify({ tapes, totals }));
    return broken === 0 ? 0 : 1;
  }
  const rows = [HEADINGS, ...tapes.map(rowOf)];
  for (const line of alignColumns(rows, output.paint)) output.line(line);
  for (const { problem } of tapes)
    if (problem !== null) output.note(`${output.paintNote('red', 'broken')}: ${problem}`);
  output.line();
  const { sessions, decisions, blocks, failures, failOpens } = totals;
  const open = failOpens === 0 ? '' : `, ${failOpens} of which let the operation pass`;
  output.line(
    `${countOf(sessions, 'session')}, ${countOf(decisions, 'decision')}, ${countOf(blocks, 'block')}, ${countOf(failures, 'failure')}${open}`,
  );
  return broken === 0 ? 0 : 1;
};

/** A file that does not say when it was written may be of any time. */
function isSince({ started, last }: TapeSummary, since: number): boolean {
  const time = last ?? Date.parse(started ?? '');
  return Number.isNaN(time) || time >= since;
}

function newestFirst(a: TapeSummary, b: TapeSummary): number {
  const [first, second] = [a.started ?? '', b.started ?? ''];
  return first === second ? 0 : first < second ? 1 : -1;
}

const HEADINGS: readonly Cell[] = [
  { text: 'tape', style: 'bold' },
  { text: 'started', style: 'bold' },
  { text: 'host', style: 'bold' },
  ...['entries', 'decisions', 'blocks', 'asks', 'rewrites', 'failures', 'fail-open'].map(
    (text): Cell => ({ text, style: 'bold', right: true }),
  ),
  { text: 'state', style: 'bold' },
];

function rowOf(tape: TapeSummary): Cell[] {
  return [
    { text: harmless(basename(tape.file)), style: 'cyan' },
    { text: harmless(tape.started?.slice(0, 19).replace('T', ' ') ?? '-') },
    { text: harmless(tape.host ?? '-') },
    ...COUNTED.map((key): Cell => {
      const style = tape[key] > 0 ? ALARMING[key] : undefined;
      return { text: String(tape[key]), right: true, ...(style !== undefined && { style }) };
    }),
    { text: tape.state, style: STATES[tape.state] },
  ];
}

function sums(tapes: readonly TapeSummary[]): Record<(typeof COUNTED)[number], number> {
  const sum = (key: (typeof COUNTED)[number]) => tapes.reduce((all, tape) => all + tape[key], 0);
  return Object.fromEntries(COUNTED.map((key) => [key, sum(key)])) as Record<
    (typeof COUNTED)[number],
    number
  >;
}
