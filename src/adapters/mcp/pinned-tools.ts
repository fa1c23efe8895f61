/**
 * The tools of one server as they were agreed to, and as the server has them at this moment: which of a list may be shown, and why
 * one that is called is not the one somebody agreed to, or not one the policy lets be offered. It asks the server itself, and never
 * believes an older answer.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Objection } from '../judge.ts';
import { type Message, metaOf } from './message.ts';
import { type ParamHeader, paramHeadersOf } from './param-headers.ts';
import { type Pin, pinOf, pinProblem, pinsOf } from './pins.ts';
import { RepeatedAnswer } from './repeated-answer.ts';

export type Pins = Readonly<Record<string, Pin>>;

/** Definitions by name. */
type Offered = ReadonlyMap<string, JsonObject>;

export interface PinnedToolsOptions {
  /** Definitions that were agreed to; null: those of the first list are, and `onPinned` is told. */
  readonly pins: Pins | null;
  readonly onPinned: (pins: Pins) => void;
  /** `hide`: a tool that is not the pinned one is neither listed nor called. `ask`: it is listed, and each call is asked about. */
  readonly onChange: 'hide' | 'ask';
  /** What the policy has against a definition. */
  readonly offer: (tool: JsonObject) => Promise<Objection | null>;
  /** Something a person should know. */
  readonly note: (text: string) => void;
}

/** Asks the server; `from` is the request on whose behalf. An answer that is `before` again has the same result as that. */
export type AskServer<From> = (
  method: string,
  params: JsonObject,
  from: From,
  before: RepeatedAnswer,
) => Promise<Message>;

/** To the proxy, when it asks itself; what it tells the client is then nothing that was agreed to. */
const UNSAID = 'the server does not say what it offers';
/** A server whose list never ends offers nothing. */
const MOST_PAGES = 1000;

export class PinnedTools<From> {
  private readonly options: PinnedToolsOptions;
  private readonly ask: AskServer<From>;
  private pins: Pins | null;
  private listing: Promise<Offered | null> | null = null;
  /** Answers by page, and what they came to. */
  private readonly answers: RepeatedAnswer[] = [];
  private pages: readonly JsonObject[] = [];
  private offered: Offered = new Map();
  private readonly digests = new WeakMap<JsonObject, Pin>();
  private headers: ReadonlyMap<string, readonly ParamHeader[]> = new Map();

  constructor(options: PinnedToolsOptions, ask: AskServer<From>) {
    this.options = options;
    this.ask = ask;
    this.pins = options.pins;
  }

  /** What the server said before counts no more. */
  changed(): void {
    this.listing = null;
  }

  /** The arguments of a tool that a request over HTTP repeats in its headers. */
  paramHeaders(tool: string): readonly ParamHeader[] {
    return this.headers.get(tool) ?? [];
  }

  /** The result of a list as the client may see it; the very same if nothing is taken out. */
  async shown(result: JsonObject, params: JsonObject | undefined, from: From): Promise<JsonObject> {
    // The first whole list is what was agreed to; of pages, all of them.
    if (this.pins === null) await this.list(params, from);
    const tools = Array.isArray(result.tools) ? result.tools : [];
    const kept: Json[] = [];
    for (const tool of tools) {
      const definition = isJsonObject(tool) ? tool : {};
      const name = typeof definition.name === 'string' ? definition.name : '';
      const objection = await this.objectionTo(name, definition);
      if (objection !== null) this.options.note(`tool ${name}: ${objection.reason}`);
      if (objection?.hides !== true) kept.push(tool);
    }
    if (kept.length === tools.length) return result;
    // What was made for one client is nobody else's.
    const rest: JsonObject = result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;
    return { ...rest, tools: kept };
  }

  /** Why the tool is not to be called, as the server has it at this moment. */
  async objection(tool: string, params: JsonObject, from: From): Promise<Objection | null> {
    const now = await this.list(params, from);
    if (now === null) return this.unlike(UNSAID);
    return this.objectionTo(tool, now.get(tool));
  }

  /** Of two, the stricter. */
  private async objectionTo(name: string, tool: JsonObject | undefined): Promise<Objection | null> {
    const now = tool === undefined ? undefined : this.pinNow(tool);
    const problem = this.pins === null ? UNSAID : pinProblem(this.pins, name, now);
    const unlike = problem === null ? null : this.unlike(problem);
    if (unlike?.hides === true || tool === undefined) return unlike;
    const unwanted = await this.options.offer(tool);
    return unwanted?.hides === true ? unwanted : (unlike ?? unwanted);
  }

  private pinNow(tool: JsonObject): Pin {
    const known = this.digests.get(tool) ?? pinOf(tool);
    this.digests.set(tool, known);
    return known;
  }

  private unlike(reason: string): Objection {
    return { reason, by: 'mcp.lock', hides: this.options.onChange === 'hide' };
  }

  /** One question for all calls that are waiting for its answer. Null if the server does not answer it. */
  private list(params: JsonObject | undefined, from: From): Promise<Offered | null> {
    const asked = (this.listing ??= this.askAll(params, from).then((pages) => {
      if (this.listing === asked) this.listing = null;
      return pages === null ? null : this.read(pages);
    }));
    return asked;
  }

  private read(pages: readonly JsonObject[]): Offered {
    const { pages: before } = this;
    if (pages.length === before.length && pages.every((page, at) => page === before[at])) return this.offered;
    const tools = pages.flatMap((page) => page.tools as Json[]);
    this.headers = paramHeadersOf(tools);
    if (this.pins === null) {
      this.pins = pinsOf(tools);
      this.options.onPinned(this.pins);
    }
    this.pages = pages;
    this.offered = new Map(tools.filter(isJsonObject).map((tool) => [String(tool.name), tool]));
    return this.offered;
  }

  private async askAll(params: JsonObject | undefined, from: From): Promise<readonly JsonObject[] | null> {
    const pages: JsonObject[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const own = { ...metaOf(params), ...(cursor !== undefined && { cursor }) };
      const before = (this.answers[page] ??= new RepeatedAnswer());
      const { result } = await this.ask('tools/list', own, from, before);
      if (!isJsonObject(result) || !Array.isArray(result.tools)) return null;
      pages.push(result);
      if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return pages;
      cursor = result.nextCursor;
    }
    return null;
  }
}
