/**
 * The agent of a machine: one process that sends tapes as they grow. It is never asked for a decision, holds nothing in memory that
 * is not in files, and leaves word of how it goes.
 */
import { join } from 'node:path';
import { ENGINE, HarnessError, sha256Hex } from '../base/index.ts';
import { type Host, machineHost, pause, tryLock } from '../machine/index.ts';
import { readFleetCheck, readFleetPolicy, staleSince } from '../policy/index.ts';
import { unsentEntries } from './acknowledged.ts';
import { HubClient } from './client.ts';
import type { Enrolled } from './enrolment.ts';
import { MAX_WAIT_MS, type MachineState } from './protocol.ts';
import { type PassOptions, type Shipped, shipPass } from './ship.ts';
import { type Pulled, policyPlace, pullPolicy } from './signed/pull-policy.ts';
import { type MachineStatus, STATUS_PATH } from './view.ts';

/** What `fleet status` shows of the last passes. */
export interface AgentStatus {
  /** When the hub last took or confirmed everything it was sent. */
  readonly lastSuccess: number | null;
  /** Since when passes fail; null if the last one did not. */
  readonly failingSince: number | null;
  readonly error: string | null;
  readonly state: MachineState;
  readonly pid: number;
}

export const STATUS = 'status.json';

export interface AgentOptions {
  readonly enrolled: Enrolled;
  readonly host?: Pick<Host, 'now' | 'env'>;
  /** Between attempts of one request, in milliseconds. */
  readonly pauses?: readonly number[];
  readonly onProgress?: PassOptions['onProgress'];
  /** Sessions of agents that nobody judged, for the status. */
  readonly unjudged?: () => number;
}

/** The policy and one pass that asks the hub first. */
export interface ShipResult extends Shipped {
  readonly state: MachineState;
  /** Null on a machine that takes no policy; the reason where the hub's answer was not taken. */
  readonly policy: Pulled | { readonly kind: 'refused'; readonly problem: string } | null;
}

/** Throws FLEET_UNREACHABLE or FLEET_REFUSED; the status then says since when. */
export async function shipOnce(options: AgentOptions): Promise<ShipResult> {
  const release = lockAgent(options.enrolled);
  try {
    const agent = new Agent(options);
    const policy = await agent.policy(0).catch((error: unknown) => {
      if (!(error instanceof HarnessError) || error.code === 'FLEET_UNREACHABLE') throw error;
      return { kind: 'refused' as const, problem: error.message };
    });
    const shipped = await agent.pass(true);
    await agent.tell();
    return { ...shipped, policy };
  } finally {
    release();
  }
}

const IDLE_MS = 2000;
const LONGEST_MS = 60_000;
/** The hub waits with its answer; one that does not is not asked without end. */
const BETWEEN_POLLS_MS = 250;
const STATUS_MS = 60_000;
const RECONCILE_MS = 10 * 60 * 1000;

export interface RunOptions extends AgentOptions {
  readonly signal: AbortSignal;
  readonly onPass?: (shipped: Shipped) => void;
  readonly onPolicy?: (pulled: Pulled) => void;
  readonly onFailure?: (error: HarnessError, nextMs: number) => void;
}

/** Tapes go and policy comes until the signal. A hub that is away is asked again, at growing distance up to a minute. */
export async function runAgent(options: RunOptions): Promise<void> {
  const release = lockAgent(options.enrolled);
  const agent = new Agent(options);
  try {
    await Promise.all([shipUntil(agent, options), pullUntil(agent, options)]);
  } finally {
    release();
  }
}

async function pullUntil(agent: Agent, { signal, onPolicy, onFailure }: RunOptions): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = BETWEEN_POLLS_MS;
    try {
      const pulled = await agent.policy(MAX_WAIT_MS);
      if (pulled === null) return;
      failures = 0;
      if (pulled.kind === 'new') onPolicy?.(pulled);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      waitMs = Math.min(LONGEST_MS, IDLE_MS * 2 ** failures++);
      if (!signal.aborted) onFailure?.(thrown, waitMs);
    }
    await pause(waitMs, signal);
  }
}

async function shipUntil(agent: Agent, options: RunOptions): Promise<void> {
  const { enrolled, host = machineHost, signal, onPass, onFailure } = options;
  let told = Number.NEGATIVE_INFINITY;
  let reconciled = Number.NEGATIVE_INFINITY;
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = IDLE_MS;
    try {
      const due = Math.abs(host.now() - reconciled) > RECONCILE_MS;
      const shipped = await agent.pass(due);
      if (due) reconciled = host.now();
      failures = 0;
      if (Math.abs(host.now() - told) > STATUS_MS) {
        await agent.tell();
        told = host.now() + jitter(enrolled.enrolment.machine);
      }
      if (shipped.entries > 0 || shipped.problems.length > 0) onPass?.(shipped);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      waitMs = Math.min(LONGEST_MS, IDLE_MS * 2 ** failures++);
      // The hub may be another one by then.
      reconciled = Number.NEGATIVE_INFINITY;
      if (!signal.aborted) onFailure?.(thrown, waitMs);
    }
    await pause(waitMs, signal);
  }
}

/** Machines that started together do not speak together. */
function jitter(machine: string): number {
  return (Number.parseInt(sha256Hex(machine).slice(0, 6), 16) % 10_000) - 5000;
}

class Agent {
  private readonly options: AgentOptions & Partial<Pick<RunOptions, 'signal'>>;
  private readonly host: Pick<Host, 'now' | 'env'>;
  private readonly client: HubClient;
  private readonly sizes = new Map<string, number>();

  constructor(options: AgentOptions & Partial<Pick<RunOptions, 'signal'>>) {
    this.options = options;
    this.host = options.host ?? machineHost;
    const { enrolled, pauses, signal } = options;
    this.client = new HubClient(enrolled, {
      host: this.host,
      ...(pauses && { pauses }),
      ...(signal && { signal }),
    });
  }

  async policy(waitMs: number): Promise<Pulled | null> {
    const { host, client } = this;
    const { enrolled } = this.options;
    const place = policyPlace(enrolled, host);
    return place === null ? null : pullPolicy({ enrolled, client, host, waitMs }, place);
  }

  async pass(reconcile: boolean): Promise<Shipped & { readonly state: MachineState }> {
    const { enrolled, onProgress } = this.options;
    const { host, client, sizes } = this;
    try {
      const shipped = await shipPass({
        enrolled,
        client,
        host,
        sizes,
        reconcile,
        ...(onProgress && { onProgress }),
      });
      this.note({ lastSuccess: host.now(), failingSince: null, error: null });
      return { ...shipped, state: client.state };
    } catch (thrown) {
      const before = enrolled.read<AgentStatus>(STATUS);
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.note({
        lastSuccess: before?.lastSuccess ?? null,
        failingSince: before?.failingSince ?? host.now(),
        error,
      });
      throw thrown;
    }
  }

  /** How this machine is. A hub that does not get it shows this machine as silent, so a failure is no failure of the agent. */
  async tell(): Promise<void> {
    const { enrolled, unjudged } = this.options;
    const { tapes, entries } = unsentEntries(enrolled, this.host);
    const place = policyPlace(enrolled, this.host);
    const policy = place === null ? null : readFleetPolicy(place);
    const status: MachineStatus = {
      build: ENGINE,
      time: this.host.now(),
      policy: place && {
        version: policy?.version ?? null,
        since: policy?.since ?? null,
        staleSince: staleSince(place, this.host.now()),
        problem: readFleetCheck(place)?.problem ?? null,
      },
      waiting: { tapes, entries },
      unjudged: unjudged?.() ?? null,
    };
    try {
      await this.client.send(STATUS_PATH, { method: 'POST', body: JSON.stringify(status) });
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }

  private note(status: Omit<AgentStatus, 'state' | 'pid'>): void {
    this.options.enrolled.write(STATUS, { ...status, state: this.client.state, pid: process.pid });
  }
}

/** Two agents of one machine would look like two machines with one key. */
function lockAgent({ folder }: Enrolled): () => void {
  const lock = tryLock(join(folder, 'agent'));
  if ('heldBy' in lock)
    throw new HarnessError(
      'FLEET_REFUSED',
      `the agent runs already: ${lock.heldBy}. It ships by itself; see \`harness fleet status\``,
    );
  return lock.release;
}
