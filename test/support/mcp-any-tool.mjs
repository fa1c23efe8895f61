// An MCP server on standard input and output that offers the tools named by its arguments. `failing_tool` fails, the others answer.
const tools = process.argv.slice(2).map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
}));
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'any-tool', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: name === 'failing_tool' ? 'broken' : 'fine' }],
    isError: name === 'failing_tool',
  }),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    const result = answers[method]?.(params ?? {}) ?? {};
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
process.stdin.on('end', () => process.exit(0));
