/** What people ask a hub, and what a machine tells of itself: both sides of those routes. */
import { HarnessError } from '../base/index.ts';
import { type BytesRequest, exchangeBytes } from '../machine/index.ts';
import { errorOf } from './client.ts';
import type { MachineState, TapeState } from './protocol.ts';

export const STATUS_PATH = '/v1/status';

/** What a machine says of itself, every minute. */
export interface MachineStatus {
  readonly build: string;
  /** By its own clock. */
  readonly time: number;
  readonly policy: {
    readonly version: number | null;
    readonly since: number | null;
    readonly staleSince: number | null;
    readonly problem: string | null;
  } | null;
  readonly waiting: { readonly tapes: number; readonly entries: number };
  /** Sessions of agents that nobody judged; null: not looked at. */
  readonly unjudged: number | null;
}

/** A machine as the hub shows it. */
export interface MachineOnHub {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: MachineState;
  readonly problem: string | null;
  readonly joined: number;
  readonly seen: number;
  readonly tapes: number;
  readonly entries: number;
  /** Null: it never told. */
  readonly status: MachineStatus | null;
  readonly statusAt: number | null;
}

export interface TapeQuery {
  readonly action: string | null;
  readonly event: string | null;
  readonly since: number;
  /** Only tapes before that one, in the order newest first. */
  readonly before: { readonly received: number; readonly id: number };
}

export const NEWEST = { received: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
export const VIEW_PAGE = 200;

export interface TapeOnHub {
  readonly id: number;
  readonly machine: string;
  readonly name: string;
  readonly folder: string;
  readonly session: string;
  readonly branch: number;
  readonly state: TapeState;
  /** The first line that retention left. */
  readonly from: number;
  readonly received: number;
}

const TIMEOUT_MS = 60_000;
const MOST_ANSWER = 64 * 1024 * 1024;

/** A hub as somebody with a viewer's token sees it. Throws FLEET_UNREACHABLE or FLEET_REFUSED. */
export class HubView {
  private readonly hub: string;
  private readonly token: string;

  constructor(hub: string, token: string) {
    this.hub = hub;
    this.token = token;
  }

  async machines(): Promise<MachineOnHub[]> {
    return (await this.json<{ machines: MachineOnHub[] }>('/v1/view/machines')).machines;
  }

  /** Newest first. */
  async *tapes(query: Omit<TapeQuery, 'before'>): AsyncGenerator<TapeOnHub> {
    for (let before: TapeQuery['before'] = NEWEST; ; ) {
      const asked = new URLSearchParams({
        since: String(query.since),
        received: String(before.received),
        id: String(before.id),
        ...(query.action !== null && { action: query.action }),
        ...(query.event !== null && { event: query.event }),
      });
      const { tapes } = await this.json<{ tapes: TapeOnHub[] }>(`/v1/view/tapes?${asked}`);
      yield* tapes;
      const last = tapes.at(-1);
      if (last === undefined || tapes.length < VIEW_PAGE) return;
      before = last;
    }
  }

  async lines(tape: TapeOnHub, sink: (piece: Buffer) => void): Promise<void> {
    await this.get(`/v1/view/tapes/${tape.id}`, { sink });
  }

  private async json<T>(path: string): Promise<T> {
    return JSON.parse((await this.get(path, {})).toString('utf8')) as T;
  }

  private async get(path: string, more: Pick<BytesRequest, 'sink'>): Promise<Buffer> {
    const headers = { authorization: `Bearer ${this.token}` };
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MOST_ANSWER };
    const asked = { method: 'GET' as const, url: this.hub + path, headers, body: null, ...limits, ...more };
    const response = await exchangeBytes(asked, new AbortController().signal).catch((error: Error) => {
      throw new HarnessError('FLEET_UNREACHABLE', `the hub ${this.hub} did not answer: ${error.message}`);
    });
    if (response.status !== 200)
      throw new HarnessError('FLEET_REFUSED', `${this.hub} refused: ${errorOf(response)}`);
    return response.body;
  }
}

/** A machine tells of itself every minute. */
const SILENT_MS = 5 * 60 * 1000;
const SKEWED_MS = 60 * 1000;

/** What a person should look at. */
export function warningsOf({ state, problem, status, statusAt }: MachineOnHub, now: number): string[] {
  const doubts: string[] = problem === null ? [] : [problem];
  if (state !== 'active' && problem === null) doubts.push(`it is ${state}`);
  if (status === null || statusAt === null)
    return [...doubts, 'it never told how it is: run harness fleet agent there'];
  if (now - statusAt > SILENT_MS) doubts.push(`silent since ${timeText(statusAt)}`);
  if (Math.abs(status.time - statusAt) > SKEWED_MS)
    doubts.push(`its clock is ${Math.round((status.time - statusAt) / 1000)} s off`);
  const { policy, unjudged } = status;
  if (policy?.problem != null) doubts.push(`policy not taken: ${policy.problem}`);
  if (policy?.staleSince != null) doubts.push(`policy stale since ${timeText(policy.staleSince)}`);
  if (unjudged !== null && unjudged > 0) doubts.push(`${unjudged} sessions were not judged`);
  return doubts;
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
