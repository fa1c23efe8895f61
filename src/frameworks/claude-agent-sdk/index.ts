/**
 * The policy in a program that uses the Claude Agent SDK: the events of Claude Code, answered in the process instead of by a command.
 *
 * ```ts
 * const guard = await openGuard({ policy: '.' });
 * for await (const message of query({ prompt, options: guardAgent(guard, { allowedTools: ['Bash'] }) })) …
 * await guard.close();
 * ```
 */
import { resolve } from 'node:path';
import {
  adapter,
  blockOf,
  callReports,
  carriable,
  claudeSwitches,
  type Decided,
  decideNative,
  degrade,
  denyAnswer,
  type EventRow,
  type NativeCall,
  rowsUnder,
  switchesOn,
  textOnDisk,
  type Verdict,
  verdictOf,
} from '../../agents/index.ts';
import { BoundedMap, type Json, type JsonObject } from '../../base/index.ts';
import { isLocationEvent, requireEvent } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import { askThrough } from '../../policy/index.ts';
import { type AgentOptions, type Guard, openGuardIn } from '../guard.ts';

export { type AgentOptions, Guard, type GuardOptions } from '../guard.ts';

export const openGuard = openGuardIn(
  'Claude Agent SDK',
  ...adapter.events.flatMap(({ event }) => event ?? []),
);

/** What a hook of the SDK gives back. */
export interface HookAnswer {
  continue?: boolean;
  stopReason?: string;
  systemMessage?: string;
  decision?: 'approve' | 'block';
  reason?: string;
  // biome-ignore lint/suspicious/noExplicitAny: one of the SDK's own types for each event.
  hookSpecificOutput?: any;
}

export type HookCallback = (
  // biome-ignore lint/suspicious/noExplicitAny: one of the SDK's own types for each event.
  input: any,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookAnswer>;

export interface HookMatcher {
  matcher?: string;
  hooks: HookCallback[];
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

export type PermissionAnswer =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own options of a question.
export type CanUseTool = (tool: string, input: Record<string, unknown>, options: any) => Promise<any>;

/** The options of `query` that the guard stands in. */
export interface GuardableOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a record by the SDK's own names of events.
  hooks?: any;
  canUseTool?: CanUseTool;
  /** The folder the agent works in; by default that of the process. */
  cwd?: string;
  /** Further folders it works in. */
  additionalDirectories?: string[];
  env?: Record<string, string | undefined>;
  extraArgs?: Record<string, string | null>;
  executableArgs?: string[];
  /** More settings: a value, its JSON or a path. */
  // biome-ignore lint/suspicious/noExplicitAny: a record of the SDK's own, which also has to fit its type.
  settings?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  managedSettings?: any;
}

/** So often in a row an agent is sent back when it wants to stop. */
const MOST_STOPS = 6;
/** In seconds. A person may be asked in between. */
const TIMEOUT_S = 600;

/** The same options, with the policy before every hook and every permission that stand in them. */
export function guardOptions<T extends object = object>(
  guard: Guard,
  options?: T & GuardableOptions,
  more: AgentOptions = {},
): T & GuardableOptions {
  refuseBare(guard, options ?? {}, more);
  const watch = new AgentGuard(guard, options);
  const given = (options?.hooks ?? {}) as Record<string, HookMatcher[]>;
  const hooks = Object.fromEntries(
    rowsUnder(adapter, (event) => guard.policy.registry.has(event)).map(
      ({ native }): [string, HookMatcher[]] => {
        const own: HookMatcher = {
          hooks: [(input) => watch.hook(native, input as JsonObject)],
          timeout: TIMEOUT_S,
          // What throws would be passed over.
          onFailure: 'block',
        };
        return [native, [own, ...(given[native] ?? [])]];
      },
    ),
  );
  return {
    ...(options as T),
    hooks: { ...given, ...hooks },
    canUseTool: (tool, input, more) => watch.canUse(tool, input, more),
  };
}

/** The mode in which the SDK asks no hook, as a flag and as a variable. No other switch of it reaches the hooks of a program. */
const BARE = 'bare';
const SIMPLE = 'CLAUDE_CODE_SIMPLE';
const SETTINGS = 'settings';

function refuseBare(guard: Guard, given: GuardableOptions, options: AgentOptions): void {
  const { cwd = '.', env, extraArgs = {}, executableArgs = [] } = given;
  if (Object.hasOwn(extraArgs, BARE) || executableArgs.includes(`--${BARE}`))
    guard.refuse(BARE, 'a mode in which the SDK asks no hook', options);
  const folder = resolve(cwd);
  const variable = (name: string) => (env === undefined ? machineHost.env(name) : env[name]);
  const place = { scope: { dir: folder }, home: variable('HOME') ?? '', env: variable };
  const inline = new Map<string, string>();
  const own = settingsIn(given).map(([name, value]): string => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (!text.trimStart().startsWith('{')) return resolve(folder, text);
    inline.set(name, text);
    return name;
  });
  const switches = claudeSwitches
    .filter(({ name }) => name.endsWith(SIMPLE))
    .map((one) =>
      one.seen === SETTINGS ? { ...one, files: (at: typeof place) => [...own, ...one.files(at)] } : one,
    );
  const [on] = switchesOn({ switches }, place, (file) => inline.get(file) ?? textOnDisk(file));
  if (on !== undefined) guard.refuse(SIMPLE, on, options);
}

/** The settings that the options bring, each a value, its JSON or a path, by where they stand. */
function settingsIn({
  settings,
  managedSettings,
  extraArgs = {},
  executableArgs = [],
}: GuardableOptions): (readonly [string, unknown])[] {
  const flag = `--${SETTINGS}`;
  const args = executableArgs.map((arg, at): readonly [string, unknown] => {
    const [name, ...value] = arg.split('=');
    return [flag, name !== flag ? undefined : value.length > 0 ? value.join('=') : executableArgs[at + 1]];
  });
  const all = [
    [SETTINGS, settings],
    ['managedSettings', managedSettings],
    [flag, extraArgs[SETTINGS]],
    ...args,
  ];
  return (all as (readonly [string, unknown])[]).filter(([, value]) => value !== undefined && value !== null);
}

/** What lasts from one event of a run to the next. */
interface RunState {
  stops: number;
  /** A block that its own event could not carry. */
  heldBack: string | null;
}

/** The options describe the whole agent, so that guarding them guards it: its own tools, MCP servers, sub-agents, skills and plugins. */
export const guardAgent = guardOptions;

const MOST_RUNS = 1000;

class AgentGuard {
  private readonly guard: Guard;
  private readonly own: CanUseTool | undefined;
  private readonly roots: JsonObject;
  /** Calls that a hook asks about, by their id: the outcome that a person answers. */
  private readonly asked = new Map<string, Decided>();
  /** By the session of the agent: the same options may serve many runs at once. */
  private readonly runs = new BoundedMap<string, RunState>(MOST_RUNS);

  constructor(guard: Guard, { canUseTool, cwd, additionalDirectories = [] }: GuardableOptions = {}) {
    this.guard = guard;
    this.own = canUseTool;
    const workspace = resolve(cwd ?? '.');
    this.roots = { workspace, workspaces: additionalDirectories.map((folder) => resolve(workspace, folder)) };
  }

  /** Never throws: a hook that throws is passed over. */
  async hook(event: string, input: JsonObject): Promise<HookAnswer> {
    const row = adapter.events.find(({ native }) => native === event)!;
    try {
      const call = adapter.read(JSON.parse(JSON.stringify(input)) as JsonObject, event);
      if ('problem' in call) return written(denyAnswer(adapter, row, `Blocked: ${call.problem}`));
      const placed = this.placed(call);
      return written(adapter.answer(row, placed, await this.verdict(row, placed)));
    } catch (error) {
      return written(
        denyAnswer(adapter, row, `Blocked: the policy could not decide: ${(error as Error).message}`),
      );
    }
  }

  /** With where the agent works, which the policy that the guard was opened for may not know. */
  private placed({ payloads, also = [], ...call }: NativeCall): NativeCall {
    const place = { ...this.roots, ...(call.cwd !== null && { cwd: call.cwd }) };
    const at = (event: string, payload: JsonObject): JsonObject =>
      isLocationEvent(requireEvent(event)) ? { ...payload, ...place } : payload;
    return {
      ...call,
      payloads: payloads.map((each) => (typeof each === 'string' ? each : at(call.row.event, each))),
      also: also.map(({ event, payload }) => ({ event, payload: at(event, payload) })),
    };
  }

  private async verdict(row: EventRow, call: NativeCall): Promise<Verdict> {
    const run = this.runs.get(call.session) ?? { stops: 0, heldBack: null };
    this.runs.set(call.session, run);
    const held = adapter.events.some(({ madeGoodAt }) => madeGoodAt === row.native) ? run.heldBack : null;
    if (held !== null) {
      run.heldBack = null;
      return blockOf(held);
    }
    const { judge } = this.guard;
    const fire = (event: string, payload: Json) => judge.decide(event, payload);
    const decided = await decideNative(fire, call, judge.engine.run.session);
    const said = carriable(
      call,
      decided.outcomes,
      verdictOf(decided.outcomes, call.payloads as readonly Json[], decided.also),
    );
    const { verdict, later } = degrade(capped(run, row, said), row, call);
    if (later !== undefined) run.heldBack = later;
    if (row.event === 'turn.start') run.stops = 0;
    if (verdict.action === 'ask' && call.callId !== null) this.asked.set(call.callId, decided);
    for (const report of callReports(adapter, call, verdict, decided.outcomes))
      this.guard.judge.report(report);
    return verdict;
  }

  /** The SDK asks: since a hook of the policy does, or since no rule of its own allows the call. */
  async canUse(
    tool: string,
    input: Record<string, unknown>,
    options: { toolUseID?: string; signal?: AbortSignal },
  ): Promise<unknown> {
    const id = options?.toolUseID ?? '';
    const decided = this.asked.get(id);
    this.asked.delete(id);
    try {
      const reason = decided === undefined ? null : await this.refusal(id, decided, options.signal);
      if (reason !== null) return { behavior: 'deny', message: reason };
    } catch (error) {
      return { behavior: 'deny', message: `the policy could not decide: ${(error as Error).message}` };
    }
    if (this.own !== undefined) return this.own(tool, input, options);
    return decided === undefined
      ? { behavior: 'deny', message: 'no rule allows it, and the program asks no person (canUseTool)' }
      : { behavior: 'allow', updatedInput: input };
  }

  /** Why a person did not approve what hooks ask about; null if they did, or if the program's own question is the one to ask. */
  private async refusal(
    id: string,
    { outcomes, also }: Decided,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const { judge, approvals, windowMs } = this.guard;
    if (approvals === null && this.own !== undefined) return null;
    const until = signal ?? new AbortController().signal;
    const asking = [...outcomes, ...also].filter(({ action }) => action === 'ask');
    for (const outcome of asking) {
      const settled = await judge.permit(outcome, askThrough({ approvals, windowMs, signal: until }));
      if (settled.mayRun) continue;
      const { name = '' } = outcome.payload as JsonObject;
      const reason = settled.reason ?? 'it was not approved';
      judge.report({ callId: id, tool: String(name), verdict: 'denied', by: outcome.hook, reason });
      return reason;
    }
    return null;
  }
}

/** A gate that sends an agent back for ever is a loop. */
function capped(run: RunState, row: EventRow, verdict: Verdict): Verdict {
  if (requireEvent(row.event).sendsBack !== true || verdict.action !== 'block' || ++run.stops <= MOST_STOPS)
    return verdict;
  const message = `sent back ${MOST_STOPS} times in a row; it may stop now. Last reason: ${verdict.reason}`;
  return { action: 'allow', context: null, message };
}

/** What a command would print. */
function written({
  stdout,
  stderr,
  exitCode,
}: {
  stdout: string;
  stderr: string;
  exitCode: number;
}): HookAnswer {
  if (exitCode !== 0) return { decision: 'block', reason: stderr };
  return stdout === '' ? {} : (JSON.parse(stdout) as HookAnswer);
}
