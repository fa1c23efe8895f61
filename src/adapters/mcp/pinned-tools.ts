/**
 * The tools of one server as they were agreed to, and as the server has them at this moment: which of a list may be shown, and why
 * one that is called is not the one somebody agreed to. It asks the server itself, and never believes an older answer.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type Message, metaOf } from './message.ts';
import { type ParamHeader, paramHeadersOf } from './param-headers.ts';
import { type Pin, pinOf, pinProblem, pinsOf } from './pins.ts';

export type Pins = Readonly<Record<string, Pin>>;

export interface PinnedToolsOptions {
  /** Definitions that were agreed to; null: those of the first list are, and `onPinned` is told. */
  readonly pins: Pins | null;
  readonly onPinned: (pins: Pins) => void;
  /** `hide`: a tool that is not the pinned one is neither listed nor called. `ask`: it is listed, and each call is asked about. */
  readonly onChange: 'hide' | 'ask';
  /** Something a person should know. */
  readonly note: (text: string) => void;
}

/** Asks the server; `from` is the request on whose behalf. */
export type AskServer<From> = (method: string, params: JsonObject, from: From) => Promise<Message>;

/** A server whose list never ends offers nothing. */
const MOST_PAGES = 1000;

export class PinnedTools<From> {
  private readonly options: PinnedToolsOptions;
  private readonly ask: AskServer<From>;
  private pins: Pins | null;
  private listing: Promise<Pins | null> | null = null;
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
    const { pins } = this;
    if (pins === null) return result;
    const tools = Array.isArray(result.tools) ? result.tools : [];
    const kept = tools.filter((tool) => {
      const name = isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : '';
      const problem = pinProblem(pins, name, isJsonObject(tool) ? pinOf(tool) : undefined);
      if (problem !== null) this.options.note(`tool ${name}: ${problem}`);
      return problem === null || this.options.onChange === 'ask';
    });
    if (kept.length === tools.length) return result;
    // What was made for one client is nobody else's.
    const rest: JsonObject = result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;
    return { ...rest, tools: kept };
  }

  /** Why the tool is not the one that was agreed to, as the server has it at this moment. */
  async problem(tool: string, params: JsonObject, from: From): Promise<string | null> {
    const now = await this.list(params, from);
    if (now === null) return 'the server does not say what it offers';
    return pinProblem(this.pins!, tool, Object.hasOwn(now, tool) ? now[tool] : undefined);
  }

  /** One question for all calls that are waiting for its answer. Null if the server does not answer it. */
  private list(params: JsonObject | undefined, from: From): Promise<Pins | null> {
    const asked = (this.listing ??= this.askAll(params, from).then((tools) => {
      if (this.listing === asked) this.listing = null;
      if (tools === null) return null;
      const pins = pinsOf(tools);
      this.headers = paramHeadersOf(tools);
      if (this.pins === null) {
        this.pins = pins;
        this.options.onPinned(pins);
      }
      return pins;
    }));
    return asked;
  }

  private async askAll(params: JsonObject | undefined, from: From): Promise<readonly Json[] | null> {
    const tools: Json[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const own = { ...metaOf(params), ...(cursor !== undefined && { cursor }) };
      const { result } = await this.ask('tools/list', own, from);
      if (!isJsonObject(result) || !Array.isArray(result.tools)) return null;
      tools.push(...result.tools);
      if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return tools;
      cursor = result.nextCursor;
    }
    return null;
  }
}
