/**
 * The proxy between a client and a server: messages that no hook changes are passed on byte for byte. Requests that are judged
 * wait for their answer while everything else goes on; a side that goes away, floods or answers what was not asked costs
 * the other side a proper error and nothing more.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Judge, JudgedCall } from '../judge.ts';
import {
  CLIENT_GATES,
  type Gate,
  policyName,
  resultPayload,
  rewrittenResult,
  SERVER_GATES,
} from './gates.ts';
import {
  CODES,
  failure,
  type Message,
  type MessageId,
  metaOf,
  readMessage,
  refusal,
  success,
} from './message.ts';
import { type Pin, pinOf, pinProblem, pinsOf } from './pins.ts';

export interface ProxyOptions {
  /** The server's name in policies. */
  readonly name: string;
  readonly judge: Judge;
  /** One message, without a line end. */
  readonly toClient: (line: Buffer | string) => void;
  readonly toServer: (line: Buffer | string) => void;
  /** Something a person should know; never part of the protocol. */
  readonly note: (text: string) => void;
  /** Definitions that were agreed to; null: those of the first list are, and `onPinned` is told. */
  readonly pins: Readonly<Record<string, Pin>> | null;
  readonly onPinned: (pins: Readonly<Record<string, Pin>>) => void;
  /** `hide`: a tool that is not the pinned one is neither listed nor called. `ask`: it is listed, and each call is asked about. */
  readonly onChange: 'hide' | 'ask';
}

/** A request of the client that the server has and has not answered. */
interface Pending {
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** The call it was judged as. */
  readonly call?: JudgedCall;
  /** A request of the proxy itself. */
  readonly own?: (message: Message) => void;
}

export class McpProxy {
  private readonly options: ProxyOptions;
  private readonly pending = new Map<MessageId, Pending>();
  /** Requests of the client that are being judged. */
  private readonly judging = new Map<MessageId, AbortController>();
  /** Requests of the server that the client has. */
  private readonly asked = new Set<MessageId>();
  private readonly questions = new Map<MessageId, (answer: Message) => void>();
  private pins: Readonly<Record<string, Pin>> | null;
  private listing: Promise<Readonly<Record<string, Pin>> | null> | null = null;
  private clientCapabilities: JsonObject = {};
  private own = 0;
  private over: string | null = null;

  constructor(options: ProxyOptions) {
    this.options = options;
    this.pins = options.pins;
  }

  fromClient(line: Buffer): void {
    if (this.over !== null) {
      this.refuseLine(line, this.over);
      return;
    }
    const read = readMessage(line);
    if (!read.ok) {
      this.answer(failure(null, CODES.parse, read.problem));
      return;
    }
    const { message } = read;
    const { id, method, params } = message;
    if (method === undefined) {
      this.replied(line, message);
      return;
    }
    if (method === 'initialize' && isJsonObject(params?.capabilities))
      this.clientCapabilities = params.capabilities;
    if (method === 'notifications/cancelled' && this.cancelled(params?.requestId)) return;
    if (id === undefined || id === null) {
      this.options.toServer(line);
      return;
    }
    if (this.pending.has(id) || this.judging.has(id)) {
      this.answer(failure(id, CODES.invalidRequest, `a request with the id ${JSON.stringify(id)} is open`));
      return;
    }
    const gate = gateOf(CLIENT_GATES, method);
    if (gate === null) {
      this.pending.set(id, { method, params });
      this.options.toServer(line);
      return;
    }
    void this.judge(line, { ...message, id, method }, gate);
  }

  fromServer(line: Buffer): void {
    const read = readMessage(line);
    if (!read.ok) {
      this.options.note(`dropped from the server: ${read.problem}`);
      return;
    }
    const { message } = read;
    const { id, method } = message;
    if (method !== undefined) {
      this.requested(line, message);
      return;
    }
    const pending = id === undefined || id === null ? undefined : this.pending.get(id);
    if (pending === undefined) {
      this.options.note(
        `dropped from the server: an answer to ${JSON.stringify(id ?? null)}, which nobody waits for`,
      );
      return;
    }
    this.pending.delete(id!);
    if (pending.own !== undefined) {
      pending.own(message);
      return;
    }
    if (!isJsonObject(message.result)) {
      this.options.toClient(line);
      return;
    }
    if (pending.method === 'tools/list') {
      this.listed(line, message, pending);
      return;
    }
    if (pending.call === undefined && !pending.method.startsWith('tasks/')) {
      this.options.toClient(line);
      return;
    }
    void this.answered(line, message, pending);
  }

  /** The server is gone: everybody who waits is told. */
  end(why: string): void {
    if (this.over !== null) return;
    this.over = `the server ${why}`;
    for (const controller of this.judging.values()) controller.abort();
    for (const [id, { own }] of this.pending) {
      const told = failure(id, CODES.refused, this.over);
      if (own === undefined) this.answer(told);
      else own(told as unknown as Message);
    }
    this.pending.clear();
  }

  /** The person at the client is asked, if the client can. */
  async askClient(message: string, signal: AbortSignal): Promise<boolean | null> {
    if (!isJsonObject(this.clientCapabilities.elicitation)) return null;
    const id = `harness-${++this.own}`;
    const requestedSchema = {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Approve', description: 'Let this call run once.' } },
      required: ['approve'],
    };
    const answer = await new Promise<Message | null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
      this.questions.set(id, resolve);
      this.answer({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message, requestedSchema } });
    });
    this.questions.delete(id);
    const result = answer?.result;
    return (
      isJsonObject(result) &&
      result.action === 'accept' &&
      isJsonObject(result.content) &&
      result.content.approve === true
    );
  }

  private answer(message: object): void {
    this.options.toClient(JSON.stringify(message));
  }

  private refuseLine(line: Buffer, why: string): void {
    const read = readMessage(line);
    const { id, method } = read.ok ? read.message : {};
    if (method !== undefined && id !== undefined && id !== null) this.answer(failure(id, CODES.refused, why));
  }

  /** True if nobody else has to hear of it. */
  private cancelled(id: Json | undefined): boolean {
    const controller = this.judging.get(id as MessageId);
    controller?.abort();
    return controller !== undefined;
  }

  private async judge(
    line: Buffer,
    message: Message & { id: MessageId; method: string },
    gate: Gate,
  ): Promise<void> {
    const { id, method, params = {} } = message;
    const tool = gate.tool(params);
    if (tool === null) {
      this.answer(failure(id, CODES.invalidParams, `${method} names no tool`));
      return;
    }
    const controller = new AbortController();
    this.judging.set(id, controller);
    const call: JudgedCall = {
      id: String(id),
      name: policyName(this.options.name, tool),
      args: gate.args(params),
      native: { protocol: 'mcp', server: this.options.name, method, params },
    };
    const refuse = (reason: string) => {
      this.judging.delete(id);
      if (controller.signal.aborted && this.over === null) return;
      if (gate.refusedInResult) this.answer(success(id, refusal(reason, params)));
      else this.answer(failure(id, CODES.refused, reason));
    };
    try {
      const unpinned = method === 'tools/call' ? await this.unpinned(tool, params) : null;
      if (unpinned !== null && this.options.onChange === 'hide') {
        const reason = `the tool ${tool} is refused: ${unpinned}`;
        this.options.judge.refused(call, reason);
        refuse(reason);
        return;
      }
      if (
        unpinned !== null &&
        (await this.askClient(`${tool}: ${unpinned}. Run it once?`, controller.signal)) !== true
      ) {
        const reason = `the tool ${tool} needs approval: ${unpinned}`;
        this.options.judge.refused(call, reason);
        refuse(reason);
        return;
      }
      const verdict = await this.options.judge.pre(call, controller.signal);
      if (!verdict.allowed) {
        refuse(verdict.reason);
        return;
      }
      this.judging.delete(id);
      if (controller.signal.aborted) return;
      if (this.over !== null) {
        this.answer(failure(id, CODES.refused, this.over));
        return;
      }
      const judged = { ...call, args: verdict.args };
      const sent = verdict.rewritten ? gate.rewritten(params, verdict.args) : params;
      this.pending.set(id, { method, params: sent, call: judged });
      this.options.toServer(verdict.rewritten ? JSON.stringify({ ...message, params: sent }) : line);
    } catch (error) {
      refuse(`the policy could not decide: ${(error as Error).message}`);
    }
  }

  private async answered(line: Buffer, message: Message, { method, params, call }: Pending): Promise<void> {
    const result = message.result as JsonObject;
    const id = message.id!;
    const judged = call ?? this.taskCall(method, params, id);
    try {
      if (result.resultType === 'input_required') {
        await this.inputRequired(line, id, result, params);
        return;
      }
      const payload = resultPayload(result);
      const said = await this.options.judge.post(judged, payload as JsonObject, result.isError === true);
      if (said.kind === 'same') {
        this.options.toClient(line);
        return;
      }
      if (said.kind === 'rewritten') {
        const rewritten = rewrittenResult(result, said.payload);
        if (rewritten !== null) {
          this.answer({ ...message, result: rewritten });
          return;
        }
      }
      const reason =
        said.kind === 'hidden' ? said.reason : 'a hook rewrote the result into something that is none';
      this.hide(id, method, params, reason);
    } catch (error) {
      this.hide(
        id,
        method,
        params,
        `the policy could not decide about the result: ${(error as Error).message}`,
      );
    }
  }

  private hide(id: MessageId, method: string, params: JsonObject | undefined, reason: string): void {
    const inResult = gateOf(CLIENT_GATES, method)?.refusedInResult === true;
    this.answer(inResult ? success(id, refusal(reason, params)) : failure(id, CODES.refused, reason));
  }

  /** A result that comes later than its call. */
  private taskCall(method: string, params: JsonObject | undefined, id: MessageId): JudgedCall {
    const name = policyName(this.options.name, method.replaceAll('/', '_'));
    return { id: String(id), name, args: {}, native: { protocol: 'mcp', method, params: params ?? {} } };
  }

  /** No result yet: the server wants something of the client first, and each of its wishes is judged. */
  private async inputRequired(
    line: Buffer,
    id: MessageId,
    result: JsonObject,
    params: JsonObject | undefined,
  ): Promise<void> {
    const wishes = isJsonObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
    for (const [key, wish] of wishes) {
      const reason = isJsonObject(wish) ? await this.judgeWish(`${id}:${key}`, wish) : 'it is no request';
      if (reason !== null) {
        this.answer(success(id, refusal(reason, params)));
        return;
      }
    }
    this.options.toClient(line);
  }

  /** Why a request of the server is not passed on, or null. */
  private async judgeWish(
    id: string,
    { method, params }: { readonly method?: Json; readonly params?: Json },
  ): Promise<string | null> {
    const gate = typeof method === 'string' ? gateOf(SERVER_GATES, method) : null;
    if (gate === null) return null;
    const given = isJsonObject(params) ? params : {};
    const name = policyName(this.options.name, gate.tool(given)!);
    const native = { protocol: 'mcp', server: this.options.name, method: method!, params: given };
    const verdict = await this.options.judge.pre({ id, name, args: gate.args(given), native }, NEVER);
    if (!verdict.allowed) return verdict.reason;
    return verdict.rewritten ? 'a request of a server cannot be rewritten' : null;
  }

  private requested(line: Buffer, message: Message): void {
    const { id, method } = message;
    if (method === 'notifications/tools/list_changed') this.listing = null;
    const isRequest = id !== undefined && id !== null;
    if (!isRequest || gateOf(SERVER_GATES, method!) === null) {
      if (isRequest) this.asked.add(id);
      this.options.toClient(line);
      return;
    }
    const refuse = (reason: string) =>
      this.options.toServer(JSON.stringify(failure(id, CODES.refused, reason)));
    this.judgeWish(`server:${id}`, message).then(
      (reason) => {
        if (reason !== null) {
          refuse(reason);
          return;
        }
        this.asked.add(id);
        this.options.toClient(line);
      },
      (error: Error) => refuse(`the policy could not decide: ${error.message}`),
    );
  }

  /** The client answers something that was asked of it: by the server, or by the proxy. */
  private replied(line: Buffer, message: Message): void {
    const { id } = message;
    const question = id === undefined ? undefined : this.questions.get(id);
    if (question !== undefined) question(message);
    else if (id !== undefined && this.asked.delete(id)) this.options.toServer(line);
    else
      this.options.note(
        `dropped from the client: an answer to ${JSON.stringify(id ?? null)}, which nobody asked`,
      );
  }

  private listed(line: Buffer, message: Message, { params }: Pending): void {
    const result = message.result as JsonObject;
    const tools = Array.isArray(result.tools) ? result.tools : [];
    if (this.pins === null) {
      // The first whole list is what was agreed to; of pages, all of them.
      void this.list(params).then(() => this.options.toClient(line));
      return;
    }
    const pins = this.pins;
    const kept = tools.filter((tool) => {
      const name = isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : '';
      const problem = pinProblem(pins, name, isJsonObject(tool) ? pinOf(tool) : undefined);
      if (problem !== null) this.options.note(`tool ${name}: ${problem}`);
      return problem === null || this.options.onChange === 'ask';
    });
    if (kept.length === tools.length) {
      this.options.toClient(line);
      return;
    }
    // What was made for one client is nobody else's.
    const rest: JsonObject = result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;
    this.answer({ ...message, result: { ...rest, tools: kept } });
  }

  /** Why the tool is not the one that was agreed to, as the server has it at this moment. */
  private async unpinned(tool: string, params: JsonObject): Promise<string | null> {
    const now = await this.list(params);
    if (now === null) return 'the server does not say what it offers';
    return pinProblem(this.pins!, tool, Object.hasOwn(now, tool) ? now[tool] : undefined);
  }

  /** One question for all calls that are waiting for its answer. Null if the server does not answer it. */
  private list(params: JsonObject | undefined): Promise<Readonly<Record<string, Pin>> | null> {
    this.listing ??= this.askServer(params).then((tools) => {
      this.listing = null;
      if (tools === null) return null;
      const pins = pinsOf(tools);
      if (this.pins === null) {
        this.pins = pins;
        this.options.onPinned(pins);
      }
      return pins;
    });
    return this.listing;
  }

  private async askServer(params: JsonObject | undefined): Promise<readonly Json[] | null> {
    const tools: Json[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const own = { ...metaOf(params), ...(cursor !== undefined && { cursor }) };
      const { result } = await this.send('tools/list', own);
      if (!isJsonObject(result) || !Array.isArray(result.tools)) return null;
      tools.push(...result.tools);
      if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return tools;
      cursor = result.nextCursor;
    }
    return null;
  }

  private send(method: string, params: JsonObject): Promise<Message> {
    const id = `harness-${++this.own}`;
    return new Promise((resolve) => {
      this.pending.set(id, { method, params, own: resolve });
      this.options.toServer(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }
}

/** A server whose list never ends offers nothing. */
const MOST_PAGES = 1000;
const NEVER = new AbortController().signal;

function gateOf(gates: Readonly<Record<string, Gate>>, method: string): Gate | null {
  return Object.hasOwn(gates, method) ? gates[method]! : null;
}
