/**
 * The machine's side of the line: requests with a token that renews itself, and bounded retries. What the hub refuses is an error
 * that says what to do; a hub that is away is another.
 */
import { sign } from 'node:crypto';
import { HarnessError } from '../base/index.ts';
import {
  type BytesRequest,
  type BytesResponse,
  exchangeBytes,
  type Host,
  isLoopback,
  pause,
} from '../machine/index.ts';
import { type Enrolled, newNonce, prepareKey, saveEnrolment } from './enrolment.ts';
import {
  type HubTape,
  type JoinAnswer,
  type MachineState,
  type Statement,
  statementBytes,
  type TokenAnswer,
} from './protocol.ts';

const TIMEOUT_MS = 60_000;
const MOST_ANSWER = 16 * 1024 * 1024;
/** After a failure; then the request has failed. */
const PAUSES_MS = [200, 500, 1000, 2000];
/** A token is renewed this long before it ends. */
const EARLY_MS = 60_000;

export interface ClientOptions {
  readonly host: Pick<Host, 'now' | 'env'>;
  readonly pauses?: readonly number[];
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Ends requests that wait. */
  readonly signal?: AbortSignal;
}

/** What the policy of a machine is checked against. */
export interface PolicyRoot {
  /** SHA-256 of the first root. */
  readonly root: string;
  /** For every user of the machine. */
  readonly managed: boolean;
}

type HubRequest = Pick<BytesRequest, 'method' | 'body'> & Partial<Pick<BytesRequest, 'headers' | 'sink'>>;

/** The address of a hub, checked. */
export function hubAddress(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new HarnessError(
      'FLEET_REFUSED',
      `${JSON.stringify(text)} is not the address of a hub (expected http://… or https://…)`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new HarnessError(
      'FLEET_REFUSED',
      `${url.origin} is plain HTTP to another machine: tapes would go over the network unprotected. Use https://`,
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HarnessError(
      'FLEET_REFUSED',
      `${url.protocol}// is not a protocol of the hub (expected http:// or https://)`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Joins the hub with a one-time token. Gives the enrolment, which is on disk by then. */
export async function joinFleet(
  address: string,
  token: string,
  name: string,
  options: ClientOptions,
  policy: PolicyRoot | null = null,
): Promise<Enrolled> {
  const hub = hubAddress(address);
  const { folder, publicKey } = prepareKey(options.host);
  const response = await retried(options, hub, {
    method: 'POST',
    url: `${hub}/v1/join`,
    body: JSON.stringify({ token, name, publicKey }),
  });
  const answer = checked<JoinAnswer>(response, hub);
  const { machine, labels } = answer;
  const joined = options.host.now();
  return saveEnrolment(folder, { hub, machine, name: answer.name, labels, joined, ...policy });
}

export class HubClient {
  private readonly enrolled: Enrolled;
  private readonly options: ClientOptions;
  /** As the hub said it at the last token. */
  state: MachineState = 'active';
  private granting: Promise<string> | null = null;

  constructor(enrolled: Enrolled, options: ClientOptions) {
    this.enrolled = enrolled;
    this.options = options;
  }

  /** Any answer but 401, 429 and 503 is the caller's. */
  async send(path: string, asked: HubRequest): Promise<BytesResponse> {
    const { hub } = this.enrolled.enrolment;
    for (let refused = ''; ; ) {
      const token = await this.token(refused);
      const response = await retried(this.options, hub, {
        ...asked,
        url: `${hub}${path}`,
        headers: { ...asked.headers, authorization: `Bearer ${token}` },
      });
      if (response.status !== 401) return response;
      if (refused !== '') return refuse(response, hub);
      refused = token;
    }
  }

  /** Where the hub stands with the tapes of this machine. */
  async tapes(): Promise<HubTape[]> {
    const all: HubTape[] = [];
    for (let after = ''; ; ) {
      const response = await this.send(`/v1/tapes${after}`, { method: 'GET', body: null });
      const { tapes, page } = checked<{ tapes: HubTape[]; page: number }>(
        response,
        this.enrolled.enrolment.hub,
      );
      all.push(...tapes);
      const last = tapes.at(-1);
      if (last === undefined || tapes.length < page) return all;
      after = `?place=${last.place}&session=${encodeURIComponent(last.session)}`;
    }
  }

  private async token(refused: string): Promise<string> {
    const known = this.enrolled.grant();
    const left = known.until - this.options.host.now();
    // A clock that was set back must not make a token last longer than it does.
    if (known.token !== refused && left > 0 && left < 24 * 60 * 60 * 1000) return known.token;
    // Each grant ends the one before, so requests side by side share one.
    this.granting ??= this.grant().finally(() => {
      this.granting = null;
    });
    return this.granting;
  }

  private async grant(): Promise<string> {
    const { host } = this.options;
    const known = this.enrolled.grant();
    const { hub, machine } = this.enrolled.enrolment;
    const post = async <T>(path: string, body: object) => {
      const url = `${hub}${path}`;
      return checked<T>(
        await retried(this.options, hub, { method: 'POST', url, body: JSON.stringify(body) }),
        hub,
      );
    };
    const { challenge } = await post<{ challenge: string }>('/v1/challenge', { machine });
    // Made only now, so that a copy of the folder has none. On disk before it is sent: if the answer is lost, it proves that this is
    // the machine that asked.
    const next = known.next || newNonce();
    this.enrolled.saveGrant({ ...known, next });
    const { generation, nonce } = known;
    const statement: Statement = { machine, challenge, generation, nonce, next };
    const signature = sign(null, statementBytes(statement), this.enrolled.key()).toString('base64');
    const granted = await post<TokenAnswer>('/v1/token', { statement, signature });
    this.state = granted.state;
    this.enrolled.saveGrant({
      generation: granted.generation,
      nonce: next,
      next: '',
      token: granted.token,
      until: host.now() + Math.max(0, granted.expiresMs - EARLY_MS),
    });
    return granted.token;
  }
}

/** For authors, who have a key and no token. */
export async function postAsAuthor<T>(
  hub: string,
  path: string,
  body: unknown,
  options: ClientOptions,
): Promise<T> {
  const asked = { method: 'POST' as const, url: `${hub}${path}`, body: JSON.stringify(body) };
  return checked<T>(await retried(options, hub, asked), hub);
}

type Ready = HubRequest & Pick<BytesRequest, 'url'>;

/** A hub that is away, busy or without its database is asked again a few times. */
async function retried(options: ClientOptions, hub: string, asked: Ready): Promise<BytesResponse> {
  const pauses = options.pauses ?? PAUSES_MS;
  const sleep = options.sleep ?? pause;
  for (let attempt = 0; ; attempt++) {
    const last = attempt >= pauses.length;
    try {
      const headers = { 'content-type': 'application/json', ...asked.headers };
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MOST_ANSWER };
      const signal = options.signal ?? new AbortController().signal;
      const response = await exchangeBytes({ ...asked, headers, ...limits }, signal);
      if (![429, 502, 503, 504].includes(response.status)) return response;
      if (last) throw new Error(`${response.status} ${errorOf(response)}`);
      await sleep(
        Math.max(pauses[attempt]!, Math.min(5, Number(response.headers['retry-after']) || 0) * 1000),
      );
    } catch (thrown) {
      if (last || options.signal?.aborted === true)
        throw new HarnessError(
          'FLEET_UNREACHABLE',
          `the hub ${hub} did not take the request: ${whyOf(thrown)}`,
        );
      await sleep(pauses[attempt]!);
    }
  }
}

function whyOf(thrown: unknown): string {
  const { message, code } = thrown as NodeJS.ErrnoException;
  return message || code || String(thrown);
}

function checked<T>(response: BytesResponse, hub: string): T {
  if (response.status !== 200) return refuse(response, hub);
  try {
    return JSON.parse(response.body.toString('utf8')) as T;
  } catch {
    throw new HarnessError('FLEET_REFUSED', `${hub} answered with something that is not JSON: is it a hub?`);
  }
}

function refuse(response: BytesResponse, hub: string): never {
  throw new HarnessError('FLEET_REFUSED', `${hub} refused: ${errorOf(response)}`);
}

/** The hub's own sentence; an answer of something in between has none. */
export function errorOf({ status, body }: BytesResponse): string {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Not of a hub.
  }
  return `status ${status}, and no reason`;
}
