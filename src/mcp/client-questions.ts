/**
 * The person at the client is asked whether a call may run: with a request of its own in the era with a handshake, inside the
 * answer to the call in the stateless one, where the client then calls again. A client that cannot ask says so, and that is no yes.
 */
import { isJsonObject, type Json, type JsonObject, sameJson } from '../base/index.ts';
import { capabilitiesOf, isStateless, type Message, type MessageId, success } from './message.ts';

type RequestRoute = object | null;

/** A call that waits for a person. In the stateless era another request takes its place. */
export interface WaitingCall {
  /** As the policy knows it. */
  readonly callId: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The request that is to be answered; null while the client asks. */
  id: MessageId | null;
  /** By which that request came. */
  route: RequestRoute;
}

const KEY = 'harness';
const STATE = 'harness:';
const SCHEMA = {
  type: 'object',
  properties: { approve: { type: 'boolean', title: 'Approve', description: 'Let this call run once.' } },
  required: ['approve'],
};

export class ClientQuestions {
  /** What the client said it can, in the handshake. */
  private capabilities: JsonObject = {};
  private readonly open = new Map<MessageId, (answer: Json | undefined) => void>();
  private readonly waiting = new Map<
    string,
    { asking: WaitingCall; answer: (given: Json | undefined) => void }
  >();
  private readonly toClient: (message: object) => void;
  private readonly nextId: () => string;

  constructor(toClient: (message: object) => void, nextId: () => string) {
    this.toClient = toClient;
    this.nextId = nextId;
  }

  handshake(params: JsonObject | undefined): void {
    if (isJsonObject(params?.capabilities)) this.capabilities = params.capabilities;
  }

  /** Null if the client cannot ask. `asking` is the call; without, it is a request of the server. */
  async ask(message: string, signal: AbortSignal, asking?: WaitingCall): Promise<boolean | null> {
    const stateless = asking !== undefined && isStateless(asking.params);
    const can = stateless ? capabilitiesOf(asking.params) : this.capabilities;
    if (!isJsonObject(can.elicitation)) return null;
    const params = { message, requestedSchema: SCHEMA };
    const id = this.nextId();
    const gone = () => {
      this.open.delete(id);
      this.waiting.delete(STATE + id);
    };
    const answer = await new Promise<Json | undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      if (!stateless) {
        this.open.set(id, resolve);
        this.toClient({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
        return;
      }
      const inputRequests = { [KEY]: { method: 'elicitation/create', params: { mode: 'form', ...params } } };
      this.waiting.set(STATE + id, { asking, answer: resolve });
      const request = asking.id!;
      asking.id = null;
      this.toClient(
        success(request, { resultType: 'input_required', inputRequests, requestState: STATE + id }),
      );
    }).finally(gone);
    return (
      isJsonObject(answer) &&
      answer.action === 'accept' &&
      isJsonObject(answer.content) &&
      answer.content.approve === true
    );
  }

  waitsFor(id: MessageId): boolean {
    return this.open.has(id);
  }

  /** True if the answer was to a question of ours. */
  replied({ id, result }: Message): boolean {
    const open = id === undefined ? undefined : this.open.get(id);
    open?.(result);
    return open !== undefined;
  }

  /** The call that this request goes on with; null if it is another one or nobody waits for it any more. */
  resumed(id: MessageId, route: RequestRoute, method: string, params: JsonObject): WaitingCall | null {
    const state = params.requestState;
    const waiting = typeof state === 'string' ? this.waiting.get(state) : undefined;
    if (waiting === undefined || waiting.asking.method !== method) return null;
    if (!sameCall(waiting.asking.params, params)) return null;
    waiting.asking.id = id;
    waiting.asking.route = route;
    const given = params.inputResponses;
    waiting.answer(isJsonObject(given) ? given[KEY] : undefined);
    return waiting.asking;
  }
}

/** Without what only belongs to a question of ours, which no server is to see. */
export function withoutOurs(params: JsonObject): JsonObject {
  const { requestState, inputResponses, ...rest } = params;
  return typeof requestState === 'string' && requestState.startsWith(STATE) ? rest : params;
}

function sameCall(a: JsonObject, b: JsonObject): boolean {
  const { _meta: _a, ...left } = withoutOurs(a);
  const { _meta: _b, ...right } = withoutOurs(b);
  return sameJson(left, right);
}
