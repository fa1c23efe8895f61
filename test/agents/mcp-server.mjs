#!/usr/bin/env node
// A server of the Model Context Protocol with one tool, which writes a file: whether it was called can be seen afterwards.
//   node mcp-server.mjs FILE
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const KEEP = {
  name: 'keep',
  description: 'Keeps a note',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [KEEP] }),
  'tools/call': ({ arguments: { note } }) => {
    writeFileSync(process.argv[2], `${note}\n`);
    return { content: [{ type: 'text', text: `kept ${note}` }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // A notification has no answer.
  if (id === undefined) continue;
  const answer = METHODS[method]?.(params ?? {});
  const said =
    answer === undefined
      ? { error: { code: -32601, message: `no such method: ${method}` } }
      : { result: answer };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
}
