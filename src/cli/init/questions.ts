/**
 * What `harness init` has to know: which agents to connect, whether hooks stop calls or only record them, and for whom the policy
 * is. Options answer; without `--yes`, a person at a terminal is asked. Enter takes the answer in brackets.
 */
import { ALL_AGENTS, namedAgents, programOf } from '../../agents/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type Arguments, atTerminal, isPersonHere, UsageError } from '../../terminal/index.ts';

export interface Answers {
  readonly agents: readonly string[];
  readonly observe: boolean;
  /** Into the user's own folder, where it is in force for every project. */
  readonly user: boolean;
}

type Confirm = (question: string) => Promise<string | null>;

/** Null if the person left without an answer. */
export async function answersFor(args: Arguments, confirm: Confirm = atTerminal): Promise<Answers | null> {
  const answers = {
    agents: listed(args.value('agents') ?? ''),
    observe: args.has('observe'),
    user: args.has('user'),
  };
  const answered = ['yes', 'json', 'agents', 'observe', 'user', 'force'].some((option) => args.has(option));
  return answered || !isPersonHere() ? answers : askAnswers(agentsHere(), confirm);
}

export async function askAnswers(here: readonly string[], confirm: Confirm): Promise<Answers | null> {
  const usual = here.length === 0 ? 'none' : here.join(', ');
  const agents = await ask(
    `Which coding agents should this policy guard? Names with commas, or none [${usual}]: `,
    (text) => listed(text === '' ? usual : text),
    confirm,
  );
  const mode = await (agents &&
    ask(
      'Should hooks stop calls, or only record what they would stop? strict or observe [strict]: ',
      oneOf('strict', 'observe'),
      confirm,
    ));
  const reach = await (mode &&
    ask(
      'For whom? team: this folder, to be committed; me: all my folders. team or me [team]: ',
      oneOf('team', 'me'),
      confirm,
    ));
  return agents && mode && reach ? { agents, observe: mode === 'observe', user: reach === 'me' } : null;
}

/** Asks until the answer can be read; null if there is none. */
async function ask<T>(question: string, read: (text: string) => T, confirm: Confirm): Promise<T | null> {
  let before = '';
  for (;;) {
    const line = await confirm(before + question);
    if (line === null) return null;
    try {
      return read(line.trim().toLowerCase());
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      before = `${error.message}\n`;
    }
  }
}

function oneOf(usual: string, other: string): (text: string) => string {
  return (text) => {
    if (text === '') return usual;
    const found = [usual, other].find((word) => word.startsWith(text));
    if (found === undefined) throw new UsageError(`Want ${usual} or ${other}.`);
    return found;
  };
}

function listed(text: string): readonly string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '' && name !== 'none');
  return namedAgents(names).map(({ adapter }) => adapter.agent);
}

/** Agents on the PATH that can be stopped. */
function agentsHere(): readonly string[] {
  const path = machineHost.env('PATH') ?? '';
  return ALL_AGENTS.filter(
    (agent) => agent.adapter.observeOnly === undefined && programOf(agent, path) !== null,
  ).map(({ adapter }) => adapter.agent);
}
