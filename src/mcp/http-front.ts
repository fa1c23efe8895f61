/**
 * The HTTP side that clients speak with: one address, the methods of the protocol, sessions in the era that has them. It answers
 * programs of this machine, and pages of it; a name or a page from elsewhere is refused before anything of a request is read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type JsonObject, sha256Hex } from '../base/index.ts';
import { type Admission, hostnameIn, listenAt, machineHost, readBody, refusedFor } from '../machine/index.ts';
import { CLIENT_METHODS, gateOf } from './gates.ts';
import { HttpExchange } from './http-exchange.ts';
import { mediaType, TOKEN_HEADER } from './http-headers.ts';
import {
  answerIdOf,
  CODES,
  type Message,
  type MessageId,
  missingInMeta,
  readMessage,
  versionOf,
} from './message.ts';
import { bodyHeaders, decoded, type ParamHeader, paramHeaderName } from './param-headers.ts';
import { routeBy } from './remote.ts';
import { type Client, type HttpSession, HttpSessions, type OpenProxiedServer } from './sessions.ts';

export interface FrontOptions {
  /** The address to listen at; loopback unless somebody asked for another. */
  readonly host: string;
  readonly port: number;
  /** Names beside those of this machine under which it may be spoken to. */
  readonly names: readonly string[];
  /** What every request has to show in `Harness-Token`; null: no request has to. */
  readonly token: string | null;
  readonly open: OpenProxiedServer;
  readonly note: (text: string) => void;
}

export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

export const MAX_BODY_BYTES = 4 * 1024 * 1024;
const LOCAL = ['localhost', '127.0.0.1', '[::1]'];
const MOST_LANES = 256;
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const BACKLOG = 4096;
const SESSION = 'mcp-session-id';

export async function startFront(options: FrontOptions): Promise<Front> {
  const httpSessions = new HttpSessions(options.open, MOST_LANES);
  const names = [...LOCAL, ...options.names];
  const isOwnPage = (origin: string) => names.includes(hostnameIn(origin) ?? '');
  const admitted: Admission = { names, isOwnPage, token: options.token };
  const server = createServer((request, response) => {
    serve(request, response, httpSessions, admitted).catch((error: Error) => {
      options.note(`a request could not be served: ${error.message}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  const { host, port } = options;
  // Many clients may come at once, while this program decides something.
  const { url, ...at } = await listenAt(server, { host, port, backlog: BACKLOG });
  const sweep = setInterval(() => dropIdle(httpSessions), SWEEP_MS);
  sweep.unref();
  return {
    url: `${url}/`,
    close: async () => {
      clearInterval(sweep);
      // No new session while those that are open end.
      server.close();
      await httpSessions.close();
      await at.close();
    },
  };
}

function dropIdle(httpSessions: HttpSessions): void {
  const now = machineHost.now();
  for (const httpSession of httpSessions.all())
    if (httpSession.isIdle && now - httpSession.usedAt > IDLE_MS) httpSessions.drop(httpSession);
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  httpSessions: HttpSessions,
  admitted: Admission,
): Promise<void> {
  const exchange = new HttpExchange(request, response);
  const { host, origin, [TOKEN_HEADER]: token } = request.headers;
  const refused = refusedFor({ host, origin, token: String(token ?? '') }, admitted);
  if (refused !== null) {
    request.resume();
    exchange.refuse(refused === 'token' ? 401 : 403, CODES.refused, REFUSALS[refused]);
    return;
  }
  if (request.url?.startsWith('/.well-known/') === true) {
    request.resume();
    exchange.refuse(404, CODES.refused, 'this proxy gives no tokens: the server says where its come from');
    return;
  }
  switch (request.method) {
    case 'POST':
      await post(request, exchange, httpSessions);
      return;
    case 'GET':
      get(request, exchange, httpSessions);
      return;
    case 'DELETE':
      await forget(request, exchange, httpSessions);
      return;
    default:
      exchange.set('allow', 'GET, POST, DELETE');
      exchange.refuse(405, CODES.refused, 'want GET, POST or DELETE');
  }
}

const REFUSALS = {
  host: 'the name in Host is not one of this server',
  origin: 'the page in Origin may not speak with this server',
  token: 'want the token of this proxy in Harness-Token',
};

async function post(
  request: IncomingMessage,
  exchange: HttpExchange,
  httpSessions: HttpSessions,
): Promise<void> {
  if (mediaType(request.headers) !== 'application/json') {
    request.resume();
    exchange.refuse(415, CODES.refused, 'want content-type application/json');
    return;
  }
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === null) {
    exchange.refuse(413, CODES.refused, `want a message of at most ${MAX_BODY_BYTES} bytes`);
    return;
  }
  const read = readMessage(body);
  if (!read.ok) {
    // A session records the calls in it; without one, only a call is worth opening one.
    const recording =
      httpSessionOf(request, httpSessions) ??
      (hasCall(read.parts) ? httpSessions.sharing(clientOf(request), () => true) : null);
    recording?.proxy.refused(read);
    exchange.refuse(400, CODES.parse, read.problem, answerIdOf(read));
    return;
  }
  const { message } = read;
  const mismatch = mismatchOf(request, message);
  if (mismatch !== null) {
    exchange.refuse(400, CODES.headerMismatch, mismatch, answerIdOf(read));
    return;
  }
  const httpSession = httpSessionFor(request, message, httpSessions, exchange);
  if (httpSession === null) return;
  httpSession.usedAt = machineHost.now();
  const refused = httpSession.proxy.refused(read);
  if (refused !== null) {
    exchange.refuse(400, refused.code, refused.reason, refused.id);
    return;
  }
  const { id, method, params } = message;
  const isStateless = versionOf(params) !== undefined;
  const requestId = method === undefined ? null : (id ?? null);
  // Before anything is waited for: a request of another client may come with the same id in the meantime.
  if (requestId !== null && !httpSession.reserve(requestId, message, exchange, isStateless)) {
    exchange.refuse(400, CODES.invalidRequest, `a request with the id ${JSON.stringify(id)} is open`, id);
    return;
  }
  if (method === 'tools/call' && isStateless) {
    const marks = await httpSession.proxy.paramHeaders(params!, routeBy(exchange));
    if (exchange.gone.aborted) return;
    const unlike = mismatchOf(request, message, marks);
    if (unlike !== null) {
      if (requestId !== null) httpSession.release(requestId, exchange);
      exchange.refuse(400, CODES.headerMismatch, unlike, answerIdOf(read));
      return;
    }
  }
  if (requestId !== null) {
    if (httpSession.session === null && method === 'initialize')
      nameSession(httpSession, httpSessions, exchange);
    httpSession.proxy.fromClient(body, routeBy(exchange));
    return;
  }
  httpSession.proxy.fromClient(body, routeBy(exchange));
  if (method === 'notifications/cancelled') httpSession.cancelled(params?.requestId as MessageId);
  // A server behind HTTP says itself what it makes of it, if it is told.
  if (httpSession.remote === null || !exchange.told) exchange.accept();
}

/**
 * What is judged is the body: a header that says otherwise would let somebody in between see another request. In the stateless era
 * every header has to be there.
 */
function mismatchOf(
  { headers }: IncomingMessage,
  { method, params }: Message,
  marks: readonly ParamHeader[] = [],
): string | null {
  const version = versionOf(params);
  const expected = bodyHeaders(method ?? '', params ?? {}, version ?? '', marks);
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name', ...marks.map(paramHeaderName)];
  for (const name of names) {
    const given = headers[name];
    const said = typeof given === 'string' ? decoded(given.trim()) : undefined;
    const wanted = expected[name] === undefined ? undefined : decoded(expected[name]);
    const isBound = name === 'mcp-protocol-version' ? version !== undefined : method !== undefined;
    if (!isBound || said === wanted) continue;
    if (said !== undefined) return `the header ${name} and the body say two things`;
    if (version !== undefined) return `the header ${name} is missing: a request of ${version} repeats it`;
  }
  return null;
}

function httpSessionOf({ headers }: IncomingMessage, httpSessions: HttpSessions): HttpSession | null {
  const session = headers[SESSION];
  return typeof session === 'string' ? (httpSessions.ofSession(session) ?? null) : null;
}

function hasCall(parts: readonly JsonObject[]): boolean {
  return parts.some(({ method }) => typeof method === 'string' && gateOf(CLIENT_METHODS, method) !== null);
}

function clientOf({ headers }: IncomingMessage, message?: Message): Client {
  return { user: sha256Hex(headers.authorization ?? ''), version: versionOf(message?.params) ?? '' };
}

function httpSessionFor(
  request: IncomingMessage,
  message: Message,
  httpSessions: HttpSessions,
  exchange: HttpExchange,
): HttpSession | null {
  const answerTo = answerIdOf({ ok: true, message });
  const full = () => {
    exchange.refuse(503, CODES.refused, 'too many sessions are open', answerTo);
    return null;
  };
  const session = request.headers[SESSION];
  const client = clientOf(request, message);
  const { id, method, params } = message;
  if (typeof session === 'string' && method !== 'initialize') {
    const known = httpSessions.ofSession(session);
    if (known !== undefined) return known;
    const httpSession = httpSessions.make(client);
    if (httpSession === null) return full();
    // A server behind HTTP knows its sessions itself, also those from before this program was started.
    if (httpSession.remote !== null) {
      httpSessions.name(httpSession, session);
      return httpSession;
    }
    httpSessions.drop(httpSession);
    exchange.refuse(404, CODES.refused, 'this session is over, or was none', answerTo);
    return null;
  }
  if (method === 'initialize') return httpSessions.make(client) ?? full();
  const of = method === undefined ? id : params?.requestId;
  if (method === undefined || method === 'notifications/cancelled') {
    const httpSession = httpSessions.find(client.user, (one) =>
      method === undefined ? one.waitsFor(of as MessageId) : one.has(of as MessageId),
    );
    if (httpSession !== undefined) return httpSession;
  }
  const httpSession = httpSessions.sharing(client, (one) => id === undefined || id === null || !one.has(id));
  if (httpSession === null) return full();
  // A server behind HTTP says so itself.
  const missing = httpSession.remote === null && method !== undefined ? missingInMeta(message) : null;
  if (missing !== null) {
    exchange.refuse(400, CODES.invalidParams, missing, answerTo);
    return null;
  }
  return httpSession;
}

/** A program has no sessions of its own. */
function nameSession(httpSession: HttpSession, httpSessions: HttpSessions, exchange: HttpExchange): void {
  if (httpSession.remote === null) {
    const session = machineHost.uuid();
    httpSessions.name(httpSession, session);
    exchange.set(SESSION, session);
    return;
  }
  exchange.onHead = (headers) => {
    const session = headers[SESSION];
    if (typeof session === 'string') httpSessions.name(httpSession, session);
  };
}

function get(request: IncomingMessage, exchange: HttpExchange, httpSessions: HttpSessions): void {
  const session = request.headers[SESSION];
  const httpSession =
    typeof session === 'string'
      ? httpSessions.ofSession(session)
      : httpSessions.sharing(clientOf(request), () => true);
  if (httpSession === undefined || httpSession === null) {
    exchange.refuse(404, CODES.refused, 'this session is over, or was none');
    return;
  }
  httpSession.usedAt = machineHost.now();
  if (httpSession.remote !== null) {
    void httpSession.remote.listen(exchange);
    return;
  }
  if (httpSession.session === null) {
    exchange.set('allow', 'POST');
    exchange.refuse(405, CODES.refused, 'a stream of its own belongs to a session');
    return;
  }
  httpSession.standing?.end();
  httpSession.standing = exchange;
  exchange.gone.addEventListener('abort', () => {
    if (httpSession.standing === exchange) httpSession.standing = null;
  });
  exchange.begin();
}

async function forget(
  request: IncomingMessage,
  exchange: HttpExchange,
  httpSessions: HttpSessions,
): Promise<void> {
  const session = request.headers[SESSION];
  const httpSession = typeof session === 'string' ? httpSessions.ofSession(session) : undefined;
  if (httpSession === undefined) {
    exchange.refuse(404, CODES.refused, 'this session is over, or was none');
    return;
  }
  if (httpSession.remote === null) exchange.head(204, {}, false);
  else {
    const said = await httpSession.remote.forget(exchange.passed).catch(() => ({ status: 502, headers: {} }));
    exchange.head(said.status, said.headers, false);
    if (said.status >= 300 && said.status !== 404) {
      exchange.end();
      return;
    }
  }
  httpSessions.drop(httpSession);
  exchange.end();
}
