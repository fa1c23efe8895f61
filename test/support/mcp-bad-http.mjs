// A server behind HTTP that misbehaves as it is told: the name of the tool says how.
import { createServer } from 'node:http';

const server = createServer((incoming, outgoing) => {
  let body = '';
  incoming.on('data', (chunk) => {
    body += chunk;
  });
  incoming.on('end', () => answer(incoming, outgoing, body));
});
const TOOLS = [
  'fine',
  'dies',
  'breaks',
  'floods',
  'twice',
  'other',
  'huge',
  'never',
  'moved',
  'text',
  'junk',
  'error',
];

function answer({ method }, outgoing, body) {
  if (method !== 'POST') {
    outgoing.writeHead(405).end();
    return;
  }
  const { id, method: asked, params } = JSON.parse(body);
  const send = (message) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(message));
  };
  const result = (value) => ({ jsonrpc: '2.0', id, result: value });
  const text = (said) => result({ content: [{ type: 'text', text: said }] });
  if (id === undefined) outgoing.writeHead(202).end();
  else if (asked === 'initialize')
    send(
      result({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'bad', version: '1' },
      }),
    );
  else if (asked === 'tools/list')
    send(result({ tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) }));
  else if (asked === 'tools/call') HOW[params.name](outgoing, send, text, id);
  else send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
}

const stream = (outgoing) => outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const HOW = {
  fine: (_, send, text) => send(text('fine')),
  dies: () => process.exit(7),
  breaks: (outgoing) => {
    stream(outgoing).flushHeaders();
    setTimeout(() => outgoing.destroy(), 20);
  },
  floods: (outgoing, _, text) => {
    stream(outgoing);
    const note = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'x'.repeat(1000) },
    };
    for (let i = 0; i < 5000; i++) outgoing.write(event(note));
    outgoing.end(event(text('after the flood')));
  },
  twice: (outgoing, _, text) => {
    stream(outgoing).write(event(text('first')));
    outgoing.end(event(text('second')));
  },
  other: (outgoing, _, text, id) =>
    stream(outgoing).end(event({ ...text('not for you'), id: `${id}-other` })),
  huge: (outgoing, _, text) => stream(outgoing).end(event(text('x'.repeat(100 * 1024 * 1024)))),
  never: () => console.error('never is called'),
  moved: (outgoing) => outgoing.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
  text: (outgoing) => outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<b>secret page</b>'),
  junk: (outgoing) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"id":1,"id":2'),
  error: (outgoing) => outgoing.writeHead(500, { 'content-type': 'text/plain' }).end('secret trace'),
};
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
