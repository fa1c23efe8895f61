// The same MCP server behind HTTP, on a free port that it prints: `stateless` for both eras without sessions, `sessions` for the
// older era with sessions and streams that can be taken up again. With a TOKEN it wants that token; with DELAY_MS it answers as late as a server
// far away. It prints each request's headers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { makeServer } from './mcp-offers.mjs';

const [kind] = process.argv.slice(2);
const handler = kind === 'sessions' ? withSessions() : createMcpHandler(({ era }) => makeServer(era));

const server = createServer(async (incoming, outgoing) => {
  process.stderr.write(`${incoming.method} ${JSON.stringify(incoming.headers)}\n`);
  if (process.env.TOKEN !== undefined && incoming.headers.authorization !== `Bearer ${process.env.TOKEN}`) {
    outgoing.writeHead(401, { 'www-authenticate': 'Bearer realm="tests"' });
    outgoing.end('no');
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.DELAY_MS ?? 0)));
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    signal: gone.signal,
    ...(incoming.method === 'POST' && { body: Readable.toWeb(incoming), duplex: 'half' }),
  });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else
    Readable.fromWeb(response.body)
      .on('error', () => outgoing.destroy())
      .pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();

function withSessions() {
  const open = new Map();
  return {
    fetch: async (request) => {
      const id = request.headers.get('mcp-session-id');
      if (id !== null) {
        const known = open.get(id);
        return known === undefined ? new Response('', { status: 404 }) : known.handleRequest(request);
      }
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: eventStore(),
        onsessioninitialized: (session) => open.set(session, transport),
      });
      await makeServer('legacy').connect(transport);
      return transport.handleRequest(request);
    },
  };
}

function eventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => events.push({ stream, message }) && String(events.length),
    getStreamIdForEventId: async (id) => events[Number(id) - 1]?.stream,
    replayEventsAfter: async (id, { send }) => {
      const { stream } = events[Number(id) - 1];
      for (const [at, event] of events.entries())
        if (at >= Number(id) && event.stream === stream) await send(String(at + 1), event.message);
      return stream;
    },
  };
}
