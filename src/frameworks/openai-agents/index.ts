/**
 * The policy in a program that uses the OpenAI Agents SDK.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * const agent = guardAgent(guard, new Agent({ name, instructions, tools, mcpServers, handoffs }));
 * ```
 */
import type { Json, JsonObject } from '../../base/index.ts';
import {
  type AgentOptions,
  argumentsOf,
  type Guard,
  openGuardIn,
  type UserText,
  userTexts,
  withContext,
  withMethods,
} from '../guard.ts';

export { type AgentOptions, Guard, type GuardOptions } from '../guard.ts';

export const openGuard = openGuardIn('OpenAI Agents');

interface AnyTool {
  readonly type: string;
  readonly name: string;
}

// biome-ignore lint/suspicious/noExplicitAny: values of the SDK's own types, which this package does not import.
type Theirs = any;

type Invoke = (
  context: unknown,
  input: string,
  details?: { toolCall?: { callId?: string } },
) => Promise<unknown>;

/** How a kind of tool is judged: the tool to use in its place. */
type Wrap = (guard: Guard, tool: Theirs, options: AgentOptions) => AnyTool;

/** By the `type` of a tool. A kind that is not here is refused. */
const KINDS: Readonly<Record<string, Wrap>> = {
  function: guardFunction,
  shell: guardShell,
  apply_patch: guardEditor,
  computer: guardComputer,
  hosted_tool: guardHosted,
};

/** Guarded tools by guard and by the tool they stand for: the SDK compares tools, and none is judged twice. */
const guarded = new WeakMap<Guard, WeakMap<object, AnyTool>>();

function lookup<T>(all: WeakMap<Guard, WeakMap<object, T>>, guard: Guard): WeakMap<object, T> {
  const known = all.get(guard) ?? new WeakMap<object, T>();
  all.set(guard, known);
  return known;
}

/** The same tools; each runs only as the policy says. */
export function guardTools<T extends readonly AnyTool[]>(
  guard: Guard,
  tools: T,
  options: AgentOptions = {},
): T {
  return tools.map((tool) => guardTool(guard, tool, options)) as unknown as T;
}

export function guardTool<T extends AnyTool>(guard: Guard, tool: T, options: AgentOptions = {}): T {
  const known = lookup(guarded, guard);
  const before = known.get(tool);
  if (before !== undefined) return before as T;
  const wrap = Object.hasOwn(KINDS, tool.type) ? KINDS[tool.type] : undefined;
  if (wrap === undefined) guard.refuse(tool.name, `a tool of the unknown kind "${tool.type}"`, options);
  const made = (wrap?.(guard, tool, options) ?? tool) as T;
  known.set(tool, made);
  known.set(made, made);
  return made;
}

function guardFunction(guard: Guard, tool: Theirs, options: AgentOptions): AnyTool {
  // `asTool` of an agent that is not guarded: the tools of that agent are out of reach behind a closure.
  if (typeof tool.on === 'function')
    guard.refuse(tool.name, 'an agent as a tool; write guardAgent(guard, agent).asTool(…)', options);
  return copyOf(tool, { invoke: judgedInvoke(guard, tool) });
}

/** What the SDK gives the model in place of what a tool throws. A tool with an `errorFunction` of its own answers for itself. */
const THROWN = 'An error occurred while running the tool. Please try again.';

class ToolThrew extends Error {}

function judgedInvoke(guard: Guard, { name, invoke }: { name: string; invoke: Invoke }): Invoke {
  return async (context, input, details) => {
    const called = await guard
      .call({ id: details?.toolCall?.callId, name, args: argumentsOf(input) }, async (args) => {
        const output = await invoke(context, JSON.stringify(args), details);
        if (output === THROWN) throw new ToolThrew(THROWN);
        return output;
      })
      .catch((error: unknown) => {
        if (error instanceof ToolThrew) return { ok: false as const, reason: THROWN };
        throw error;
      });
    // What a tool gives back is what the model reads: a throw would end the run.
    return called.ok ? withContext(called.value, called.context) : called.reason;
  };
}

function guardShell(guard: Guard, tool: Theirs): AnyTool {
  if (tool.shell === undefined) return runsAtProvider(guard, tool);
  const run = (action: Theirs) =>
    orThrow(guard, tool.name, argumentsOf(action), (args) => tool.shell.run(args));
  return copyOf(tool, { shell: withMethods(tool.shell, { run }) });
}

function guardEditor(guard: Guard, tool: Theirs): AnyTool {
  const judged = (method: string) => (operation: Theirs, context: Theirs) =>
    orThrow(guard, tool.name, argumentsOf(operation), (args) => tool.editor[method](args, context));
  const methods = ['createFile', 'updateFile', 'deleteFile'].map((method) => [method, judged(method)]);
  return copyOf(tool, { editor: withMethods(tool.editor, Object.fromEntries(methods)) });
}

/** The actions of a computer, and what the SDK calls their arguments. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  screenshot: [],
  click: ['x', 'y', 'button'],
  doubleClick: ['x', 'y'],
  scroll: ['x', 'y', 'scroll_x', 'scroll_y'],
  type: ['text'],
  wait: [],
  move: ['x', 'y'],
  keypress: ['keys'],
  drag: ['path'],
};

/** A computer, a function that makes one for a run, or an object that makes and removes one. */
function guardComputer(guard: Guard, tool: Theirs): AnyTool {
  const { computer, name } = tool;
  const judged = (made: Theirs) => {
    const actions = Object.entries(ACTIONS).map(([action, names]) => [
      action,
      (...given: unknown[]) => {
        const named = names.map((key, at) => [key, given[at]]);
        const args = { action, ...Object.fromEntries(named) } as JsonObject;
        return orThrow(guard, name, args, (left) =>
          made[action](...names.map((key) => left[key]), ...given.slice(names.length)),
        );
      },
    ]);
    return withMethods(made, Object.fromEntries(actions));
  };
  if (typeof computer === 'function')
    return copyOf(tool, { computer: async (run: Theirs) => judged(await computer(run)) });
  if (typeof computer.create === 'function') {
    const create = async (run: Theirs) => judged(await computer.create(run));
    return copyOf(tool, { computer: { ...computer, create } });
  }
  return copyOf(tool, { computer: judged(computer) });
}

/** Hosted tools run at the service, except for a search of tools that the program itself answers. */
function guardHosted(guard: Guard, tool: Theirs, options: AgentOptions): AnyTool {
  const key = Object.getOwnPropertySymbols(tool).find((symbol) => typeof tool[symbol] === 'function');
  if (key === undefined) return runsAtProvider(guard, tool);
  const search = async (given: Theirs) => {
    const args = argumentsOf(given.toolCall?.arguments);
    let found: Theirs = null;
    const called = await guard.call({ name: tool.name, args }, async () => {
      found = await tool[key](given);
      return null;
    });
    if (!called.ok || found === null || found === undefined) return null;
    return guardTools(guard, [found].flat(), options);
  };
  return copyOf(tool, { [key]: search });
}

const offered = Symbol('harness: runs at the provider');

/** Nothing here sees its calls: that the model has it is on the tape of every run. */
function runsAtProvider(guard: Guard, tool: Theirs): AnyTool {
  return Object.defineProperty(copyOf(tool, {}), offered, { value: () => guard.atProvider(tool.name) });
}

/** The SDK gives the message of what these throw to the model. */
async function orThrow<T>(
  guard: Guard,
  name: string,
  args: JsonObject,
  execute: (args: JsonObject) => T | PromiseLike<T>,
): Promise<T> {
  const called = await guard.call({ name, args }, execute);
  if (!called.ok) throw new Error(called.reason);
  return called.value;
}

/** With its symbols and accessors. */
function copyOf(tool: Theirs, changes: Theirs): AnyTool {
  const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  for (const key of Reflect.ownKeys(changes))
    Object.defineProperty(copy, key, {
      value: changes[key],
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy as AnyTool;
}

/** Guarded agents by guard and by the agent they stand for: handoffs may form a circle, and no agent is guarded twice. */
const agents = new WeakMap<Guard, WeakMap<object, object>>();

/**
 * The same agent under the policy: the user's prompts, all its tools, those of its MCP servers and of its sandbox, its handoffs and the
 * agents behind them. Tools that are added to it later are judged too.
 */
export function guardAgent<A extends object>(guard: Guard, agent: A, options: AgentOptions = {}): A {
  const known = lookup(agents, guard);
  const before = known.get(agent);
  if (before !== undefined) return before as A;
  const own: Theirs = copyOf(agent, {});
  guardTools(guard, own.tools, options);
  known.set(agent, own);
  try {
    own.handoffs = own.handoffs.map((to: Theirs) => guardedTarget(guard, to, options));
  } catch (error) {
    known.delete(agent);
    throw error;
  }
  if (own.capabilities !== undefined)
    own.capabilities = own.capabilities.map((each: Theirs) => guardCapability(guard, each, options));
  return govern(guard, own, options) as A;
}

/** Puts the policy into an agent of ours. */
function govern(guard: Guard, own: Theirs, options: AgentOptions): object {
  const { clone, asTool, getAllTools, getEnabledHandoffs } = own;
  lookup(agents, guard).set(own, own);
  own.inputGuardrails = [...withoutOurs(own.inputGuardrails), promptGuardrail(guard)];
  const runs = new WeakSet<object>();
  const methods: Theirs = {
    async getAllTools(context: Theirs, parent: Theirs) {
      const tools = guardTools(guard, await getAllTools.call(this, context, parent), options) as Theirs[];
      // Once for a run, which asks for its tools at every turn.
      if (!runs.has(context)) for (const tool of tools) tool[offered]?.();
      runs.add(context);
      return tools;
    },
    async getEnabledHandoffs(context: Theirs) {
      const enabled = (await getEnabledHandoffs.call(this, context)) as Theirs[];
      return enabled.map((to) =>
        to.clone({
          // A throw ends the run: the SDK has no way to refuse a handoff and go on.
          onInvokeHandoff: (run: Theirs, input: string) =>
            judgedHandoff(guard, to.toolName, input, (left) => to.onInvokeHandoff(run, left)),
        }),
      );
    },
    asTool(settings: Theirs) {
      const inner = this.clone({});
      // What the outer agent asks of this one is the argument of a judged call; no user wrote it.
      inner.inputGuardrails = withoutOurs(inner.inputGuardrails);
      const tool = asTool.call(inner, settings);
      // In place, since the SDK finds the agent of a tool by the tool.
      tool.invoke = judgedInvoke(guard, { name: tool.name, invoke: tool.invoke });
      lookup(guarded, guard).set(tool, tool);
      return tool;
    },
    // The SDK copies an agent to give it the tools of a sandbox.
    clone(changes: Theirs) {
      return govern(guard, clone.call(this, changes), options);
    },
  };
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(own, name, { value, configurable: true, writable: true });
  return own as object;
}

/** What a sandbox can do, with its tools guarded: the SDK adds them to a copy of the agent by itself. */
function guardCapability(guard: Guard, capability: Theirs, options: AgentOptions): unknown {
  return new Proxy(capability, {
    get(of, key, self) {
      if (key === 'clone') return () => guardCapability(guard, of.clone(), options);
      if (key === 'tools') return () => guardTools(guard, of.tools.call(self), options);
      return Reflect.get(of, key, self);
    },
  });
}

function guardedTarget(guard: Guard, to: Theirs, options: AgentOptions): unknown {
  return typeof to.onInvokeHandoff === 'function'
    ? to.clone({ agent: guardAgent(guard, to.agent, options) })
    : guardAgent(guard, to, options);
}

async function judgedHandoff(
  guard: Guard,
  name: string,
  input: string,
  execute: (input: string) => Promise<unknown>,
): Promise<unknown> {
  let target: unknown;
  const called = await guard.call({ name, args: argumentsOf(input || '{}') }, async (args) => {
    target = await execute(input === '' ? input : JSON.stringify(args));
    return null as Json;
  });
  if (!called.ok) throw new Error(called.reason);
  return target;
}

const NAME = 'harness';

function withoutOurs(guardrails: readonly { readonly name: string }[]) {
  return guardrails.filter(({ name }) => name !== NAME);
}

/** A guardrail on what the user says: a block trips the wire. It cannot rewrite. */
export function promptGuardrail(guard: Guard) {
  return {
    name: NAME,
    // By default the model is asked meanwhile.
    runInParallel: false,
    execute: async ({ input }: { input: unknown }) => {
      const reason = await guard.promptRefusal(promptsOf(input));
      return { tripwireTriggered: reason !== null, outputInfo: reason === null ? {} : { reason } };
    },
  };
}

function promptsOf(input: unknown): readonly UserText[] {
  return userTexts(Array.isArray(input) ? input : [{ role: 'user', content: input }]);
}
