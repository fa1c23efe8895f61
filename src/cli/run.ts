/**
 * `harness run`: one session of the agent in a project, shown as it happens. With nobody to say what to do and a terminal
 * it is a conversation. It exits 0 when every prompt came to a good end.
 */
import { join } from 'node:path';
import { endedWell, type SessionEvent } from '../agent/index.ts';
import {
  announce,
  completeCommand,
  converse,
  type Display,
  displayFor,
  findResume,
  finish,
  handleLine,
  type Model,
  type OpenAgent,
  openScreen,
  type PreparedAgent,
  prepareAgent,
  records,
  resumeOption,
  startAgent,
  watchInterrupts,
} from '../run/index.ts';
import { TRANSCRIPTS } from '../session/index.ts';
import {
  type Arguments,
  actorOption,
  approveAtKeyboard,
  Keyboard,
  type Output,
  type Run,
  readHistory,
  readText,
  UsageError,
  wholeNumber,
  writeHistory,
} from '../terminal/index.ts';

/** What a script is told where nobody says anything: it answers the same whatever it is told. */
const BEGIN = 'Begin.';
const HISTORY = 'run-history.json';

export const run: Run = async (args, plain) => {
  const json = args.has('json');
  const prompt = await promptFrom(args);
  const wanted = resumeOption(args);
  const maxTurns = args.value('max-turns') === undefined ? undefined : wholeNumber(args, 'max-turns', 1);
  const screen = json ? null : openScreen();
  const output = screen?.over(plain) ?? plain;
  const interactive = process.stdin.isTTY === true && !json;
  const keyboard = interactive
    ? new Keyboard({
        input: process.stdin,
        output: process.stdout,
        ...(screen !== null && { screen }),
        paint: output.paint,
        past: readHistory(HISTORY),
        complete: completeCommand,
      })
    : null;
  try {
    const choice = { script: args.value('script'), model: args.value('model') };
    const actor = actorOption(args, 'as') ?? null;
    const prepared = await prepareAgent(args.positionals[0] ?? '.', choice, output, args, {
      ...(keyboard !== null && { confirm: (question) => keyboard.confirm(question) }),
    });
    if (prepared === null) return 1;
    const { model } = prepared;
    const resume = wanted === null ? null : findResume(join(prepared.agent.policy.root, TRANSCRIPTS), wanted);
    const prompts = await promptsFor(model, prompt, keyboard !== null && choice.script === undefined);
    let started: OpenAgent | null = null;
    const answering = () => (started?.model() ?? model).name;
    const display = displayFor(output, { json, echo: prompts !== null, model: answering, screen });
    let stopped: Stopped | null = null;
    const agent = await startAgent(
      prepared,
      {
        tape: args.value('tape'),
        sign: args.value('sign'),
        firedBy: 'harness run',
        maxTurns,
        actor,
        resume,
        onEvent: (event) => {
          stopped = stoppedIn(event) ?? stopped;
          display.onEvent(event);
        },
        queued: true,
        ...(keyboard !== null && { approvals: approveAtKeyboard(keyboard) }),
      },
      output,
    );
    started = agent;
    if (!json) announce(agent, output);
    const code = await runToEnd(
      { agent, prepared, display, keyboard, output, stopped: () => stopped },
      prompts,
    );
    keyboard?.close();
    finish(agent, display, { json }, output);
    return agent.recordFault() === null ? code : 1;
  } finally {
    keyboard?.close();
    screen?.close();
  }
};

type Stopped = Extract<SessionEvent, { type: 'hook' }>;

function stoppedIn(event: SessionEvent): Stopped | null {
  if (event.type === 'agent') return stoppedIn(event.event);
  if (event.type !== 'hook') return null;
  const { action, failure } = event.outcome;
  return action === 'block' || action === 'ask' || failure !== undefined ? event : null;
}

async function promptFrom(args: Arguments): Promise<string | null> {
  const given = args.value('prompt');
  if (given === undefined) return null;
  const text = given === '-' ? await readText('-') : given;
  if (text === null || text.trim() === '') throw new UsageError('the prompt is empty');
  return text;
}

/** Null: they are typed, one after the other. */
async function promptsFor(
  model: Model,
  given: string | null,
  canTalk: boolean,
): Promise<readonly string[] | null> {
  if (given !== null) return [given];
  if (model.prompts.length > 0) return model.prompts;
  const piped = await readText(undefined);
  if (piped !== null && piped.trim() !== '') return [piped.trim()];
  if (canTalk) return null;
  if (model.scripted) return [BEGIN];
  throw new UsageError('no prompt: give --prompt TEXT, or pipe it in');
}

interface RunScope {
  readonly agent: OpenAgent;
  readonly prepared: PreparedAgent;
  readonly display: Display;
  readonly keyboard: Keyboard | null;
  readonly output: Output;
  readonly stopped: () => Stopped | null;
}

/** Whatever happens in here, the session is closed, so that `session.end` fires. */
async function runToEnd(held: RunScope, prompts: readonly string[] | null): Promise<number> {
  const { agent, display, keyboard } = held;
  const interrupts = watchInterrupts(display.stopping);
  const ask = (prompt: string, signal: AbortSignal) =>
    display.during(agent.session.run(prompt, { signal }).result);
  try {
    if (prompts === null) {
      await talk(held, interrupts, ask);
      return 0;
    }
    if (keyboard !== null) keyboard.interruptedBy = interrupts.interrupt;
    let good = true;
    for (const prompt of prompts) {
      const { reason } = await ask(prompt, interrupts.next());
      good &&= endedWell(reason);
      if (interrupts.interrupted() || agent.recordFault() !== null) break;
    }
    return good ? 0 : 1;
  } finally {
    await agent.close();
    interrupts.release();
  }
}

async function talk(
  { agent, prepared, display, keyboard, output, stopped }: RunScope,
  interrupts: ReturnType<typeof watchInterrupts>,
  ask: (prompt: string, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { policy } = prepared.agent;
  const summary = () => display.summary(agent.session.runState, records(agent));
  if (keyboard === null) return;
  await converse({
    keyboard,
    interrupts,
    ask,
    over: () => agent.recordFault() !== null,
    hear: (line) => {
      writeHistory(HISTORY, keyboard.remember(line.trim()));
      return handleLine(line, { agent, policy, output, stopped, summary });
    },
  });
}
