/**
 * `harness run`: one session of the agent in a project, shown as it happens. With nobody to say what to do and a terminal
 * it is a conversation. It exits 0 when every prompt came to a good end.
 */
import type { EndReason } from '../agent/session-event.ts';
import { actorOption } from './actor.ts';
import { approveAtKeyboard } from './agent/approve-at-keyboard.ts';
import type { Model } from './agent/choose-model.ts';
import { converse, Keyboard } from './agent/conversation.ts';
import { announce, displayFor, finish } from './agent/display.ts';
import { watchInterrupts } from './agent/interrupt.ts';
import { type OpenAgent, prepareAgent, startAgent } from './agent/open-agent.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { readText } from './input.ts';
import { wholeNumber } from './options.ts';
import type { Output } from './output.ts';

const GOOD_ENDS: ReadonlySet<EndReason> = new Set(['end_turn', 'stop_sequence']);

/** What a script is told where nobody says anything: it answers the same whatever it is told. */
const BEGIN = 'Begin.';

export const run: Run = async (args, output) => {
  const json = args.has('json');
  const prompt = await givenPrompt(args);
  const maxTurns = args.value('max-turns') === undefined ? undefined : wholeNumber(args, 'max-turns', 1);
  const interactive = process.stdin.isTTY === true && !json;
  const keyboard = interactive ? new Keyboard({ input: process.stdin, output: process.stdout }) : null;
  try {
    const choice = { script: args.value('script'), model: args.value('model') };
    const actor = actorOption(args, 'as') ?? null;
    const prepared = await prepareAgent(args.positionals[0] ?? '.', choice, output, args, {
      ...(keyboard !== null && { confirm: (question) => keyboard.confirm(question) }),
    });
    if (prepared === null) return 1;
    const prompts = await promptsFor(
      prepared.model,
      prompt,
      keyboard !== null && choice.script === undefined,
    );
    const display = displayFor(output, { json, echo: prompts !== null });
    const agent = await startAgent(
      prepared,
      {
        tape: args.value('tape'),
        sign: args.value('sign'),
        firedBy: 'harness run',
        maxTurns,
        actor,
        onEvent: display.onEvent,
        queued: true,
        ...(keyboard !== null && { approvals: approveAtKeyboard(keyboard) }),
      },
      output,
    );
    if (!json) announce(agent, output);
    const code = await hold(agent, prompts, keyboard, output);
    finish(agent, display, json, output);
    return agent.recordFault() === null ? code : 1;
  } finally {
    keyboard?.close();
  }
};

async function givenPrompt(args: Arguments): Promise<string | null> {
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

/** Whatever happens in here, the session is closed, so that `session.end` fires. */
async function hold(
  agent: OpenAgent,
  prompts: readonly string[] | null,
  keyboard: Keyboard | null,
  output: Output,
): Promise<number> {
  const interrupts = watchInterrupts((text) => output.note(text));
  try {
    if (prompts === null) {
      await converse(agent.session, keyboard!, interrupts);
      return 0;
    }
    if (keyboard !== null) keyboard.interruptedBy = interrupts.interrupt;
    let good = true;
    for (const prompt of prompts) {
      const { reason } = await agent.session.run(prompt, { signal: interrupts.next() }).result;
      good &&= GOOD_ENDS.has(reason);
      if (interrupts.interrupted() || agent.recordFault() !== null) break;
    }
    return good ? 0 : 1;
  } finally {
    await agent.close();
    interrupts.release();
  }
}
