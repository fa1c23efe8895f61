// A server of the stateless era without any package: raw JSON over standard input and output, or over HTTP with `http` as its argument.
// `echo` answers with what it was sent, to the header; every other tool does what it is named after.
import { createServer } from 'node:http';

const complete = (result) => ({ result: { resultType: 'complete', ...result } });
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const SECRET = `ghp_${'a1'.repeat(18)}`;
const STATE = 'state \u00e9 "quoted" \\ /';
const tool = (name, properties = {}, more = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties },
  ...more,
});
const record = { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] };
const TOOLS = [
  tool('echo', { text: { type: 'string' }, region: { type: 'string', 'x-mcp-header': 'Region' } }),
  tool('unwanted'),
  tool('record', {}, { outputSchema: record }),
  tool('who'),
  tool('count'),
  tool('later'),
  tool('never'),
];
const seen = [];

const CALLS = {
  echo: (params, _, headers) => complete(text(JSON.stringify({ params, headers }))),
  record: () =>
    complete({ ...text(JSON.stringify({ token: SECRET })), structuredContent: { token: SECRET } }),
  who: ({ requestState, inputResponses }) =>
    inputResponses === undefined
      ? {
          result: {
            resultType: 'input_required',
            requestState: STATE,
            inputRequests: {
              name: { method: 'elicitation/create', params: { mode: 'form', message: 'Your name?' } },
              roots: { method: 'roots/list' },
            },
          },
        }
      : complete(
          text(
            `${requestState === STATE ? 'same state' : 'OTHER STATE'}, ${inputResponses.name.content.name}`,
          ),
        ),
  count: ({ _meta: { progressToken } }, say) => {
    for (let progress = 1; progress <= 3; progress++)
      say({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    return complete(text('counted'));
  },
  later: () => ({ result: { resultType: 'task', task: { taskId: 't1', status: 'working' } } }),
  never: () => null,
};
const METHODS = {
  'server/discover': () =>
    complete({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'by-hand', version: '1' },
      ttlMs: 60000,
      cacheScope: 'public',
    }),
  'tools/list': () => complete({ tools: TOOLS, ttlMs: 5000, cacheScope: 'public' }),
  'tools/call': (params, say, headers) => CALLS[params.name](params, say, headers),
  'resources/read': ({ uri }) => complete({ contents: [{ uri, text: 'a note' }] }),
  'prompts/get': () => complete({ messages: [] }),
  'completion/complete': () => complete({ completion: { values: ['a'] } }),
  'tasks/get': ({ taskId }) =>
    complete({ task: { taskId, status: 'completed' }, result: text(`late ${SECRET}`) }),
  'test/seen': () => complete({ seen }),
  'subscriptions/listen': (_, say, __, id) => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    say({ method: 'notifications/subscriptions/acknowledged', params: { _meta } });
    say({ method: 'notifications/tools/list_changed', params: { _meta } });
    return null;
  },
};

/** Null: no answer now. */
function answer({ id, method, params }, say, headers) {
  if (method !== 'test/seen') seen.push(method === 'tools/call' ? `${method} ${params.name}` : method);
  if (id === undefined) return null;
  const done = METHODS[method]?.(params, say, headers, id);
  if (done === null) return null;
  return { jsonrpc: '2.0', id, ...(done ?? { error: { code: -32601, message: 'no such method' } }) };
}

function overHttp(incoming, outgoing) {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const streams =
      ['count', 'never'].includes(message.params?.name) || message.method === 'subscriptions/listen';
    const event = (said) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`;
    if (streams) outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const said = answer(message, (note) => outgoing.write(event(note)), incoming.headers);
    if (message.id === undefined) outgoing.writeHead(202).end();
    else if (streams && said !== null) outgoing.end(event(said));
    else if (!streams)
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
}

if (process.argv[2] === 'http') {
  const server = createServer(overHttp).listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop();
    for (const line of lines) {
      const said = answer(JSON.parse(line), say, {});
      if (said !== null) say(said);
    }
  });
}
process.stdin.on('end', () => process.exit(0)).resume();
