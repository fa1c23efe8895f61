// A server that writes down what arrives, message by message, into the file of its first argument; over standard input and output, or
// over HTTP with `http` as its second. `test/ask` makes it say the lines of its params to the client, as the bytes they are.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , file, kind] = process.argv;
const RESULTS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'recorder', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'ran' }] },
};

/** The lines to answer with. */
function answers(line) {
  appendFileSync(file, `${line}\n`);
  const { id, method, params } = JSON.parse(line);
  if (method === undefined || id === undefined) return [];
  const result = params?.wanted ?? RESULTS[method] ?? {};
  return [...(params?.lines ?? []), JSON.stringify({ jsonrpc: '2.0', id, result })];
}

if (kind === 'http') {
  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const said = incoming.method === 'POST' ? answers(Buffer.concat(chunks).toString()) : null;
      if (said === null) outgoing.writeHead(405).end();
      else if (said.length === 0) outgoing.writeHead(202).end();
      else
        outgoing
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(said.map((line) => `event: message\ndata: ${line}\n\n`).join(''));
    });
  }).listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop();
    for (const line of lines) for (const said of answers(line)) process.stdout.write(`${said}\n`);
  });
}
process.stdin.on('end', () => process.exit(0)).resume();
