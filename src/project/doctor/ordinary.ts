/**
 * Ordinary work under the policy in force: a guard that stops it is as wrong as one that is off. Each call is judged in a session
 * that leaves nothing behind. What Harness ships must not stop one, and no hook may fail at one; what a person's own hook stops
 * may be what they want. A hook that starts programs or speaks to an address is not tried.
 */
import { join } from 'node:path';
import {
  type Adapter,
  AGENTS,
  canaryPayload,
  isUnreadable,
  type NativeToolCall,
  type OrdinaryTools,
  type ProjectFile,
} from '../../agents/index.ts';
import type { DecisionSite, Outcome } from '../../engine/index.ts';
import { policyNow, type TrialDecision, TrialSession } from '../../launcher/index.ts';
import type { Host, ProcessResult } from '../../machine/index.ts';
import { outcomeWithout, placeText } from '../judge.ts';

export interface OrdinaryResult {
  /** In words: `write a file in the project`. */
  readonly call: string;
  readonly outcome: 'passed' | 'stopped' | 'not tried';
  /** Why; of one that passed, the hook that failed at it, or null. */
  readonly reason: string | null;
  /** What Harness ships stops it, or a hook failed. */
  readonly wrong: boolean;
}

export interface OrdinaryRequest {
  readonly adapter: Adapter;
  /** Whose policy is asked, as the registered line names it. */
  readonly scope: { readonly dir: string | null; readonly user: string | null; readonly managed?: boolean };
  /** The folder the agent works in. */
  readonly cwd: string;
  readonly host: Host;
  /** Sources of hooks that `init` writes, as a policy names them. */
  readonly shipped: ReadonlySet<string>;
}

export interface OrdinaryReport {
  readonly calls: readonly OrdinaryResult[];
  /** Hooks that were left out, in sentences. */
  readonly notTried: readonly string[];
}

type Ordinary = (tools: OrdinaryTools, file: (path: string) => ProjectFile) => NativeToolCall;

const ORDINARY: readonly (readonly [string, Ordinary])[] = [
  ['write a file in the project', ({ write }, file) => write(file('src/ordinary.txt'), 'One line of text.')],
  ['read a document of the project', ({ read }, file) => read(file('README.md'))],
  ['run the tests', ({ run }) => run('npm test')],
  ['commit', ({ run }) => run('git add -A && git commit -m "Says what changed"')],
];

const NONE: OrdinaryReport = { calls: [], notTried: [] };

export async function judgeOrdinary({
  adapter,
  scope,
  cwd,
  host: machine,
  shipped,
}: OrdinaryRequest): Promise<OrdinaryReport> {
  const row = adapter.events.find(({ event }) => event === 'tool.pre');
  if (row === undefined) return NONE;
  const tools = AGENTS.get(adapter.agent)!.ordinary;
  const reached = new Set<string>();
  const host = secluded(machine, adapter, cwd, reached);
  const policy = await policyNow(scope, cwd, host);
  // That the policy is gone or cannot be read is found by the canaries.
  if ('problem' in policy) return NONE;
  const left = outcomeWithout(policy);
  const file = (path: string) => ({ absolute: join(cwd, path), relative: path });
  const calls: OrdinaryResult[] = [];
  for (const [call, native] of ORDINARY) {
    reached.clear();
    const read = adapter.read(canaryPayload(adapter, row, cwd, native(tools, file)), row.native);
    if (isUnreadable(read)) {
      calls.push({ call, outcome: 'stopped', reason: read.problem, wrong: true });
      continue;
    }
    const tried = await new TrialSession(adapter, policy, { host, cwd }).judge(read);
    if ('problem' in tried) calls.push({ call, outcome: 'stopped', reason: tried.problem, wrong: true });
    else calls.push({ call, ...resultOf(tried, reached, shipped) });
  }
  return {
    calls,
    notTried: left.map(({ name, source, line }) => `hook "${name}" (${placeText({ file: source, line })})`),
  };
}

/** The machine as the agent's hooks see it, but no program is started, no address spoken to and no file written. */
function secluded(host: Host, { projectVariable }: Adapter, cwd: string, reached: Set<string>): Host {
  return {
    ...host,
    env: (name) => (name === projectVariable ? cwd : host.env(name)),
    run: async () => {
      reached.add('starts a program');
      return NOT_STARTED;
    },
    http: async () => {
      reached.add('speaks to an address');
      throw new Error('doctor speaks to no address for a hook');
    },
    appendFile: async () => {},
  };
}

const NOT_STARTED: ProcessResult = {
  ...{ exitCode: null, signal: null, stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 },
  ...{
    truncated: [],
    invalidUtf8: [],
    flooded: false,
    timedOut: false,
    aborted: false,
    leftBehind: 0,
    ms: 0,
  },
  startError: { code: 'EACCES', message: 'doctor starts no program of a hook' },
};

function resultOf(
  { verdict, outcomes }: TrialDecision,
  reached: ReadonlySet<string>,
  shipped: ReadonlySet<string>,
): Omit<OrdinaryResult, 'call'> {
  if (verdict.action === 'allow') {
    const off = outcomes.flatMap(({ trace }) => trace).find(({ onFailure }) => onFailure === 'allowed');
    if (off === undefined || reached.size > 0) return { outcome: 'passed', reason: null, wrong: false };
    const at = placeText({ file: off.source, line: off.failure?.position?.line });
    const reason = `hook "${off.hook}" (${at}) failed and let it pass: ${off.failure?.message}`;
    return { outcome: 'passed', reason, wrong: true };
  }
  const decisive = outcomes.find(({ action, failure }) => action !== 'allow' || failure !== undefined)!;
  const by = deciding(decisive);
  const place = by === null ? '' : placeText(by.site ?? { file: by.source, line: by.line });
  const where = by === null ? 'the policy' : `hook "${by.name}" (${place})`;
  if (reached.size > 0) {
    return { outcome: 'not tried', reason: `${where} ${[...reached].join(' and ')}`, wrong: false };
  }
  const failed = failureIn(decisive);
  const words = { block: 'blocks it', ask: 'asks about it', modify: 'rewrites it' }[verdict.action];
  const reason = failed ?? decisive.reason ?? decisive.asks?.[0]?.reason ?? 'no reason given';
  return {
    outcome: 'stopped',
    reason: `${where} ${failed === null ? words : 'failed'}: ${reason}`,
    wrong:
      failed !== null ||
      by === null ||
      isShipped({ source: by.source, isPack: by.frontEnd === 'packs' }, shipped),
  };
}

interface Deciding {
  readonly name: string;
  readonly source: string;
  readonly line?: number;
  readonly site?: DecisionSite;
  readonly frontEnd?: string;
}

function deciding({ decidedBy, asks, trace, failure }: Outcome): Deciding | null {
  if (decidedBy !== undefined) return decidedBy;
  const [ask] = asks ?? [];
  const name = failure?.hook ?? ask?.hook;
  const entry = trace.find(({ hook }) => hook === name);
  if (entry !== undefined) return { ...entry, name: entry.hook };
  return ask === undefined ? null : { ...ask, name: ask.hook };
}

function failureIn({ failure, trace, action }: Outcome): string | null {
  if (failure !== undefined) return failure.message;
  const failed = action === 'block' ? trace.find(({ onFailure }) => onFailure === 'blocked') : undefined;
  return failed?.failure?.message ?? null;
}

/** Whether a hook comes with Harness. */
export function isShipped(
  { source, isPack }: { readonly source: string; readonly isPack: boolean },
  shipped: ReadonlySet<string>,
): boolean {
  return isPack || source === '<built-in>' || shipped.has(source);
}

/** For `doctor`: what is wrong, what is worth knowing, and the count. */
export function ordinaryWords({ calls, notTried }: OrdinaryReport): {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
} {
  const said = ({ call, reason }: OrdinaryResult) => `ordinary work, ${call}: ${reason}`;
  return {
    problems: calls.filter(({ wrong }) => wrong).map(said),
    notes: [
      ...calls.filter(({ outcome, wrong }) => outcome === 'stopped' && !wrong).map(said),
      ...calls
        .filter(({ outcome }) => outcome === 'not tried')
        .map(({ call, reason }) => `not tried, ${call}: ${reason}; see --live`),
      ...notTried.map((hook) => `not tried: ${hook} starts programs, loads code or sends data; see --live`),
    ],
  };
}
