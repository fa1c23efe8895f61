/**
 * What the providers that speak to a service over the network share: where the service is, its official SDK, and one
 * attempt within its time. The key is read when the provider is made and goes to the SDK alone.
 */
import { HarnessError, isJsonObject, LONGEST_TIMER_MS, readJson } from '../../base/index.ts';
import { withTimeout } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import type { ToolCall, Usage } from '../message.ts';
import type { Attempt, Completion } from '../provider.ts';
import { failureOf } from './failure.ts';
import { failureFrom, type SdkErrors } from './sdk-failure.ts';

export interface ServiceOptions {
  /** Where the service is, if not at its own address. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** Whether the answer comes in pieces; true by default. */
  readonly stream?: boolean;
  /** Milliseconds one attempt may take. By default its signal alone ends it: limits are the loop's. */
  readonly timeoutMs?: number;
  /** Without it costs are not known. */
  readonly price?: Price;
}

/** Dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Read from the prompt cache; as `input` by default. */
  readonly cacheRead?: number;
  /** Written to the prompt cache; as `input` by default. */
  readonly cacheWrite?: number;
}

/** What a service is known by, before anybody configured it. */
export interface KnownService {
  readonly name: string;
  readonly url: string;
  readonly urlEnv: string;
  readonly keyEnv: string;
}

export interface Service {
  readonly name: string;
  readonly url: string;
  /** At the service's own address, and not at a gateway or a server that only speaks like it. */
  readonly isOwn: boolean;
  /** Null if none is sent. */
  readonly key: string | null;
  readonly stream: boolean;
  readonly timeoutMs: number;
  readonly price: Price | null;
  readonly now: () => number;
}

/**
 * Throws without a key. The standard key goes to the service's own address or to the one the environment names; an
 * address in a project's settings gets a key only where those settings name one.
 */
export function openService(known: KnownService, options: ServiceOptions, host: Host): Service {
  const url = options.baseUrl ?? (host.env(known.urlEnv) || known.url);
  const keyEnv = options.apiKeyEnv ?? (options.baseUrl === undefined ? known.keyEnv : null);
  const key = keyEnv === null ? null : (host.env(keyEnv)?.trim() ?? '');
  if (key === '') {
    const message = `no key for ${known.name}: set the environment variable ${keyEnv}`;
    throw new HarnessError('PROVIDER_KEY', message);
  }
  return {
    name: known.name,
    url,
    isOwn: url === known.url,
    key,
    stream: options.stream ?? true,
    // The SDKs' own limit would be shorter than what a session allows.
    timeoutMs: options.timeoutMs ?? LONGEST_TIMER_MS,
    price: options.price ?? null,
    now: () => host.now(),
  };
}

/** Settings that both SDKs read the same way. Retries are the loop's, so that hooks see each attempt. */
export function clientOptions({ url, key, timeoutMs }: Service) {
  return {
    baseURL: url,
    // Without a key of their own the SDKs look for credentials on the machine, which are not meant for this address.
    apiKey: key ?? 'none',
    ...(key === null && { defaultHeaders: { Authorization: null } }),
    maxRetries: 0,
    timeout: timeoutMs,
    // Their logs can hold whole requests.
    logLevel: 'off' as const,
  };
}

/** An SDK is an optional peer: a program that uses no service needs none. */
export async function loadSdk<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    const { code, message } = thrown as { code?: unknown; message?: unknown };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isMissing || !String(message).includes(`'${name}'`)) throw thrown;
    throw new HarnessError('PROVIDER_MISSING', `the package ${name} is not installed: npm install ${name}`);
  }
}

/** Never rejects. The signal that `work` gets fires on abort and when time is up. */
export async function attemptAt(
  service: Service,
  errors: SdkErrors,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Completion>,
): Promise<Attempt> {
  const settled = await withTimeout(signal, service.timeoutMs, work);
  if (settled.kind === 'value') return { ok: true, completion: settled.value as Completion };
  if (settled.kind === 'thrown') return { ok: false, failure: failureFrom(settled.thrown, service, errors) };
  const { kind, message } = settled.failure;
  return kind === 'timeout'
    ? { ok: false, failure: failureOf('timeout', `${service.name} ${message}`) }
    : { ok: false, failure: failureOf('aborted', 'the request was aborted') };
}

export interface Tokens {
  /** Sent, and neither read from a cache nor written to one. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export function costOf(tokens: Tokens, price: Price | null): { usage: Usage; cost_usd?: number } {
  const { input, cacheRead, cacheWrite, output } = tokens;
  const usage = { input_tokens: input + cacheRead + cacheWrite, output_tokens: output };
  if (price === null) return { usage };
  const dollars =
    input * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output;
  return { usage, cost_usd: dollars / 1_000_000 };
}

/**
 * A call with its arguments as the model wrote them. A tool without parameters is called with nothing at all, but where the
 * answer was cut off there, nothing means that the arguments did not come, and the call must not run.
 */
export function requestHeaders(id: string, name: string, text: string, isCut: boolean): ToolCall {
  if (text.trim() === '' && !isCut) return { id, name, args: {} };
  const args = decode(text);
  return isJsonObject(args) ? { id, name, args } : { id, name, args: {}, malformed: text };
}

/** Arguments that can be read in two ways, because a key stands twice, are as good as none. */
function decode(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}
