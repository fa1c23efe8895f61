/**
 * The proxy between a client and a server: messages that no hook changes are passed on byte for byte. Requests that are judged
 * wait for their answer while everything else goes on; a side that goes away, floods or answers what was not asked costs
 * the other side a proper error and nothing more. It knows no transport: what a message came with goes on with it.
 */
import { machineHost } from '../../base/host.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Judge, JudgedCall, Objection } from '../judge.ts';
import { type Asking, ClientQuestions, withoutOurs } from './client-questions.ts';
import { CLIENT_GATES, type Gate, gateOf, offerOf, policyName, SERVER_GATES } from './gates.ts';
import { judgedResult, taskCall } from './judged-result.ts';
import { CODES, failure, type Message, type MessageId, readMessage, refusal, success } from './message.ts';
import { PinnedTools, type PinnedToolsOptions } from './pinned-tools.ts';
import { Recent } from './recent.ts';
import type { RepeatedAnswer } from './repeated-answer.ts';
import { goingOn, UnfinishedCalls } from './unfinished-calls.ts';
import type { Line, Outgoing, Way } from './way.ts';

export interface ProxyOptions extends Omit<PinnedToolsOptions, 'offer'> {
  /** The server's name in policies. */
  readonly name: string;
  readonly judge: Judge;
  /** `way` is that of the server's message; null for what the proxy says itself. */
  readonly toClient: (line: Line, message: Message, way: Way) => void;
  /** `way` is that of the client's message, or of the one on whose behalf the proxy asks. */
  readonly toServer: (line: Line, message: Outgoing, way: Way) => void;
}

/** A request of the client that the server has and has not answered. */
interface Pending {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly way: Way;
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
  readonly asking: Asking;
}

type Request = Message & { readonly id: MessageId; readonly method: string };

export class McpProxy {
  private readonly options: ProxyOptions;
  private readonly pending = new Map<MessageId, Pending>();
  private readonly judging = new Map<MessageId, Judging>();
  /** Requests that were answered by a way that may have broken off: said again, the answer is judged again. */
  private readonly delivered = new Recent<MessageId, Pending>();
  /** Requests of the server that the client has. */
  private readonly asked = new Set<MessageId>();
  private readonly unfinished = new UnfinishedCalls();
  private readonly questions: ClientQuestions;
  private readonly tools: PinnedTools<Way>;
  /** The last question of the proxy itself. */
  private question: OwnQuestion | null = null;
  private own = 0;
  private over: string | null = null;

  constructor(options: ProxyOptions) {
    this.options = options;
    this.questions = new ClientQuestions(
      (message) => this.answer(message),
      // Several clients may share this proxy: nobody must guess what another person is asked.
      () => `${this.ownId()}-${machineHost.uuid()}`,
    );
    const offer = (tool: JsonObject) => options.judge.offer(offerOf(options.name, tool));
    this.tools = new PinnedTools({ ...options, offer }, (...asked) => this.send(...asked));
  }

  /** A request with this id is open. */
  has(id: MessageId): boolean {
    return this.pending.has(id) || this.judging.has(id);
  }

  /** The server waits for the client's answer to this id. */
  waitsFor(id: MessageId): boolean {
    return this.asked.has(id) || this.questions.waitsFor(id);
  }

  fromClient(line: Buffer, way: Way = null): void {
    const read = readMessage(line);
    if (!read.ok) {
      this.answer(failure(null, CODES.parse, read.problem));
      return;
    }
    const { message } = read;
    const { id, method, params } = message;
    if (method === undefined) {
      this.replied(line, message, way);
      return;
    }
    const isRequest = id !== undefined && id !== null;
    if (this.over !== null) {
      if (isRequest) this.answer(failure(id, CODES.refused, this.over));
      return;
    }
    if (method === 'initialize') this.questions.handshake(params);
    if (method === 'notifications/cancelled' && this.cancelled(params?.requestId)) return;
    if (!isRequest) {
      this.options.toServer(line, message, way);
      return;
    }
    if (this.has(id)) {
      this.answer(failure(id, CODES.invalidRequest, `a request with the id ${JSON.stringify(id)} is open`));
      return;
    }
    const gate = gateOf(CLIENT_GATES, method);
    if (gate === null) {
      this.pending.set(id, { method, params, way });
      this.options.toServer(line, message, way);
      return;
    }
    void this.judge(line, { ...message, id, method }, gate, way);
  }

  /** Resolves when the message is passed on, changed or refused; what comes by one way stays in order if it is waited for. */
  async fromServer(line: Buffer, way: Way = null): Promise<void> {
    const again = this.question?.before.again(line, this.question.id) ?? null;
    const read = again === null ? readMessage(line) : { ok: true as const, message: again };
    if (!read.ok) {
      this.options.note(`dropped from the server: ${read.problem}`);
      return;
    }
    const { message } = read;
    const { id, method } = message;
    if (method !== undefined) {
      await this.requested(line, message, way);
      return;
    }
    const pending =
      id === undefined || id === null
        ? undefined
        : (this.pending.get(id) ?? (way?.replayed === true ? this.delivered.get(id) : undefined));
    if (pending === undefined) {
      this.options.note(
        `dropped from the server: an answer to ${JSON.stringify(id ?? null)}, which nobody waits for`,
      );
      return;
    }
    this.pending.delete(id!);
    if (way?.resumable === true) this.delivered.keep(id!, pending);
    if (pending.own !== undefined) {
      if (again === null) pending.own.before.keep(line, message);
      pending.own.answer(message);
      return;
    }
    if (pending.method === 'tools/list' && isJsonObject(message.result)) {
      const shown = await this.tools.shown(message.result, pending.params, pending.way);
      if (shown === message.result) this.options.toClient(line, message, way);
      else this.pass({ ...message, result: shown }, way);
      return;
    }
    if (pending.call === undefined && !pending.method.startsWith('tasks/')) {
      this.options.toClient(line, message, way);
      return;
    }
    await this.answered(line, message, pending, way);
  }

  /** The server will never answer this request: the client is told, and the tape has it. */
  fail(id: MessageId, why: string): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.pending.delete(id);
    if (pending.call !== undefined) this.options.judge.record(pending.call, 'failed', why, null);
    const told = failure(id, CODES.refused, why);
    if (pending.own === undefined) this.answer(told);
    else pending.own.answer(told as unknown as Message);
  }

  /** The client does not wait for this request any more. True if the server has it. */
  abandon(id: MessageId): boolean {
    this.cancelled(id);
    const pending = this.pending.get(id);
    if (pending === undefined) return false;
    this.pending.delete(id);
    if (pending.call !== undefined)
      this.options.judge.record(pending.call, 'failed', 'the client went away', null);
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

  private pass(message: object, way: Way): void {
    this.options.toClient(JSON.stringify(message), message as Message, way);
  }

  /** True if nobody else has to hear of it. */
  private cancelled(id: Json | undefined): boolean {
    const judging = this.judging.get(id as MessageId);
    judging?.controller.abort();
    return judging !== undefined;
  }

  private async judge(line: Buffer, message: Request, gate: Gate, way: Way): Promise<void> {
    const { id, method, params = {} } = message;
    const tool = gate.tool(params);
    if (tool === null) {
      this.answer(failure(id, CODES.invalidParams, `${method} names no tool`));
      return;
    }
    const resumed = this.questions.resumed(id, way, method, params);
    if (resumed !== null) {
      const slot = [...this.judging.values()].find((one) => one.asking === resumed);
      if (slot !== undefined) this.judging.set(id, slot);
      return;
    }
    const asking: Asking = { callId: String(id), id, way, method, params };
    const slot: Judging = { controller: new AbortController(), asking };
    const { signal } = slot.controller;
    this.judging.set(id, slot);
    const name = policyName(this.options.name, tool);
    const native = { protocol: 'mcp', server: this.options.name, method, params };
    const call: JudgedCall = { id: String(id), name, args: gate.args(params), native };
    const going = this.unfinished.take(params, call);
    const refuse = (reason: string) => {
      if (this.isAnswerable(slot))
        this.answer(
          gate.refusedInResult
            ? success(asking.id!, refusal(reason, params))
            : failure(asking.id!, CODES.refused, reason),
        );
    };
    try {
      // The server says what the tool is now while hooks decide.
      const offered = method === 'tools/call' ? this.tools.objection(tool, params, way) : null;
      offered?.catch(() => {});
      const objection = async () => this.standing(await offered, tool, slot);
      const objected = going === undefined ? null : await objection();
      if (objected !== null) {
        this.options.judge.record(call, 'blocked', objected.reason, objected.by);
        refuse(objected.reason);
        return;
      }
      const verdict =
        going === undefined ? await this.options.judge.pre(call, signal, objection) : goingOn(going, call);
      if (!verdict.allowed) {
        refuse(verdict.reason);
        return;
      }
      const answerTo = asking.id;
      if (!this.isAnswerable(slot) || answerTo === null) {
        this.options.judge.record(call, 'denied', 'it was cancelled before it ran', null);
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
        way: asking.way,
      });
      const marks = method === 'tools/call' ? this.tools.paramHeaders(tool) : [];
      const out = { ...message, id: answerTo, params: sent };
      this.options.toServer(changed ? JSON.stringify(out) : line, { ...out, marks }, asking.way);
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
    tool: string,
    { controller, asking }: Judging,
  ): Promise<Objection | null> {
    if (objection === null) return null;
    const question = `${tool}: ${objection.reason}. Run it once?`;
    if (!objection.hides && (await this.questions.ask(question, controller.signal, asking)) === true)
      return null;
    const needs = objection.hides ? 'is refused' : 'needs approval';
    return { ...objection, reason: `the tool ${tool} ${needs}: ${objection.reason}` };
  }

  private async answered(line: Buffer, message: Message, pending: Pending, way: Way): Promise<void> {
    const { method, params, call, context = [] } = pending;
    const { judge, name } = this.options;
    const id = message.id!;
    const judged = call ?? taskCall(name, method, params, id);
    if (isJsonObject(message.result) && message.result.resultType === 'input_required') {
      await this.inputRequired(line, message, judged, params, way);
      return;
    }
    const left = await judgedResult(judge, judged, message, context);
    if (left.kind === 'same') this.options.toClient(line, message, way);
    else if (left.kind === 'changed') this.pass(left.message, way);
    else {
      const inResult = gateOf(CLIENT_GATES, method)?.refusedInResult === true;
      const { reason } = left;
      this.pass(inResult ? success(id, refusal(reason, params)) : failure(id, CODES.refused, reason), way);
    }
  }

  /** No result yet: the server wants something of the client first, and each of its wishes is judged. */
  private async inputRequired(
    line: Buffer,
    message: Message,
    call: JudgedCall,
    params: JsonObject | undefined,
    way: Way,
  ): Promise<void> {
    const id = message.id!;
    const result = message.result as JsonObject;
    const { inputRequests } = result;
    const wishes = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
    for (const [key, wish] of wishes) {
      const reason = isJsonObject(wish) ? await this.refusedWish(`${id}:${key}`, wish) : 'it is no request';
      if (reason === null) continue;
      this.options.judge.record(call, 'failed', reason, null);
      this.pass(success(id, refusal(reason, params)), way);
      return;
    }
    this.unfinished.keep(result, call);
    this.options.toClient(line, message, way);
  }

  /** Why a request of the server is not passed on, or null. */
  private async refusedWish(
    id: string,
    { method, params }: { readonly method?: Json; readonly params?: Json },
  ): Promise<string | null> {
    const gate = typeof method === 'string' ? gateOf(SERVER_GATES, method) : null;
    if (gate === null) return null;
    const given = isJsonObject(params) ? params : {};
    const name = policyName(this.options.name, gate.tool(given)!);
    const native = { protocol: 'mcp', server: this.options.name, method: method!, params: given };
    try {
      const verdict = await this.options.judge.pre({ id, name, args: gate.args(given), native }, NEVER);
      if (!verdict.allowed) return verdict.reason;
      return verdict.rewritten ? 'a request of a server cannot be rewritten' : null;
    } catch (error) {
      return `the policy could not decide: ${(error as Error).message}`;
    }
  }

  private async requested(line: Buffer, message: Message, way: Way): Promise<void> {
    const { id, method } = message;
    if (method === 'notifications/tools/list_changed') this.tools.changed();
    const isRequest = id !== undefined && id !== null;
    if (!isRequest || gateOf(SERVER_GATES, method!) === null) {
      if (isRequest) this.asked.add(id);
      this.options.toClient(line, message, way);
      return;
    }
    const reason = await this.refusedWish(`server:${id}`, message);
    if (reason !== null) {
      const refused = failure(id, CODES.refused, reason);
      this.options.toServer(JSON.stringify(refused), refused as unknown as Message, null);
      return;
    }
    this.asked.add(id);
    this.options.toClient(line, message, way);
  }

  /** The client answers something that was asked of it: by the server, or by the proxy. */
  private replied(line: Buffer, message: Message, way: Way): void {
    const { id } = message;
    if (this.questions.replied(message)) return;
    if (id !== undefined && this.asked.delete(id)) {
      if (this.over === null) this.options.toServer(line, message, way);
      return;
    }
    this.options.note(
      `dropped from the client: an answer to ${JSON.stringify(id ?? null)}, which nobody asked`,
    );
  }

  private ownId(): string {
    return `${OWN}${++this.own}`;
  }

  private send(method: string, params: JsonObject, way: Way, before: RepeatedAnswer): Promise<Message> {
    const id = this.ownId();
    return new Promise((answer) => {
      if (this.over !== null) {
        answer(failure(id, CODES.refused, this.over) as unknown as Message);
        return;
      }
      this.question = { id, before, answer };
      this.pending.set(id, { method, params, way, own: this.question });
      const message = { jsonrpc: '2.0', id, method, params };
      this.options.toServer(JSON.stringify(message), { ...message, own: true }, way);
    });
  }
}

const OWN = 'harness-';
const NEVER = new AbortController().signal;
