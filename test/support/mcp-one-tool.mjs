// A server with one tool, named by its argument, over standard input and output. It answers a list only when its peers have had time to
// read the same files: what races, races.
const [, , tool] = process.argv;
const RESULTS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'one-tool', version: '1' },
  },
  'tools/list': { tools: [{ name: tool, description: `Does ${tool}.`, inputSchema: { type: 'object' } }] },
};
const NEXT_MS = 2000;
let held = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (held + chunk).split('\n');
  held = lines.pop();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const say = () =>
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] ?? {} })}\n`);
    // The same moment for all of them.
    if (method === 'tools/list') setTimeout(say, NEXT_MS - (Date.now() % NEXT_MS));
    else say();
  }
});
process.stdin.on('end', () => process.exit(0));
