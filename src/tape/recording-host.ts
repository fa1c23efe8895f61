/**
 * The machine and the run as one call of a hook sees them while it is recorded or replayed: every answer that is not a
 * function of what the hook was given goes through its readings.
 */

import { type Json, sha256Hex } from '../base/index.ts';
import {
  type Approval,
  type ApprovalRequest,
  type Approvals,
  type CallableAgent,
  frozenCopy,
  type Guards,
  type LogLine,
  type RunServices,
  type RunSettings,
  type RunState,
  type SessionInfo,
  type ValueOrigins,
} from '../engine/index.ts';
import type {
  AppendRequest,
  Content,
  Host,
  HttpRequest,
  HttpResponse,
  MachineFacts,
  ProcessRequest,
  ProcessResult,
} from '../machine/index.ts';
import type { Contents } from './contents.ts';
import type { Readings } from './readings.ts';
import { guardsThrough } from './recorded-guards.ts';

export class RecordingHost implements Host {
  private readonly readings: Readings;
  private readonly host: Host;
  private readonly contents: Contents | null;

  constructor(readings: Readings, host: Host, contents: Contents | null) {
    this.readings = readings;
    this.host = host;
    this.contents = contents;
  }

  now(): number {
    return this.readings.value('now', undefined, () => this.host.now()) as number;
  }

  /** For durations only, which nothing compares. */
  elapsed(): number {
    return this.host.elapsed();
  }

  uuid(): string {
    return this.readings.value('uuid', undefined, () => this.host.uuid()) as string;
  }

  env(name: string): string | undefined {
    return this.readings.value('env', name, () => this.host.env(name)) as string | undefined;
  }

  /** Only ever used to keep secrets out: not a reading, and nothing on a replay, whose data hold none. */
  variables(): Readonly<Record<string, string | undefined>> {
    return this.host.variables();
  }

  machine(): MachineFacts {
    const read = () => (this.host.machine?.() ?? { platform: '', hostname: '' }) as unknown as Json;
    return this.readings.value('machine', undefined, read) as unknown as MachineFacts;
  }

  /** On the tape only where links lead elsewhere: of a path without a reading, its text is its place. */
  realPath(path: string): string {
    const read = () => {
      const real = this.host.realPath?.(path) ?? path;
      return real === path ? undefined : real;
    };
    return (this.readings.found('real_path', read, () => true, path) ?? path) as string;
  }

  async http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { method, url, headers, body } = request;
    // The path of an address is often its secret: the origin is for people, the digest for comparison.
    const key = { method, origin: originOf(url), digest: partsDigest([url, headers, body]) };
    const read = () => this.host.http(request, signal) as unknown as Promise<Json>;
    return (await this.readings.later('http', key, read)) as unknown as HttpResponse;
  }

  async run(request: ProcessRequest, signal: AbortSignal | null): Promise<ProcessResult> {
    // Not the folder: a project may be replayed from another place.
    const key = { program: { ...request.program }, digest: partsDigest([request.stdin]) };
    const read = () => this.host.run(request, signal) as unknown as Promise<Json>;
    return (await this.readings.later('command', key, read)) as unknown as ProcessResult;
  }

  async appendFile(request: AppendRequest): Promise<void> {
    const key = { path: request.path, digest: partsDigest([request.text]) };
    await this.readings.later('append', key, async () => {
      await this.host.appendFile(request);
      return undefined;
    });
  }

  look(kind: string, read: () => Json | undefined, concerned: () => boolean): Json | undefined {
    return this.readings.found(kind, read, concerned);
  }

  /** On the tape is its digest. Where no text can be kept beside it, the text too. */
  async content(key: Json, read: (host: Host) => Promise<Content>): Promise<Content> {
    let fresh: Content | null = null;
    const said = await this.readings.later('content', key, async () => {
      fresh = await read(this.host);
      const { digest, note, text } = fresh;
      const kept = this.contents?.put(digest, text) === true;
      return { digest, ...(note !== undefined && { note }), ...(!kept && { text }) };
    });
    return fresh ?? this.keptContent(said as unknown as Content);
  }

  private keptContent(said: Omit<Content, 'text'> & { readonly text?: string }): Content {
    const { digest, note, text = this.contents?.get(digest) ?? '' } = said;
    if (sha256Hex(text) !== digest)
      throw new Error(`the text with the digest ${digest} is not beside the tape`);
    return { digest, text, ...(note !== undefined && { note }) };
  }
}

/** Views are made when they are asked for: most hooks look at one of them, or none. */
export class RecordingRun implements RunState {
  private readonly readings: Readings;
  private readonly run: RunState;
  private metricsView: StoreView<number> | null = null;
  private cacheView: StoreView<Json> | null = null;
  private turnView: StoreView<Json> | null = null;
  private guardsView: Guards | null = null;
  private originsView: ValueOrigins | null = null;

  constructor(readings: Readings, run: RunState) {
    this.readings = readings;
    this.run = run;
  }

  get metrics(): Map<string, number> {
    return (this.metricsView ??= new StoreView(METRIC, this.readings, this.run.metrics));
  }

  get cache(): Map<string, Json> {
    return (this.cacheView ??= new StoreView(CACHE, this.readings, this.run.cache));
  }

  get turn(): Map<string, Json> {
    return (this.turnView ??= new StoreView(TURN, this.readings, this.run.turn));
  }

  get guards(): Guards {
    return (this.guardsView ??= guardsThrough(this.readings, this.run.guards));
  }

  /** What hooks ask is a reading; what they tell goes to the ledger. */
  get origins(): ValueOrigins | null {
    const there = this.readings.value('flow.there', undefined, () => this.run.origins !== null);
    return there === true ? (this.originsView ??= originsThrough(this.readings, this.run)) : null;
  }

  get turnNumber(): number | undefined {
    return this.run.turnNumber;
  }

  get health(): Map<string, number> {
    return this.run.health;
  }

  get logs(): LogLine[] {
    return this.run.logs;
  }

  get settings(): RunSettings {
    return this.run.settings;
  }

  get session(): SessionInfo {
    return this.run.session;
  }

  get services(): RunServices {
    const { readings } = this;
    const { services } = this.run;
    const { approvals, secrets } = services;
    return {
      secrets,
      approvals: approvals === null ? null : recordingApprovals(readings, approvals),
      // Whether there is one is a reading too: a session lends itself only after its engine was made.
      get agent() {
        const there = readings.value('agent', undefined, () => services.agent !== undefined);
        return there === true ? calledThrough(readings, services) : undefined;
      },
      transcript: () =>
        (readings.value('transcript', undefined, () => frozenCopy(services.transcript?.() ?? undefined)) ??
          null) as Json[] | null,
    };
  }
}

function originsThrough(readings: Readings, { origins }: RunState): ValueOrigins {
  const read = (question: string, asked: Json, answer: (origins: ValueOrigins) => unknown) =>
    readings.value(`flow.${question}`, partsDigest([asked]), () => answer(origins!) as Json) as never;
  return {
    hear: () => {},
    of: (value) => read('of', value, (all) => all.of(value)),
    foreignNames: (value) => read('names', value, (all) => all.foreignNames(value)),
    carryingLinks: (value) => read('links', value, (all) => all.carryingLinks(value)),
    asksFor: (words) => read('asks', [...words], (all) => all.asksFor(words)),
    asksForAmount: (amount) => read('amount', amount, (all) => all.asksForAmount(amount)),
    madeBy: (id) => read('made-by', id, (all) => all.madeBy(id)),
    isMade: (path) => read('made', path, (all) => all.isMade(path)),
    labels: () => read('labels', null, (all) => all.labels()),
    mayRead: (label, reader) => read('reader', [label, reader], (all) => all.mayRead(label, reader)),
    isEndorsed: (sink, value) => read('endorsed', [sink, value], (all) => all.isEndorsed(sink, value)),
    asked: (question) => origins?.asked(question),
    endorse: (sink, value) => origins?.endorse(sink, value),
  };
}

/** What a tool answered is a reading: on replay no tool runs. */
function calledThrough(readings: Readings, services: RunServices): CallableAgent {
  return {
    callTool: async (tool, args, from) => {
      const key = { tool, digest: partsDigest([JSON.stringify(args)]) };
      return String(await readings.later('tool', key, () => services.agent!.callTool(tool, args, from)));
    },
  };
}

function recordingApprovals(readings: Readings, approvals: Approvals): Approvals {
  return {
    request: async (asked: ApprovalRequest, signal: AbortSignal) => {
      const { hook, toolName, toolInput } = asked;
      const key = { hook, tool: toolName, digest: partsDigest([JSON.stringify(toolInput)]) };
      const read = () => approvals.request(asked, signal) as unknown as Promise<Json>;
      return (await readings.later('approval', key, read)) as unknown as Approval;
    },
  };
}

type Question = 'get' | 'has' | 'delete' | 'size' | 'all';
type Kinds = Readonly<Record<Question, string>>;

const METRIC = kindsOf('metric');
const CACHE = kindsOf('cache');
const TURN = kindsOf('turn');

function kindsOf(store: string): Kinds {
  return {
    get: `${store}.get`,
    has: `${store}.has`,
    delete: `${store}.delete`,
    size: `${store}.size`,
    all: `${store}.all`,
  };
}

/** A store of the run. What is read is a reading; what is written follows from what was read, and is not. */
class StoreView<V extends Json> implements Map<string, V> {
  readonly [Symbol.toStringTag] = 'Map';
  private readonly kinds: Kinds;
  private readonly readings: Readings;
  private readonly store: Map<string, V>;

  constructor(kinds: Kinds, readings: Readings, store: Map<string, V>) {
    this.kinds = kinds;
    this.readings = readings;
    this.store = store;
  }

  get(key: string): V | undefined {
    return this.readings.value(this.kinds.get, key, () => this.store.get(key)) as V | undefined;
  }

  has(key: string): boolean {
    return this.readings.value(this.kinds.has, key, () => this.store.has(key)) as boolean;
  }

  set(key: string, value: V): this {
    this.store.set(key, value);
    return this;
  }

  delete(key: string): boolean {
    return this.readings.value(this.kinds.delete, key, () => this.store.delete(key)) as boolean;
  }

  clear(): void {
    this.store.clear();
  }

  get size(): number {
    return this.readings.value(this.kinds.size, undefined, () => this.store.size) as number;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.copy()[Symbol.iterator]();
  }

  entries(): MapIterator<[string, V]> {
    return this.copy().entries();
  }

  keys(): MapIterator<string> {
    return this.copy().keys();
  }

  values(): MapIterator<V> {
    return this.copy().values();
  }

  forEach(visit: (value: V, key: string, map: Map<string, V>) => void): void {
    for (const [key, value] of this.copy()) visit(value, key, this);
  }

  private copy(): Map<string, V> {
    const pairs = this.readings.value(this.kinds.all, undefined, () => [...this.store]);
    return new Map(pairs as unknown as [string, V][]);
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

function partsDigest(parts: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(parts));
}
