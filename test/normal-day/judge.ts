/**
 * One agent under the policy of `init`, as its launcher decides: the payload is read by the agent's adapter and judged in a
 * session of the agent. The verdict is returned in place of the agent's own words for it.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Adapter, Verdict } from '../../src/agents/adapter.ts';
import { isUnreadable } from '../../src/agents/read-native.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import { TrialSession } from '../../src/launcher/trial.ts';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';

export interface Judged {
  readonly action: Verdict['action'] | 'unreadable';
  /** The hook that decided, with what it says; null if nothing stood in the way. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** Links of the machine of the day. */
export interface DayMachine {
  readonly env: Readonly<Record<string, string>>;
  readonly links: Readonly<Record<string, string>>;
}

function hostOf({ env, links }: DayMachine) {
  const realPath = (path: string) => {
    const link = Object.keys(links).find((from) => path === from || path.startsWith(`${from}/`));
    return link === undefined ? machineHost.realPath!(path) : links[link] + path.slice(link.length);
  };
  return { ...machineHost, env: (name: string) => env[name], variables: () => env, realPath };
}

/** What `init` writes. */
const TEMPLATES = fileURLToPath(new URL('../../src/cli/init/templates', import.meta.url));

/** `change` is made to its `harness.md`. */
export async function initPolicy(
  dir: string,
  machine: DayMachine,
  change: (text: string) => string = (text) => text,
): Promise<Policy> {
  cpSync(TEMPLATES, join(dir, '.harness'), { recursive: true });
  const file = join(dir, '.harness', 'harness.md');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return openPolicy(dir, { host: hostOf(machine), places: { managed: null, user: null } });
}

/** One agent on one day. */
export class DayJudge {
  private readonly adapter: Adapter;
  private readonly trial: TrialSession;

  constructor(adapter: Adapter, policy: Policy, machine: DayMachine) {
    this.adapter = adapter;
    this.trial = new TrialSession(adapter, policy, { host: hostOf(machine), cwd: machine.env.HOME! });
  }

  async judge(event: string, payload: JsonObject): Promise<Judged> {
    const call = this.adapter.read(payload, event);
    if (isUnreadable(call)) return { action: 'unreadable', by: 'adapter', reason: call.problem };
    const tried = await this.trial.judge(call);
    if ('problem' in tried) throw new Error(tried.problem);
    const { verdict, outcomes } = tried;
    if (verdict.action === 'allow') return { action: 'allow', by: null, reason: null };
    const decisive = outcomes.find(({ action }) => action !== 'allow');
    return { action: verdict.action, by: whoDecided(decisive), reason: reasonOf(verdict, decisive) };
  }
}

function whoDecided(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'policy';
  return outcome.failure?.hook ?? outcome.hook ?? outcome.asks?.[0]?.hook ?? 'policy';
}

function reasonOf(verdict: Verdict, outcome: Outcome | undefined): string {
  if (outcome?.failure !== undefined) return `failed: ${outcome.failure.message}`;
  return 'reason' in verdict ? verdict.reason : 'rewritten';
}
