/**
 * How a session is shown while it runs: as a timeline for people, on a terminal with the words as they come and a status line
 * below them, or as JSON lines for programs; and what it came to.
 */
import type { SessionEvent } from '../agent/index.ts';
import type { RunState } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import {
  countOf,
  MARGIN,
  noteFailOpen,
  type Output,
  Screen,
  streamTerminal,
  wrap,
} from '../terminal/index.ts';
import { JsonLines } from './json-lines.ts';
import type { OpenAgent } from './open-agent.ts';
import { Status } from './status.ts';
import { Tally } from './tally.ts';
import { Timeline } from './timeline.ts';

export interface Display {
  readonly onEvent: (event: SessionEvent) => void;
  /** Counters, so far. Says nothing in a stream of JSON. */
  readonly summary: (run: RunState, more: ReadonlyArray<readonly [string, string]>) => void;
  /** What is under way is being stopped. */
  readonly stopping: () => void;
  /** Around the work on one prompt. */
  readonly during: <T>(work: Promise<T>) => Promise<T>;
}

export interface DisplayOptions {
  readonly json: boolean;
  /** Whether prompts are shown; false where the person has just typed them. */
  readonly echo: boolean;
  /** The model, for the status line. */
  readonly model: () => string;
  /** The last lines of a terminal, where there is one that can be drawn on. */
  readonly screen: Screen | null;
}

/** What a file or a pipe gets: no terminal says how wide it is. */
const PLAIN_WIDTH = 100;
const WIDEST = 120;
const TICK_MS = 100;
const STOPPING = 'stopping; once more to end at once';

export function terminalWidth(): number {
  // A terminal that does not know its width says 0.
  return Math.min(process.stdout.columns || PLAIN_WIDTH, WIDEST);
}

/** Null if nothing can be drawn on: a file, a pipe, a terminal that understands no moves of the cursor. */
export function openScreen(): Screen | null {
  const draws = process.stdout.isTTY === true && machineHost.env('TERM') !== 'dumb';
  return draws ? new Screen(streamTerminal(process.stdout)) : null;
}

export function displayFor(output: Output, options: DisplayOptions): Display {
  if (options.json) return jsonDisplay(output);
  const { screen, echo } = options;
  const { paint } = output;
  const view = {
    echo,
    paint,
    get width() {
      return terminalWidth() - (screen === null ? 0 : 1);
    },
  };
  const timeline = new Timeline(view);
  const tally = new Tally();
  const status = new Status(options.model);
  screen?.add(({ columns }) => {
    if (!status.active) return { lines: [] };
    const line = status.line(columns - 1, machineHost.now());
    return { lines: [...timeline.underWay, paint('dim', line)] };
  }, 'top');
  return {
    onEvent: (event) => {
      tally.add(event);
      status.add(event);
      const lines = timeline.lines(event);
      if (lines.length > 0) output.line(lines.join('\n'));
      else screen?.draw();
    },
    stopping: () => {
      if (screen === null) output.note(STOPPING);
      else status.say(STOPPING);
      screen?.draw();
    },
    summary: (run, more) => printSummary(tally, run, more, view.width, output),
    during: async (work) => {
      if (screen === null) return work;
      status.begin(machineHost.now());
      const tick = setInterval(() => screen.draw(), TICK_MS);
      try {
        return await work;
      } finally {
        clearInterval(tick);
        const spent = status.end(machineHost.now());
        if (spent !== null) output.line(paint('dim', `${' '.repeat(MARGIN)}${spent}`));
      }
    },
  };
}

function jsonDisplay(output: Output): Display {
  const lines = new JsonLines(() => machineHost.now());
  return {
    onEvent: (event) => {
      noteFailures(event, output);
      for (const line of lines.of(event)) output.line(line);
    },
    stopping: () => output.note(STOPPING),
    summary: () => {},
    during: (work) => work,
  };
}

function printSummary(
  tally: Tally,
  run: RunState,
  more: ReadonlyArray<readonly [string, string]>,
  width: number,
  output: Output,
): void {
  const counters = [...run.metrics]
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join(', ');
  const rows = [...tally.summary(), ...(counters === '' ? [] : [['counters', counters] as const]), ...more];
  const margin = Math.max(...rows.map(([name]) => name.length)) + 2;
  output.line();
  for (const [name, text] of rows) {
    // The name of a file stays in one piece, so that it can be copied.
    const [first, ...rest] = text.includes(' ') ? wrap(text, width - margin) : [text];
    output.line(`${output.paint('bold', name.padEnd(margin))}${first}`);
    for (const line of rest) output.line(`${' '.repeat(margin)}${line}`);
  }
}

function noteFailures(event: SessionEvent, output: Output): void {
  if (event.type === 'agent') noteFailures(event.event, output);
  else if (event.type === 'hook') noteFailOpen(event.outcome, output);
}

export function announce({ session, model, hooks, tools }: OpenAgent, output: Output): void {
  const what = [`model ${model().name}`, countOf(hooks, 'hook'), countOf(tools.length, 'tool')].join(', ');
  output.line(output.paint('dim', `session ${session.id}: ${what}`));
}

/** Where it is recorded, for a summary. */
export function records({ transcript, tape }: OpenAgent): ReadonlyArray<readonly [string, string]> {
  return [
    ['transcript', transcript],
    ['tape', tape],
  ];
}

export function finish(
  agent: OpenAgent,
  display: Display,
  { json, recordsStay = true }: { readonly json: boolean; readonly recordsStay?: boolean },
  output: Output,
): void {
  display.summary(agent.session.runState, recordsStay ? records(agent) : []);
  if (json && recordsStay) output.note(`transcript: ${agent.transcript}\ntape: ${agent.tape}`);
  const fault = agent.recordFault();
  if (fault !== null) {
    output.note(`${output.paintNote('red', 'error')}: the record is not whole: ${fault}`);
  }
}
