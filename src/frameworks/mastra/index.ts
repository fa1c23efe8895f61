/**
 * The policy in a program that uses Mastra.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = guardAgent(guard, new Agent({ id, name, instructions, model, tools, agents, workflows, workspace }));
 * ```
 */
import {
  type AgentOptions,
  argumentsOfInput,
  type Guard,
  inputLike,
  openGuardIn,
  textOfParts,
  userTurns,
  withContext,
} from '../guard.ts';

export { type AgentOptions, Guard, type GuardOptions } from '../guard.ts';

export const openGuard = openGuardIn('Mastra');

interface MastraTool {
  readonly id: string;
  execute?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: values of the framework's own types, which this package does not import.
type Theirs = any;

/** The same tools; each runs only as the policy says. */
export function guardTools<T extends Readonly<Record<string, MastraTool>>>(guard: Guard, tools: T): T {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, tool)])) as T;
}

export function guardTool<T extends MastraTool>(guard: Guard, tool: T): T {
  const { execute } = tool;
  if (typeof execute !== 'function') return tool;
  // A tool is an instance of the framework's class, and has to stay one.
  const made = Object.create(Object.getPrototypeOf(tool) as object) as T;
  return Object.assign(made, tool, { execute: judged(guard, tool.id, execute as Execute) });
}

type Execute = (input: Theirs, context?: Theirs) => unknown;

function judged(guard: Guard, name: string, execute: Execute): Execute {
  // Version 0 gives `{ context }` first, version 1 the input itself.
  return async (first, second) => {
    const wrapped =
      typeof first === 'object' && first !== null && 'context' in first && 'runtimeContext' in first;
    const input = wrapped ? first.context : first;
    const id = second?.toolCallId ?? second?.agent?.toolCallId;
    const called = await guard.call({ id, name, args: argumentsOfInput(input) }, (args) => {
      const left = inputLike(input, args);
      return execute(wrapped ? { ...first, context: left } : left, second);
    });
    if (!called.ok) throw new Error(called.reason);
    return withContext(called.value, called.context);
  };
}

/** By which guard a tool that an agent is about to offer is judged already: a step may give back the tools it was given. */
const judgedBy = new WeakMap<object, Guard>();

/** The tools that an agent is about to offer, by the names that the model calls them by. */
function guardOffered(guard: Guard, tools: Theirs, options: AgentOptions): Theirs {
  const made = Object.entries(tools as Record<string, Theirs>).map(([name, tool]) => {
    if (tool === undefined || tool === null || judgedBy.get(tool) === guard) return [name, tool];
    if (typeof tool.execute === 'function') {
      const copy = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
        execute: judged(guard, name, tool.execute),
      });
      judgedBy.set(copy, guard);
      return [name, copy];
    }
    if (PROVIDER_KINDS.includes(tool.type)) guard.atProvider(name);
    else guard.refuse(name, 'a tool without execute, so that another program runs it', options);
    const same = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);
    judgedBy.set(same, guard);
    return [name, same];
  });
  return Object.fromEntries(made);
}

const PROVIDER_KINDS: readonly unknown[] = ['provider', 'provider-defined'];

/** Methods of an agent that this adapter stands in: an agent without one of them is refused. */
const NEEDED = ['convertTools', 'resolveInputProcessors', '__runInputProcessors', 'listAgents'];

/** These ways to run call tools by themselves: refused unless the program accepts them. */
const UNJUDGED: Readonly<Record<string, string>> = {
  network: 'write generate or stream, which offer the same agents, workflows and tools',
  resumeNetwork: 'write resumeGenerate or resumeStream',
};

/** The ways to run: their options may put other tools into a step. */
const RUNS = /^(generate|stream|resume|approve|decline)/;

const governedBy = new WeakMap<object, Guard>();

/**
 * The given agent, under the policy from now on: the user's prompts, and every tool that it offers to a model, its own and those of its
 * memory, workspace, browser, skills, toolsets, workflows, MCP servers and other agents. Those agents are guarded with it.
 */
export function guardAgent<A extends object>(guard: Guard, agent: A, options: AgentOptions = {}): A {
  if (governedBy.get(agent) === guard) return agent;
  const own: Theirs = agent;
  const missing = NEEDED.filter((method) => typeof own[method] !== 'function');
  if (missing.length > 0) {
    guard.refuse(
      nameOf(own),
      `an agent without ${missing.join(', ')}: not run by this version of Mastra`,
      options,
    );
    governedBy.set(agent, guard);
    return agent;
  }
  if (hasVoice(own)) guard.refuse('voice', 'a voice calls the tools of its agent by itself', options);
  governedBy.set(agent, guard);
  const { convertTools, resolveInputProcessors, __runInputProcessors, listAgents, getDefaultOptions } = own;
  const ours = agentProcessor(guard, options);
  const methods: Theirs = {
    async convertTools(given: Theirs) {
      return guardOffered(guard, await convertTools.call(this, given), options);
    },
    // Last, so that it judges what all others left. The list that a call gives replaces that of the agent, never this one.
    async resolveInputProcessors(context: Theirs, instead: Theirs) {
      const all = (await resolveInputProcessors.call(this, context, instead)) as Theirs[];
      return [...all.filter((each) => each !== ours), ours];
    },
    async __runInputProcessors(given: Theirs) {
      const { inputProcessorOverrides: instead, requestContext } = given;
      const all = instead ?? (await this.listConfiguredInputProcessors(requestContext));
      // An agent with no list of processors would skip them.
      return __runInputProcessors.call(this, { ...given, inputProcessorOverrides: [...all, ours] });
    },
    listAgents(given: Theirs) {
      return afterwards(listAgents.call(this, given), (all) => {
        for (const each of Object.values(all)) guardAgent(guard, each as object, options);
        return all;
      });
    },
    getDefaultOptions(given: Theirs) {
      return afterwards(getDefaultOptions.call(this, given), (defaults) =>
        withSteps(guard, defaults, options),
      );
    },
  };
  for (const [name, why] of Object.entries(UNJUDGED))
    if (typeof own[name] === 'function' && options.accept?.includes(name) !== true)
      methods[name] = async () => guard.refuse(name, why, options);
  for (const name of methodsOf(own).filter((each) => RUNS.test(each) && methods[each] === undefined)) {
    const run = own[name];
    methods[name] = function (this: unknown, ...given: unknown[]) {
      return run.apply(
        this,
        given.map((each) => withSteps(guard, each, options)),
      );
    };
  }
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(own, name, { value, configurable: true, writable: true });
  // Other agents that cannot be judged are refused now, not in the first run.
  own.listAgents();
  return agent;
}

function nameOf({ name, id }: Theirs): string {
  return String(name ?? id ?? 'agent');
}

/** Mastra gives every agent a voice that does nothing. The getter throws for one that is made anew in every request. */
function hasVoice(agent: Theirs): boolean {
  try {
    return agent.voice !== undefined && agent.voice.constructor.name !== 'DefaultVoice';
  } catch {
    return true;
  }
}

function methodsOf(agent: object): string[] {
  const names: string[] = [];
  for (let at = agent; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at) as object)
    names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'));
  return [...new Set(names)];
}

function afterwards(value: Theirs, change: (value: Theirs) => Theirs): Theirs {
  return typeof value?.then === 'function' ? value.then(change) : change(value);
}

/** The options of a run: `prepareStep` may offer other tools, after all processors. */
function withSteps(guard: Guard, given: Theirs, options: AgentOptions): Theirs {
  const prepareStep = given?.prepareStep;
  if (typeof prepareStep !== 'function') return given;
  const judgedStep = async (step: Theirs) => {
    const prepared = await prepareStep(step);
    return prepared?.tools === undefined
      ? prepared
      : { ...prepared, tools: guardOffered(guard, prepared.tools, options) };
  };
  return { ...given, prepareStep: judgedStep };
}

/** A processor may offer other tools in any step. */
function agentProcessor(guard: Guard, options: AgentOptions) {
  const prompts = promptProcessor(guard);
  return {
    ...prompts,
    processInputStep: async (step: Processed & { readonly tools?: Theirs }) => {
      await prompts.processInputStep(step);
      return step.tools === undefined ? undefined : { tools: guardOffered(guard, step.tools, options) };
    },
  };
}

interface Processed {
  readonly messages: readonly unknown[];
  readonly abort: (reason?: string) => never;
  /** Of this processor in one run. */
  readonly state?: Record<string, unknown>;
}

interface Message {
  readonly id?: string;
  readonly role?: unknown;
  readonly content?: unknown;
}

/** For `inputProcessors`: a prompt the policy blocks, or would rewrite, ends the run as a tripwire. */
export function promptProcessor(guard: Guard) {
  return {
    id: 'harness',
    name: 'harness',
    processInput: async <M extends Processed>(run: M): Promise<M['messages']> => {
      await judgePrompts(guard, run);
      return run.messages;
    },
    // A message may be sent to a run that has begun.
    processInputStep: async (step: Processed): Promise<undefined> => judgePrompts(guard, step),
  };
}

/** Judges what this run has not judged yet. */
async function judgePrompts(guard: Guard, { messages, abort, state = {} }: Processed): Promise<undefined> {
  const all = messages as readonly Message[];
  const judged = (state[JUDGED] ??= {}) as Record<string, string>;
  const open = userTurns(all, ({ role }) => role)
    .map(({ at, isNew }) => ({ id: all[at]!.id ?? '', text: textOf(all[at]!), isNew }))
    .filter(({ id, text }) => judged[id] !== text);
  const reason = await guard.promptRefusal(open);
  if (reason !== null) abort(reason);
  for (const { id, text } of open) judged[id] = text;
}

/** Texts by the id of their message. */
const JUDGED = 'harness';

function textOf({ content }: Message): string {
  if (typeof content === 'string' || Array.isArray(content)) return textOfParts(content);
  const { parts, content: inner } = (content ?? {}) as { parts?: unknown; content?: unknown };
  return textOfParts(parts) || textOfParts(inner);
}
