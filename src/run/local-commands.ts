/**
 * What a person types at the prompt for themselves, and no model is told: `/help` and the others. A word that looks like one and is
 * none is not sent either.
 */
import type { SessionEvent } from '../agent/index.ts';
import { didYouMean, isJsonObject } from '../base/index.ts';
import { describeOutcome, describeThrown } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';
import { callText, type Output, printHooks, printStory, quote } from '../terminal/index.ts';
import type { OpenAgent } from './open-agent.ts';

type HookEvent = Extract<SessionEvent, { type: 'hook' }>;

export interface CommandScope {
  readonly agent: OpenAgent;
  readonly policy: Policy;
  readonly output: Output;
  /** What was stopped last; null if nothing was. */
  readonly stopped: () => HookEvent | null;
  /** What it came to so far. */
  readonly summary: () => void;
}

interface LocalCommand {
  readonly about: string;
  readonly run: (place: CommandScope, word: string | undefined) => void | Promise<void>;
}

const COMMANDS: Readonly<Record<string, LocalCommand>> = {
  '/help': { about: 'this', run: ({ output }) => help(output) },
  '/hooks': {
    about: 'the policy: the chain of each event, or of one: /hooks tool.pre',
    run: ({ policy, output }, event) => void printHooks(policy, event, output),
  },
  '/why': { about: 'why the last call was stopped, hook by hook', run: why },
  '/tape': { about: 'where this session is recorded, and what it came to so far', run: tape },
  '/model': { about: 'the model; /model NAME lets another one go on', run: model },
  '/quit': { about: 'the end; so are Ctrl-D and Ctrl-C twice', run: () => {} },
};

const KEYS = [
  ['Enter', 'sends; Alt-Enter, Ctrl-J or a backslash before Enter begins another line'],
  ['Up', 'what was typed before; after a beginning, what began so'],
  ['Ctrl-C', 'stops the answer under way, and once more leaves'],
] as const;

const GOODBYE: ReadonlySet<string> = new Set(['/exit', '/quit', 'exit', 'quit']);

/** The whole of a command that begins so. */
export function completeCommand(text: string): string | null {
  const fits = Object.keys(COMMANDS).filter((name) => text.startsWith('/') && name.startsWith(text));
  return fits.length === 1 ? fits[0]! : null;
}

export type LineResult = 'sent' | 'heard' | 'over';

/** `sent`: it is a prompt for the model. A path is one, and so is what begins with a blank. */
export async function handleLine(line: string, place: CommandScope): Promise<LineResult> {
  const [name = '', word] = line.trim().split(/\s+/);
  if (GOODBYE.has(line.trim())) return 'over';
  if (!/^\/[a-z?-]*(\s|$)/i.test(line)) return 'sent';
  const command = COMMANDS[name.toLowerCase()];
  if (command !== undefined) await command.run(place, word);
  else {
    const hint = didYouMean(name, Object.keys(COMMANDS));
    place.output.line(
      `there is no ${quote(name)}${hint}; /help lists what there is. With a blank before it, it goes to the model.`,
    );
  }
  return 'heard';
}

function help(output: Output): void {
  const rows = [...Object.entries(COMMANDS).map(([name, { about }]) => [name, about] as const), ...KEYS];
  for (const [name, about] of rows) output.line(`${output.paint('bold', name.padEnd(12))}${about}`);
}

function why({ stopped, policy, output }: CommandScope): void {
  const last = stopped();
  if (last === null) {
    output.line('nothing was stopped in this session');
    return;
  }
  const { outcome, payload } = last;
  if (isJsonObject(payload) && typeof payload.name === 'string') {
    output.line(output.paint('bold', callText(payload.name, isJsonObject(payload.args) ? payload.args : {})));
  }
  printStory(outcome, policy.registry.list(outcome.event), output);
  const { place } = describeOutcome(outcome);
  if (place !== null) output.line(`It is written in ${output.paint('cyan', place)}.`);
}

function tape({ agent, output, summary }: CommandScope): void {
  summary();
  output.line(`look at it:  harness tape show ${agent.session.id.slice(0, 8)}`);
}

async function model({ agent, output }: CommandScope, name: string | undefined): Promise<void> {
  try {
    if (name !== undefined) await agent.useModel(name);
  } catch (thrown) {
    output.line(describeThrown(thrown));
  }
  const { name: current, scripted } = agent.model();
  output.line(`${current}${scripted ? ', from a script' : ''} answers`);
}
