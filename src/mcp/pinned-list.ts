/**
 * One list of a server as it was agreed to, and as the server has it now: which items may be shown, and why a tool that is called is
 * not the one somebody agreed to, or not one the policy lets be offered.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { machineHost, within } from '../machine/index.ts';
import type { Objection } from '../session/index.ts';
import type { AskToAccept } from './acceptance.ts';
import { type Message, metaOf } from './message.ts';
import { byName, itemsIn, nameIn, type OfferKind, offerLabel } from './offers.ts';
import { type ParamHeader, paramHeadersOf } from './param-headers.ts';
import { type Pin, type Pins, pinOf, pinProblem, pinsOf } from './pins.ts';
import { RepeatedAnswer } from './repeated-answer.ts';

/** Definitions by name. */
type Offered = ReadonlyMap<string, JsonObject>;

export interface PinnedListOptions {
  /** Definitions that were agreed to; null: those of the first list are, and `onPinned` is told. */
  readonly pins: (kind: OfferKind) => Pins | null;
  /** Returns the pins in force: those of another proxy that pinned the same server first. */
  readonly onPinned: (kind: OfferKind, pins: Pins) => Pins;
  /** Asks a person about what is not as it was pinned. */
  readonly askToAccept: AskToAccept;
  /** A person accepted these: they are pinned from now on. */
  readonly onAccepted: (kind: OfferKind, pins: Pins) => void;
  /** `hide`: a tool that is not the pinned one is neither listed nor called. `ask`: it is listed, and each call is asked about. */
  readonly onChange: 'hide' | 'ask';
  /** What the policy has against a definition. */
  readonly offer: (kind: OfferKind, item: JsonObject) => Promise<Objection | null>;
  /** How long the server may take to list. */
  readonly listMs?: number;
  /** Something a person should know. */
  readonly note: (text: string) => void;
}

/**
 * Asks the server; `from` is the request on whose behalf. An answer that is `before` again has the same result as that. Once `late` fires
 * the answer is not waited for.
 */
export type AskServer<From> = (
  method: string,
  params: JsonObject,
  from: From,
  before: RepeatedAnswer,
  late: AbortSignal,
) => Promise<Message>;

/** Who objects to what is not as it was pinned. */
const LOCK = 'mcp.lock';
/** To the proxy, when it asks itself; what it tells the client is then nothing that was agreed to. */
const UNSAID = 'the server does not say what it offers';
/** A server that says neither that its tools have changed nor how long a list holds is asked again after so long. */
const FRESH_MS = 5 * 60_000;
const LIST_MS = 30_000;
/** A server whose list never ends offers nothing. */
const MOST_PAGES = 1000;

export class PinnedList<From> {
  private readonly kind: OfferKind;
  private readonly method: string;
  private readonly options: PinnedListOptions;
  private readonly ask: AskServer<From>;
  private pins: Pins | null;
  private listing: Promise<Offered | null> | null = null;
  /** Digests of definitions that a person is asked about, or said no to, by name. */
  private readonly asked = new Map<string, string>();
  /** Answers by page, and what they came to. */
  private readonly answers: RepeatedAnswer[] = [];
  private pages: readonly JsonObject[] = [];
  private offered: Offered = new Map();
  /** Until when calls are judged by it; 0: it may have changed. */
  private freshUntil = 0;
  private readonly digests = new WeakMap<JsonObject, Pin>();
  private headers: ReadonlyMap<string, readonly ParamHeader[]> = new Map();

  constructor(kind: OfferKind, method: string, options: PinnedListOptions, ask: AskServer<From>) {
    this.kind = kind;
    this.method = method;
    this.options = options;
    this.ask = ask;
    const pins = kind.isPinned ? options.pins(kind) : {};
    this.pins = kind.unaccepted === undefined ? pins : (pins ?? {});
  }

  /** What the server said before counts no more. */
  changed(): void {
    this.listing = null;
    this.freshUntil = 0;
  }

  /** The arguments of a tool that a request over HTTP repeats in its headers. */
  paramHeaders(tool: string): readonly ParamHeader[] {
    return this.headers.get(tool) ?? [];
  }

  /** The same, of a server that may not have been asked yet. */
  async knownParamHeaders(tool: string, params: JsonObject, from: From): Promise<readonly ParamHeader[]> {
    if (machineHost.now() >= this.freshUntil) await this.list(params, from);
    return this.paramHeaders(tool);
  }

  /** The result of a list as the client may see it; the very same if nothing is taken out. */
  async shown(result: JsonObject, params: JsonObject | undefined, from: From): Promise<JsonObject> {
    // The first whole list is what was agreed to; of pages, all of them.
    if (this.pins === null) await this.list(params, from);
    const items = itemsIn(this.kind, result) ?? [];
    const left = await this.allowed(items);
    if (left.length === items.length) return result;
    // What was made for one client is nobody else's.
    const rest: JsonObject = result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;
    return { ...rest, [this.kind.member]: left };
  }

  /** Items that come with something else than a list of theirs; the first ones are agreed to. */
  async shownAlone(items: readonly JsonObject[]): Promise<readonly Json[]> {
    this.pins ??= this.options.onPinned(this.kind, pinsOf(this.kind, items));
    return this.allowed(items);
  }

  /** Why something that no list of the server has is not to be used; a person is asked whether it may be. */
  async objectionAlone(item: JsonObject): Promise<Objection | null> {
    const found = await this.objectionTo(nameIn(this.kind, item), item);
    if (found?.by === LOCK) void this.askAbout([item]);
    return found;
  }

  /** Why the tool is not to be called. The server is asked if what it said is old, and before every objection. */
  async objection(tool: string, params: JsonObject, from: From): Promise<Objection | null> {
    const isFresh = machineHost.now() < this.freshUntil;
    if (isFresh && (await this.objectionTo(tool, this.offered.get(tool))) === null) return null;
    const now = await this.list(params, from);
    if (now === null) return this.unlike(UNSAID);
    const definition = now.get(tool);
    if (definition === undefined)
      return { reason: `Unknown tool: ${tool}`, by: 'mcp', hides: true, verdict: 'unknown_tool' };
    const objection = await this.objectionTo(tool, definition);
    if (objection?.by === LOCK) void this.askAbout([definition]);
    return objection;
  }

  private async allowed(items: readonly Json[]): Promise<Json[]> {
    const left: Json[] = [];
    const unlike: JsonObject[] = [];
    for (const item of items) {
      const definition = isJsonObject(item) ? item : {};
      const name = nameIn(this.kind, definition);
      const objection = await this.objectionTo(name, definition);
      // The client has a newer list than the one calls are judged by.
      if (objection !== null) this.freshUntil = 0;
      if (objection !== null)
        this.options.note(
          `${this.kind.isCalled ? 'tool ' : ''}${offerLabel(this.kind, name)}: ${objection.reason}`,
        );
      if (objection === null || (this.kind.isCalled && !objection.hides)) left.push(item);
      if (objection?.by === LOCK) unlike.push(definition);
    }
    void this.askAbout(unlike);
    return left;
  }

  /** Each definition is asked about once, and only if the policy would let it be offered. What a person accepts holds at once. */
  private async askAbout(items: readonly JsonObject[]): Promise<void> {
    const { kind, options, pins } = this;
    if (pins === null) return;
    const named = items.map((item) => ({ item, name: nameIn(kind, item), pin: this.pinNow(item) }));
    const open = named.filter(({ name, pin }) => name !== '' && this.asked.get(name) !== pin.digest);
    for (const { name, pin } of open) this.asked.set(name, pin.digest);
    const wanted: typeof open = [];
    for (const one of open) if ((await options.offer(kind, one.item)) === null) wanted.push(one);
    if (wanted.length === 0) return;
    const before = (name: string) => (Object.hasOwn(pins, name) ? pins[name]!.description : null);
    const accepted = await options.askToAccept(
      kind,
      wanted.map(({ name, item }) => ({ name, item, before: before(name) })),
    );
    if (accepted === null) for (const { name } of wanted) this.asked.delete(name);
    if (accepted !== true) return;
    const more = Object.fromEntries(wanted.map(({ name, pin }) => [name, pin]));
    this.pins = { ...this.pins, ...more };
    this.changed();
    options.onAccepted(kind, more);
  }

  /** Of two, the stricter. */
  private async objectionTo(name: string, item: JsonObject | undefined): Promise<Objection | null> {
    const unlike = this.unlikePinned(name, item);
    if (unlike?.hides === true || item === undefined) return unlike;
    const unwanted = await this.options.offer(this.kind, item);
    return unwanted?.hides === true ? unwanted : (unlike ?? unwanted);
  }

  private unlikePinned(name: string, item: JsonObject | undefined): Objection | null {
    if (!this.kind.isPinned) return null;
    const now = item === undefined ? undefined : this.pinNow(item);
    const { pins, kind } = this;
    if (pins !== null && kind.unaccepted !== undefined)
      return Object.hasOwn(pins, name) ? null : this.unlike(kind.unaccepted);
    const problem = pins === null ? UNSAID : pinProblem(pins, name, now);
    return problem === null ? null : this.unlike(problem);
  }

  private pinNow(item: JsonObject): Pin {
    const known = this.digests.get(item) ?? pinOf(this.kind, item);
    this.digests.set(item, known);
    return known;
  }

  private unlike(reason: string): Objection {
    return { reason, by: LOCK, hides: this.options.onChange === 'hide' };
  }

  /** One question for all calls that are waiting for its answer. Null if the server does not answer it. */
  private list(params: JsonObject | undefined, from: From): Promise<Offered | null> {
    const asked = (this.listing ??= this.askAll(params, from).then((pages) => {
      const isCurrent = this.listing === asked;
      if (isCurrent) this.listing = null;
      this.freshUntil = isCurrent && pages !== null ? machineHost.now() + freshFor(pages) : 0;
      return pages === null ? null : this.read(pages);
    }));
    return asked;
  }

  private read(pages: readonly JsonObject[]): Offered {
    const { pages: before } = this;
    if (pages.length === before.length && pages.every((page, at) => page === before[at])) return this.offered;
    const items = pages.flatMap((page) => itemsIn(this.kind, page)!);
    this.headers = paramHeadersOf(items);
    this.pins ??= this.options.onPinned(this.kind, pinsOf(this.kind, items));
    this.pages = pages;
    this.offered = byName(this.kind, items);
    return this.offered;
  }

  /** Undefined of a server that does not answer: calls are not to wait for ever. */
  private async answerTo(params: JsonObject, from: From, before: RepeatedAnswer): Promise<Json | undefined> {
    const late = new AbortController();
    const asked = this.ask(this.method, params, from, before, late.signal);
    const answered = await within(this.options.listMs ?? LIST_MS, asked);
    if (answered === null) late.abort();
    return answered?.result;
  }

  private async askAll(params: JsonObject | undefined, from: From): Promise<readonly JsonObject[] | null> {
    const pages: JsonObject[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const own = { ...metaOf(params), ...(cursor !== undefined && { cursor }) };
      const before = (this.answers[page] ??= new RepeatedAnswer());
      const result = await this.answerTo(own, from, before);
      if (!isJsonObject(result) || itemsIn(this.kind, result) === null) return null;
      pages.push(result);
      if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return pages;
      cursor = result.nextCursor;
    }
    return null;
  }
}

/** As long as the server says of each page, and never longer than we believe it. */
function freshFor(pages: readonly JsonObject[]): number {
  const said = pages.flatMap(({ ttlMs }) => (typeof ttlMs === 'number' ? [ttlMs] : []));
  return Math.min(FRESH_MS, ...said);
}
