/**
 * The proxy between a client and a server: messages that no hook changes are passed on byte for byte. Requests that are judged
 * wait for their answer while everything else goes on; a side that goes away, floods or answers what was not asked costs
 * the other side a proper error and nothing more. It knows no transport: what a message came with goes on with it.
 */

import { BoundedMap, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import type { GovernedSession, JudgedCall, Objection } from '../session/index.ts';
import { ClientQuestions, type WaitingCall, withoutOurs } from './client-questions.ts';
import { writtenMessage } from './exact-numbers.ts';
import { CLIENT_METHODS, type Gate, gateOf, type Methods, policyName, SERVER_METHODS } from './gates.ts';
import { judgedResult, taskCall } from './judged-result.ts';
import {
  answerIdOf,
  CODES,
  failure,
  isMessageId,
  type Message,
  type MessageId,
  type ReadMessage,
  readMessage,
  refusal,
  success,
} from './message.ts';
import type { Line, MessageRoute, Outgoing } from './message-route.ts';
import {
  CLIENT_EXTRAS,
  INSTRUCTIONS,
  INTRODUCTIONS,
  instructionsIn,
  LISTS,
  type OfferKind,
  offerOf,
  SERVER_EXTRAS,
} from './offers.ts';
import type { ParamHeader } from './param-headers.ts';
import { PinnedList, type PinnedListOptions } from './pinned-list.ts';
import type { RepeatedAnswer } from './repeated-answer.ts';
import { progressNotice, UnfinishedCalls } from './unfinished-calls.ts';
import { type Unjudged, unjudged } from './unjudged.ts';
import { answerIdsIn } from './unreadable-answer.ts';

export interface ProxyOptions extends Omit<PinnedListOptions, 'offer'> {
  /** The server's name in policies. */
  readonly name: string;
  readonly session: GovernedSession;
  /** `way` is that of the server's message; null for what the proxy says itself. */
  readonly toClient: (line: Line, message: Message, route: MessageRoute) => void;
  /** `way` is that of the client's message, or of the one on whose behalf the proxy asks. */
  readonly toServer: (line: Line, message: Outgoing, route: MessageRoute) => void;
}

/** A request of the client that the server has and has not answered. */
interface Pending {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly route: MessageRoute;
  /** The call it was judged as. */
  readonly call?: JudgedCall;
  /** What hooks want the model to read beside the result. */
  readonly context?: readonly string[];
  readonly own?: OwnQuestion;
}

/** A request of the proxy itself. */
interface OwnQuestion {
  readonly id: MessageId;
  /** What it was answered the last time. */
  readonly before: RepeatedAnswer;
  readonly answer: (message: Message) => void;
}

/** A request of the client that is being judged. */
interface Judging {
  readonly controller: AbortController;
  readonly asking: WaitingCall;
}

type Request = Message & { readonly id: MessageId; readonly method: string };

/** Answered requests that may be asked again. */
const MOST_DELIVERED = 1000;

export class McpProxy {
  private readonly options: ProxyOptions;
  private readonly pending = new Map<MessageId, Pending>();
  private readonly judging = new Map<MessageId, Judging>();
  /** Requests that were answered by a way that may have broken off: said again, the answer is judged again. */
  private readonly delivered = new BoundedMap<MessageId, Pending>(MOST_DELIVERED);
  /** Requests of the server that the client has. */
  private readonly asked = new Set<MessageId>();
  private readonly unfinished = new UnfinishedCalls();
  private readonly questions: ClientQuestions;
  private readonly tools: PinnedList<MessageRoute>;
  /** What the server offers, by the method that lists it. */
  private readonly lists: ReadonlyMap<string, PinnedList<MessageRoute>>;
  private readonly instructions: PinnedList<MessageRoute>;
  /** Methods that the tables do not have, of either side. */
  private readonly extras: {
    readonly client: PinnedList<MessageRoute>;
    readonly server: PinnedList<MessageRoute>;
  };
  /** The last question of the proxy itself. */
  private question: OwnQuestion | null = null;
  private own = 0;
  /** The client is of the era with a handshake, where a server may say by itself what has changed. */
  private hasHandshake = false;
  private over: string | null = null;

  constructor(options: ProxyOptions) {
    this.options = options;
    this.questions = new ClientQuestions(
      (message) => this.answer(message),
      () => this.ownId(),
    );
    const offer: PinnedListOptions['offer'] = (kind, item) =>
      options.session.offer(offerOf(options.name, kind, item));
    const onAccepted: PinnedListOptions['onAccepted'] = (kind, pins) => {
      options.onAccepted(kind, pins);
      // In the other era a client that wants to hear of it listens by a request of its own, and lists again by itself.
      if (this.hasHandshake && kind.changed !== null) this.answer({ jsonrpc: '2.0', method: kind.changed });
    };
    const lists = { ...options, offer, onAccepted };
    const listOf = (kind: OfferKind, method: string) =>
      new PinnedList<MessageRoute>(kind, method, lists, (...asked) => this.send(...asked));
    this.lists = new Map(Object.entries(LISTS).map(([method, kind]) => [method, listOf(kind, method)]));
    this.tools = this.lists.get('tools/list')!;
    this.instructions = listOf(INSTRUCTIONS, '');
    this.extras = { client: listOf(CLIENT_EXTRAS, ''), server: listOf(SERVER_EXTRAS, '') };
  }

  /** A request with this id is open. */
  has(id: MessageId): boolean {
    return this.pending.has(id) || this.judging.has(id);
  }

  /** The arguments that this call has to repeat in headers. */
  async paramHeaders(call: JsonObject, route: MessageRoute): Promise<readonly ParamHeader[]> {
    const tool = gateOf(CLIENT_METHODS, 'tools/call')!.tool(call);
    return tool === null ? [] : this.tools.knownParamHeaders(tool, call, route);
  }

  /** The server waits for the client's answer to this id. */
  waitsFor(id: MessageId): boolean {
    return this.asked.has(id) || this.questions.waitsFor(id);
  }

  fromClient(line: Buffer, route: MessageRoute = null): void {
    const read = readMessage(line);
    const refused = this.refused(read);
    if (refused !== null) {
      // JSON-RPC answers no notification.
      if (read.ok && refused.id === null) this.options.note(`dropped from the client: ${refused.reason}`);
      else this.answer(failure(refused.id, refused.code, refused.reason));
      return;
    }
    const { message } = read as ReadMessage & { readonly ok: true };
    const { id, method, params } = message;
    if (method === undefined) {
      this.replied(line, message, route);
      return;
    }
    const isRequest = id !== undefined && id !== null;
    if (this.over !== null) {
      if (isRequest) this.answer(failure(id, CODES.refused, this.over));
      return;
    }
    if (method === 'initialize') {
      this.hasHandshake = true;
      this.questions.handshake(params);
    }
    if (method === 'notifications/cancelled') {
      if (this.cancelled(params?.requestId)) return;
      this.settle(params?.requestId as MessageId, 'the client cancelled it');
    }
    const gate = gateOf(CLIENT_METHODS, method);
    if (gate === null) {
      if (isRequest) this.pending.set(id, { method, params, route });
      this.options.toServer(line, message, route);
      return;
    }
    if (!isRequest) {
      void this.mayNotify('client', gate, message).then((may) => {
        if (may) this.options.toServer(line, message, route);
      });
      return;
    }
    void this.judge(line, { ...message, id, method }, gate, route);
  }

  /** The error that a message of the client is answered with instead of being passed on, or null; the calls in it are on the tape. */
  refused(
    read: ReadMessage,
  ): { readonly id: MessageId | null; readonly code: number; readonly reason: string } | null {
    const problem = read.ok ? this.doubled(read.message) : read.problem;
    const [first] = this.unjudged(CLIENT_METHODS, read.ok ? [read.message] : read.parts, problem);
    const reason = first?.reason ?? problem;
    if (reason === null) return null;
    const code = !read.ok ? CODES.parse : problem === null ? CODES.invalidParams : CODES.invalidRequest;
    return { id: answerIdOf(read), code, reason };
  }

  /** Resolves when the message is passed on, changed or refused; what comes by one way stays in order if it is waited for. */
  async fromServer(line: Buffer, route: MessageRoute = null): Promise<void> {
    const again = this.question?.before.again(line, this.question.id) ?? null;
    const read = again === null ? readMessage(line) : { ok: true as const, message: again };
    if (!read.ok) {
      this.refuseServer(this.unjudged(SERVER_METHODS, read.parts, read.problem));
      const answers = read.parts.filter(({ method }) => method === undefined);
      const ids = read.parts.length === 0 ? answerIdsIn(line) : answers.map(({ id }) => id as MessageId);
      for (const id of ids) this.fail(id, `the server sent an answer that cannot be read: ${read.problem}`);
      this.options.note(`dropped from the server: ${read.problem}`);
      return;
    }
    const { message } = read;
    const { id, method } = message;
    if (method !== undefined) {
      await this.requested(line, message, route);
      return;
    }
    const pending =
      id === undefined || id === null
        ? undefined
        : (this.pending.get(id) ?? (route?.replayed === true ? this.delivered.get(id) : undefined));
    if (pending === undefined) {
      this.options.note(
        `dropped from the server: an answer to ${JSON.stringify(id ?? null)}, for which no request waits`,
      );
      return;
    }
    this.pending.delete(id!);
    if (route?.resumable === true) this.delivered.set(id!, pending);
    if (pending.own !== undefined) {
      if (again === null) pending.own.before.keep(line, message);
      pending.own.answer(message);
      return;
    }
    if (wantsInput(message)) {
      await this.inputRequired(line, message, pending, route);
      return;
    }
    if (isJsonObject(message.result) && this.isOffer(pending.method)) {
      const shown = await this.shown(message.result, pending);
      if (shown === message.result) this.options.toClient(line, message, route);
      else this.pass({ ...message, result: shown }, route);
      return;
    }
    if (pending.call === undefined && !pending.method.startsWith('tasks/')) {
      this.options.toClient(line, message, route);
      return;
    }
    await this.answered(line, message, pending, route);
  }

  private isOffer(method: string): boolean {
    return this.lists.has(method) || INTRODUCTIONS.includes(method);
  }

  /** What a server offers as the client may see it; the very same if nothing is taken out. */
  private async shown(result: JsonObject, { method, params, route }: Pending): Promise<JsonObject> {
    const list = this.lists.get(method);
    if (list !== undefined) return list.shown(result, params, route);
    const said = instructionsIn(result);
    if ((await this.instructions.shownAlone(said)).length === said.length) return result;
    const { instructions, ...rest } = result;
    return rest.cacheScope === 'public' ? { ...rest, cacheScope: 'private' } : rest;
  }

  /** The server will never answer this request: the client is told, and the tape has it. */
  fail(id: MessageId, why: string): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    if (pending.call !== undefined) this.options.session.record(pending.call, 'failed', why, null);
    const told = failure(id, CODES.refused, why);
    if (pending.own === undefined) this.answer(told);
    else pending.own.answer(told as unknown as Message);
  }

  /** The client does not wait for this request any more. True if the server has it. */
  abandon(id: MessageId): boolean {
    this.cancelled(id);
    return this.settle(id, 'the client went away');
  }

  /** Nobody waits for this request any more, and the tape has it. False if the server does not have it. */
  private settle(id: MessageId, why: string): boolean {
    const pending = this.pending.get(id);
    if (pending === undefined || pending.own !== undefined) return false;
    this.pending.delete(id);
    if (pending.call !== undefined) this.options.session.record(pending.call, 'failed', why, null);
    return true;
  }

  /** The server is gone: everybody who waits is told. */
  end(why: string): void {
    if (this.over !== null) return;
    this.over = `the server ${why}`;
    for (const { controller } of this.judging.values()) controller.abort();
    for (const id of [...this.pending.keys()]) this.fail(id, this.over);
  }

  /** The client is gone: what was let go and not answered stands on the tape as that. */
  clientGone(): void {
    for (const id of [...this.judging.keys(), ...this.pending.keys()]) this.abandon(id);
  }

  /** The person at the client is asked about a call, if the client can. */
  askClient(callId: string | undefined, message: string, signal: AbortSignal): Promise<boolean | null> {
    const call = [...this.judging.values()].find(
      ({ asking }) => asking.id !== null && asking.callId === callId,
    );
    return this.questions.ask(message, signal, call?.asking);
  }

  /** What the proxy says itself. */
  private answer(message: object): void {
    this.pass(message, null);
  }

  private pass(message: object, route: MessageRoute): void {
    this.options.toClient(writtenMessage(message, false) ?? rounded(message), message as Message, route);
  }

  /** True if nobody else has to hear of it. */
  private cancelled(id: Json | undefined): boolean {
    const judging = this.judging.get(id as MessageId);
    judging?.controller.abort();
    return judging !== undefined;
  }

  private async judge(line: Buffer, message: Request, gate: Gate, route: MessageRoute): Promise<void> {
    const { id, method, params = {} } = message;
    const tool = gate.tool(params)!;
    const resumed = this.questions.resumed(id, route, method, params);
    if (resumed !== null) {
      const slot = [...this.judging.values()].find((one) => one.asking === resumed);
      if (slot !== undefined) this.judging.set(id, slot);
      return;
    }
    const asking: WaitingCall = { callId: String(id), id, route, method, params };
    const slot: Judging = { controller: new AbortController(), asking };
    const { signal } = slot.controller;
    this.judging.set(id, slot);
    const name = policyName(this.options.name, tool);
    const native = { protocol: 'mcp', server: this.options.name, method, params };
    const call: JudgedCall = { id: String(id), name, args: gate.args(params), native };
    const going = this.unfinished.take(params, call);
    let isUnknown = false;
    const refuse = (reason: string) => {
      if (!this.isAnswerable(slot)) return;
      // As a server answers for a tool or a method that it does not have.
      const error = (code: number) => failure(asking.id!, code, reason);
      if (gate.isUnknown) this.answer(error(CODES.methodNotFound));
      else if (isUnknown) this.answer(error(CODES.invalidParams));
      else this.answer(refusedAnswer(asking.id!, method, params, reason));
    };
    try {
      // The server says what the tool is now while hooks decide.
      const offered = gate.isUnknown
        ? this.extras.client.objectionAlone({ name: method })
        : method === 'tools/call'
          ? this.tools.objection(tool, params, route)
          : null;
      offered?.catch(() => {});
      const objection = async () => {
        const found = await this.standing(await offered, gate.isUnknown ? method : `the tool ${tool}`, slot);
        isUnknown = found?.verdict === 'unknown_tool';
        return found;
      };
      const objected = going === undefined ? null : await objection();
      if (objected !== null) {
        this.options.session.record(call, objected.verdict ?? 'blocked', objected.reason, objected.by);
        refuse(objected.reason);
        return;
      }
      const verdict =
        going === undefined
          ? await this.options.session.beforeCall(call, signal, objection)
          : progressNotice(going, call);
      if (!verdict.allowed) {
        refuse(verdict.reason);
        return;
      }
      const answerTo = asking.id;
      if (!this.isAnswerable(slot) || answerTo === null) {
        this.options.session.record(call, 'denied', 'it was cancelled before it ran', null);
        return;
      }
      if (this.over !== null) {
        refuse(this.over);
        return;
      }
      const plain = withoutOurs(params);
      const changed = verdict.rewritten || plain !== params || answerTo !== id;
      const sent = verdict.rewritten ? gate.rewritten(plain, verdict.args) : plain;
      const judged = going ?? { ...call, args: verdict.args };
      this.pending.set(answerTo, {
        method,
        params: sent,
        call: judged,
        context: verdict.context,
        route: asking.route,
      });
      const marks = method === 'tools/call' ? this.tools.paramHeaders(tool) : [];
      const out = { ...message, id: answerTo, params: sent };
      const text = changed ? writtenMessage(out, true) : line;
      if (text === null) {
        this.pending.delete(answerTo);
        this.options.session.record(call, 'blocked', ROUNDED, 'mcp');
        refuse(ROUNDED);
        return;
      }
      this.options.toServer(text, { ...out, marks }, asking.route);
    } catch (error) {
      refuse(`the policy could not decide: ${(error as Error).message}`);
    } finally {
      this.judging.delete(id);
      if (asking.id !== null) this.judging.delete(asking.id);
    }
  }

  private isAnswerable({ controller, asking }: Judging): boolean {
    return asking.id !== null && (!controller.signal.aborted || this.over !== null);
  }

  /** What is left of an objection when the person at the client was asked, where they can be. */
  private async standing(
    objection: Objection | null,
    what: string,
    { controller, asking }: Judging,
  ): Promise<Objection | null> {
    if (objection === null || objection.verdict !== undefined) return objection;
    const question = `${what}: ${objection.reason}. Run it once?`;
    if (!objection.hides && (await this.questions.ask(question, controller.signal, asking)) === true)
      return null;
    const needs = objection.hides ? 'is refused' : 'needs approval';
    return { ...objection, reason: `${what} ${needs}: ${objection.reason}` };
  }

  private async answered(
    line: Buffer,
    message: Message,
    pending: Pending,
    route: MessageRoute,
  ): Promise<void> {
    const { method, params, call, context = [] } = pending;
    const { session, name } = this.options;
    const id = message.id!;
    const judged = call ?? taskCall(name, method, params, id);
    const left = await judgedResult(session, judged, message, context);
    if (left.kind === 'same') this.options.toClient(line, message, route);
    else if (left.kind === 'changed' && writtenMessage(left.message, true) !== null)
      this.pass(left.message, route);
    else this.pass(refusedAnswer(id, method, params, left.kind === 'hidden' ? left.reason : ROUNDED), route);
  }

  /** No result yet: the server wants something of the client first, and each of its wishes is judged. */
  private async inputRequired(
    line: Buffer,
    message: Message,
    pending: Pending,
    route: MessageRoute,
  ): Promise<void> {
    const id = message.id!;
    const { method, params } = pending;
    const call = pending.call ?? taskCall(this.options.name, method, params, id);
    const result = message.result as JsonObject;
    const { inputRequests = {} } = result;
    const wishes = isJsonObject(inputRequests)
      ? Object.entries(inputRequests)
      : [['', inputRequests] as const];
    for (const [key, wish] of wishes) {
      const reason = isJsonObject(wish) ? await this.refusedWish(`${id}:${key}`, wish) : 'it is no request';
      if (reason === null) continue;
      this.options.session.record(call, 'failed', reason, null);
      this.pass(refusedAnswer(id, method, params, reason), route);
      return;
    }
    this.unfinished.keep(result, call);
    this.options.toClient(line, message, route);
  }

  /** Why a request of the server is not passed on, or null. */
  private async refusedWish(
    id: string,
    { method, params }: { readonly method?: Json; readonly params?: Json },
  ): Promise<string | null> {
    if (typeof method !== 'string') return 'it names no method';
    const gate = gateOf(SERVER_METHODS, method);
    if (gate === null) return null;
    const [refused] = this.unjudged(SERVER_METHODS, [{ id, method, params: params ?? {} }], null);
    if (refused !== undefined) return refused.reason;
    const given = (params ?? {}) as JsonObject;
    const name = policyName(this.options.name, gate.tool(given)!);
    const native = { protocol: 'mcp', server: this.options.name, method, params: given };
    try {
      const verdict = await this.options.session.beforeCall(
        { id, name, args: gate.args(given), native },
        NEVER,
        gate.isUnknown && (() => this.extras.server.objectionAlone({ name: method })),
      );
      if (!verdict.allowed) return verdict.reason;
      return verdict.rewritten ? 'a request of a server cannot be rewritten' : null;
    } catch (error) {
      return `the policy could not decide: ${(error as Error).message}`;
    }
  }

  private async requested(line: Buffer, message: Message, route: MessageRoute): Promise<void> {
    const { id, method } = message;
    if (method === 'notifications/tools/list_changed') this.tools.changed();
    const refused = this.unjudged(SERVER_METHODS, [message], null);
    if (refused.length > 0) {
      this.refuseServer(refused);
      return;
    }
    const isRequest = id !== undefined && id !== null;
    const gate = gateOf(SERVER_METHODS, method!);
    const mayPass = gate === null || (!isRequest && (await this.mayNotify('server', gate, message)));
    if (mayPass && isRequest) this.asked.add(id);
    if (mayPass) this.options.toClient(line, message, route);
    if (mayPass || !isRequest) return;
    const reason = await this.refusedWish(`server:${id}`, message);
    if (reason !== null) {
      const refused = failure(id, CODES.refused, reason);
      this.options.toServer(JSON.stringify(refused), refused as unknown as Message, null);
      return;
    }
    this.asked.add(id);
    this.options.toClient(line, message, route);
  }

  /** A notification that the tables do not have is judged like a request. Nobody can be answered: what may not go on is dropped. */
  private async mayNotify(from: 'client' | 'server', gate: Gate, message: Message): Promise<boolean> {
    const { method, params = {} } = message;
    const { session, name, note } = this.options;
    const native = { protocol: 'mcp', server: name, method: method!, params };
    const call = { id: '', name: policyName(name, gate.tool(params)!), args: gate.args(params), native };
    const verdict = await session
      .beforeCall(call, NEVER, () => this.extras[from].objectionAlone({ name: method! }))
      .catch((error: Error) => ({ allowed: false as const, reason: error.message }));
    if (verdict.allowed && !verdict.rewritten) return true;
    const reason = verdict.allowed ? 'a notification cannot be rewritten' : verdict.reason;
    note(`dropped from the ${from}: ${method}: ${reason}`);
    return false;
  }

  /** The client answers something that was asked of it: by the server, or by the proxy. */
  private replied(line: Buffer, message: Message, route: MessageRoute): void {
    const { id } = message;
    if (this.questions.replied(message)) return;
    if (id !== undefined && this.asked.delete(id)) {
      if (this.over === null) this.options.toServer(line, message, route);
      return;
    }
    this.options.note(
      `dropped from the client: an answer to ${JSON.stringify(id ?? null)}, which was not asked`,
    );
  }

  /** What of these messages cannot be judged; each is on the tape. */
  private unjudged(methods: Methods, parts: readonly object[], problem: string | null): Unjudged[] {
    const found = parts.flatMap((part) => unjudged(methods, this.options.name, part, problem) ?? []);
    for (const { call, reason } of found) this.options.session.record(call, 'refused', reason, 'mcp');
    return found;
  }

  private refuseServer(refused: readonly Unjudged[]): void {
    for (const { id, reason } of refused) {
      if (id === null) {
        this.options.note(`dropped from the server: ${reason}`);
        continue;
      }
      const error = failure(id, CODES.invalidParams, reason);
      this.options.toServer(JSON.stringify(error), error as unknown as Message, null);
    }
  }

  private doubled({ id, method }: Message): string | null {
    const isOpen = method !== undefined && isMessageId(id) && this.has(id);
    return isOpen ? `a request with the id ${JSON.stringify(id)} is open` : null;
  }

  /** No other proxy in front of this server or behind this client has it, and no client guesses what another person is asked. */
  private ownId(): string {
    return `${OWN}${++this.own}-${machineHost.uuid()}`;
  }

  private send(
    method: string,
    params: JsonObject,
    route: MessageRoute,
    before: RepeatedAnswer,
    late: AbortSignal,
  ): Promise<Message> {
    const id = this.ownId();
    return new Promise((answer) => {
      if (this.over !== null) {
        answer(failure(id, CODES.refused, this.over) as unknown as Message);
        return;
      }
      this.question = { id, before, answer };
      this.pending.set(id, { method, params, route, own: this.question });
      late.addEventListener('abort', () => this.pending.delete(id));
      const message = { jsonrpc: '2.0', id, method, params };
      this.options.toServer(JSON.stringify(message), { ...message, own: late }, route);
    });
  }
}

function wantsInput({ result }: Message): boolean {
  return isJsonObject(result) && result.resultType === 'input_required';
}

/** Where the model reads results of the method, the reason is one; elsewhere it is an error of the protocol. */
function refusedAnswer(
  id: MessageId,
  method: string,
  params: JsonObject | undefined,
  reason: string,
): JsonObject {
  return gateOf(CLIENT_METHODS, method)?.refusedInResult === true
    ? success(id, refusal(reason, params))
    : failure(id, CODES.refused, reason);
}

const OWN = 'harness-';
const ROUNDED =
  'a hook rewrote a number that JavaScript cannot hold exactly, so the rest cannot be passed on';
/** A list from which items were taken out, and which has the same digits as a number and as a text. */
const rounded = (message: Message) => JSON.stringify(failure(message.id ?? null, CODES.refused, ROUNDED));
const NEVER = new AbortController().signal;
