/**
 * Which model answers: a script on the command line, a model named there, or the one of `harness.md`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentProject,
  createProvider,
  type ModelSettings,
  type Provider,
  parseScript,
  readModel,
  type ServedModel,
  scriptedProvider,
} from '../agent/index.ts';
import { didYouMean, type Problem } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import { quote, UsageError } from '../terminal/index.ts';

export interface Model {
  readonly connect: () => Promise<Provider>;
  /** As requests name it. */
  readonly name: string;
  /** What the script itself says for the person; empty where there is no script, or it says nothing. */
  readonly prompts: readonly string[];
  readonly scripted: boolean;
  /** Another model, for a sub-agent; null if a script speaks for all of them. */
  readonly other: (name: string) => Promise<ServedModel | null>;
}

/** A script with mistakes in it: they are shown with their places. */
export class ScriptProblems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`the script has ${problems.length} problems`);
    this.problems = problems;
  }
}

export interface ModelChoice {
  /** `--script`: relative to where the command runs. */
  readonly script?: string | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
}

export function chooseModel(agent: AgentProject, choice: ModelChoice): Model {
  if (choice.script !== undefined) return fromScript(choice.script, choice.model ?? 'scripted');
  const settings = settingsFor(agent, choice.model);
  const file = /^scripted:(.+)$/s.exec(settings.model)?.[1];
  if (file !== undefined) return fromScript(join(agent.policy.root, file), 'scripted');
  return {
    connect: async () => {
      return createProvider(settings, machineHost);
    },
    name: bareName(settings),
    prompts: [],
    scripted: false,
    other: async (name) => {
      const wanted = settingsFor(agent, name);
      return { provider: await createProvider(wanted, machineHost), model: bareName(wanted) };
    },
  };
}

function bareName({ model }: ModelSettings): string {
  return model.slice(model.indexOf('/') + 1);
}

function settingsFor({ config, withheld }: AgentProject, named: string | undefined): ModelSettings {
  const held = withheld.find(({ kind, name }) => kind === 'model' && (named === undefined || name === named));
  if (named === undefined) {
    if (config.model !== null) return config.model;
    if (held !== undefined) throw new UsageError(`the model ${quote(held.name)} is not used: ${held.why}`);
    throw new UsageError(
      'no model: put `model: anthropic/NAME` or `model: openai/NAME` into harness.md, or give --model or --script',
    );
  }
  if (Object.hasOwn(config.models, named)) return config.models[named]!;
  if (held !== undefined) throw new UsageError(`the model ${quote(held.name)} is not used: ${held.why}`);
  const read = readModel(named, {});
  if (!read.ok) {
    const names = Object.keys(config.models);
    const known = names.length === 0 ? '' : `, or one of harness.md: ${names.slice(0, 10).join(', ')}`;
    throw new UsageError(`--model: ${read.message}${known}${didYouMean(named, names)}`);
  }
  return read.settings;
}

function fromScript(file: string, name: string): Model {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the script ${quote(file)}: ${(error as Error).message}`);
  }
  const parsed = parseScript(text, file);
  if (!parsed.ok) throw new ScriptProblems(parsed.problems);
  const { script } = parsed;
  const connect = async () => scriptedProvider(script);
  return { connect, name, prompts: script.prompts ?? [], scripted: true, other: async () => null };
}
