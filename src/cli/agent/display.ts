/**
 * How a session is shown while it runs: as a timeline for people or as JSON lines for programs, and what it came to.
 */
import type { SessionEvent } from '../../agent/session-event.ts';
import type { RunState } from '../../hooks/run-state.ts';
import { noteFailOpen } from '../outcome.ts';
import type { Output } from '../output.ts';
import { countOf } from '../problems.ts';
import { wrap } from '../timeline/fit.ts';
import { jsonLines } from '../timeline/json-lines.ts';
import { Tally } from '../timeline/tally.ts';
import { Timeline } from '../timeline/timeline.ts';
import type { OpenAgent } from './open-agent.ts';

export interface Display {
  readonly onEvent: (event: SessionEvent) => void;
  /** Counters, once all is over. Says nothing in a stream of JSON. */
  readonly summary: (run: RunState, more: ReadonlyArray<readonly [string, string]>) => void;
}

/** What a file or a pipe gets: no terminal says how wide it is. */
const PLAIN_WIDTH = 100;
const WIDEST = 120;

export function terminalWidth(): number {
  // A terminal that does not know its width says 0.
  return Math.min(process.stdout.columns || PLAIN_WIDTH, WIDEST);
}

export function displayFor(output: Output, { json, echo }: { json: boolean; echo: boolean }): Display {
  if (json) {
    return {
      onEvent: (event) => {
        noteFailures(event, output);
        for (const line of jsonLines(event)) output.line(line);
      },
      summary: () => {},
    };
  }
  const width = terminalWidth();
  const timeline = new Timeline({ width, paint: output.paint, echo });
  const tally = new Tally();
  return {
    onEvent: (event) => {
      tally.add(event);
      for (const line of timeline.lines(event)) output.line(line);
    },
    summary: (run, more) => {
      const counters = [...run.metrics]
        .map(([name, value]) => `${name} ${value}`)
        .sort()
        .join(', ');
      const rows = [
        ...tally.summary(),
        ...(counters === '' ? [] : [['counters', counters] as const]),
        ...more,
      ];
      const margin = Math.max(...rows.map(([name]) => name.length)) + 2;
      output.line();
      for (const [name, text] of rows) {
        const [first, ...rest] = wrap(text, width - margin);
        output.line(`${output.paint('bold', name.padEnd(margin))}${first}`);
        for (const line of rest) output.line(`${' '.repeat(margin)}${line}`);
      }
    },
  };
}

function noteFailures(event: SessionEvent, output: Output): void {
  if (event.type === 'agent') noteFailures(event.event, output);
  else if (event.type === 'hook') noteFailOpen(event.outcome, output);
}

export function announce({ session, model, hooks, tools }: OpenAgent, output: Output): void {
  const what = [`model ${model.name}`, countOf(hooks, 'hook'), countOf(tools.length, 'tool')].join(', ');
  output.line(output.paint('dim', `session ${session.id}: ${what}`));
}

export function finish(agent: OpenAgent, display: Display, json: boolean, output: Output): void {
  display.summary(agent.session.runState, [
    ['transcript', agent.transcript],
    ['tape', agent.tape],
  ]);
  if (json) output.note(`transcript: ${agent.transcript}\ntape: ${agent.tape}`);
  const fault = agent.recordFault();
  if (fault !== null) {
    output.note(`${output.paintNote('red', 'error')}: the record is not whole: ${fault}`);
  }
}
