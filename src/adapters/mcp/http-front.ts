/**
 * The HTTP side that clients speak with: one address, the methods of the protocol, sessions in the era that has them. It answers
 * programs of this machine, and pages of it; a name or a page from elsewhere is refused before anything of a request is read.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { machineHost } from '../../base/host.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { HttpExchange } from './http-exchange.ts';
import { mediaType, TOKEN_HEADER } from './http-headers.ts';
import { type Lane, Lanes, type OpenBehind } from './http-lanes.ts';
import { CODES, type Message, type MessageId, readMessage, versionOf } from './message.ts';
import { decoded, requestName } from './param-headers.ts';
import { wayBy } from './remote.ts';

export interface FrontOptions {
  /** The address to listen at; loopback unless somebody asked for another. */
  readonly host: string;
  readonly port: number;
  /** Names beside those of this machine under which it may be spoken to. */
  readonly names: readonly string[];
  /** What every request has to show in `Harness-Token`; null: no request has to. */
  readonly token: string | null;
  readonly open: OpenBehind;
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
  const lanes = new Lanes(options.open, MOST_LANES);
  const admitted: Admitted = {
    names: [...LOCAL, ...options.names],
    // Digests of equal length: how long a comparison takes tells nothing.
    token: options.token === null ? null : sha256Hex(options.token),
  };
  const server = createServer((request, response) => {
    serve(request, response, lanes, admitted).catch((error: Error) => {
      options.note(`a request could not be served: ${error.message}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await listen(server, options.port, options.host);
  const sweep = setInterval(() => dropIdle(lanes), SWEEP_MS);
  sweep.unref();
  const { port } = server.address() as { readonly port: number };
  const shown = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}/`,
    close: async () => {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await lanes.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    // Many clients may come at once, while this program decides something.
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
}

function dropIdle(lanes: Lanes): void {
  const now = machineHost.now();
  for (const lane of lanes.all()) if (lane.isIdle && now - lane.usedAt > IDLE_MS) lanes.drop(lane);
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  lanes: Lanes,
  admitted: Admitted,
): Promise<void> {
  const exchange = new HttpExchange(request, response);
  const stranger = strangerIn(request, admitted.names);
  if (stranger !== null || !showsToken(request, admitted)) {
    request.resume();
    if (stranger === null)
      exchange.refuse(401, CODES.refused, 'want the token of this proxy in Harness-Token');
    else exchange.refuse(403, CODES.refused, stranger);
    return;
  }
  if (request.url?.startsWith('/.well-known/') === true) {
    request.resume();
    exchange.refuse(404, CODES.refused, 'this proxy gives no tokens: the server says where its come from');
    return;
  }
  switch (request.method) {
    case 'POST':
      await post(request, exchange, lanes);
      return;
    case 'GET':
      get(request, exchange, lanes);
      return;
    case 'DELETE':
      await forget(request, exchange, lanes);
      return;
    default:
      exchange.set('allow', 'GET, POST, DELETE');
      exchange.refuse(405, CODES.refused, 'want GET, POST or DELETE');
  }
}

/** Who is answered. */
interface Admitted {
  readonly names: readonly string[];
  /** The digest of it. */
  readonly token: string | null;
}

function showsToken({ headers }: IncomingMessage, { token }: Admitted): boolean {
  return token === null || sha256Hex(String(headers[TOKEN_HEADER] ?? '')) === token;
}

/** A name that is not this machine's may be a page's that made itself this machine; null: nobody is. */
function strangerIn({ headers }: IncomingMessage, names: readonly string[]): string | null {
  const host = hostIn(`http://${headers.host ?? ''}`);
  if (host === null || !names.includes(host)) return 'the name in Host is not one of this server';
  const { origin } = headers;
  if (origin === undefined) return null;
  const from = hostIn(origin);
  return from !== null && names.includes(from) ? null : 'the page in Origin may not speak with this server';
}

function hostIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

async function post(request: IncomingMessage, exchange: HttpExchange, lanes: Lanes): Promise<void> {
  if (mediaType(request.headers) !== 'application/json') {
    request.resume();
    exchange.refuse(415, CODES.refused, 'want content-type application/json');
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    exchange.refuse(413, CODES.refused, `want a message of at most ${MAX_BODY_BYTES} bytes`);
    return;
  }
  const read = readMessage(body);
  if (!read.ok) {
    exchange.refuse(400, CODES.parse, read.problem);
    return;
  }
  const { message } = read;
  const mismatch = mismatchOf(request, message);
  if (mismatch !== null) {
    exchange.refuse(400, CODES.headerMismatch, mismatch);
    return;
  }
  const lane = laneFor(request, message, lanes, exchange);
  if (lane === null) return;
  lane.usedAt = machineHost.now();
  const { id, method, params } = message;
  if (id !== undefined && id !== null && method !== undefined) {
    if (lane.session === null && method === 'initialize') nameSession(lane, lanes, exchange);
    lane.request(body, id, message, exchange, versionOf(params) !== undefined);
    return;
  }
  lane.proxy.fromClient(body, wayBy(exchange));
  // A server behind HTTP says itself what it makes of it, if it is told.
  if (lane.remote === null || !exchange.told) exchange.accept();
}

/** What is judged is the body: a header that says otherwise would let somebody in between see another request. */
function mismatchOf({ headers }: IncomingMessage, { method, params }: Message): string | null {
  const [version, said, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((key) => {
    const value = headers[key];
    return typeof value === 'string' ? decoded(value.trim()) : undefined;
  });
  const claimed = versionOf(params);
  if (claimed !== undefined && version !== undefined && version !== claimed)
    return 'MCP-Protocol-Version and the body name two versions';
  if (method === undefined) return null;
  if (said !== undefined && said !== method) return 'Mcp-Method and the body name two methods';
  const named = requestName(method, params);
  return name !== undefined && name !== named ? 'Mcp-Name and the body name two things' : null;
}

function laneFor(
  { headers }: IncomingMessage,
  message: Message,
  lanes: Lanes,
  exchange: HttpExchange,
): Lane | null {
  const full = () => {
    exchange.refuse(503, CODES.refused, 'too many sessions are open');
    return null;
  };
  const session = headers[SESSION];
  const { id, method, params } = message;
  if (typeof session === 'string' && method !== 'initialize') {
    const known = lanes.ofSession(session);
    if (known !== undefined) return known;
    const lane = lanes.make();
    if (lane === null) return full();
    // A server behind HTTP knows its sessions itself, also those from before this program was started.
    if (lane.remote !== null) {
      lanes.name(lane, session);
      return lane;
    }
    lanes.drop(lane);
    exchange.refuse(404, CODES.refused, 'this session is over, or was none');
    return null;
  }
  if (method === 'initialize') return lanes.make() ?? full();
  const of = method === undefined ? id : params?.requestId;
  if (method === undefined || method === 'notifications/cancelled') {
    const lane = lanes.find((one) =>
      method === undefined ? one.waitsFor(of as MessageId) : one.has(of as MessageId),
    );
    if (lane !== undefined) return lane;
  }
  const lane = lanes.sharing((one) => id === undefined || id === null || !one.has(id));
  if (lane === null) return full();
  if (lane.remote === null && versionOf(params) === undefined && method !== undefined) {
    exchange.refuse(
      400,
      CODES.refused,
      'want the header Mcp-Session-Id, or the version of the protocol in _meta',
    );
    return null;
  }
  return lane;
}

/** A program has no sessions of its own. */
function nameSession(lane: Lane, lanes: Lanes, exchange: HttpExchange): void {
  if (lane.remote === null) {
    const session = machineHost.uuid();
    lanes.name(lane, session);
    exchange.set(SESSION, session);
    return;
  }
  exchange.onHead = (headers) => {
    const session = headers[SESSION];
    if (typeof session === 'string') lanes.name(lane, session);
  };
}

function get(request: IncomingMessage, exchange: HttpExchange, lanes: Lanes): void {
  const session = request.headers[SESSION];
  const lane = typeof session === 'string' ? lanes.ofSession(session) : lanes.sharing(() => true);
  if (lane === undefined || lane === null) {
    exchange.refuse(404, CODES.refused, 'this session is over, or was none');
    return;
  }
  lane.usedAt = machineHost.now();
  if (lane.remote !== null) {
    void lane.remote.listen(exchange);
    return;
  }
  if (lane.session === null) {
    exchange.set('allow', 'POST');
    exchange.refuse(405, CODES.refused, 'a stream of its own belongs to a session');
    return;
  }
  lane.standing?.end();
  lane.standing = exchange;
  exchange.gone.addEventListener('abort', () => {
    if (lane.standing === exchange) lane.standing = null;
  });
  exchange.begin();
}

async function forget(request: IncomingMessage, exchange: HttpExchange, lanes: Lanes): Promise<void> {
  const session = request.headers[SESSION];
  const lane = typeof session === 'string' ? lanes.ofSession(session) : undefined;
  if (lane === undefined) {
    exchange.refuse(404, CODES.refused, 'this session is over, or was none');
    return;
  }
  if (lane.remote === null) exchange.head(204, {}, false);
  else {
    const said = await lane.remote.forget(exchange.passed).catch(() => ({ status: 502, headers: {} }));
    exchange.head(said.status, said.headers, false);
    if (said.status >= 300 && said.status !== 404) {
      exchange.end();
      return;
    }
  }
  lanes.drop(lane);
  exchange.end();
}

/** Null if it is too much; the rest is taken and thrown away, so that the client reads the answer. */
function readBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(null);
    });
    request.on('end', () => resolve(size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null));
    request.on('error', reject);
  });
}
