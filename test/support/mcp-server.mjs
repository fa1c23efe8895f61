// A small MCP server on stdin and stdout, made with the official package, for tests of the client side.
import { writeFileSync } from 'node:fs';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [pidFile, mode] = process.argv.slice(2);
writeFileSync(pidFile, String(process.pid));

if (mode === 'dies') {
  console.error('starting up\nno database to be found');
  process.exit(3);
}
// Keeps the process alive after its input has ended, as a careless server does.
if (mode === 'lingers') setInterval(() => {}, 1000);
await serve();

async function serve() {
  const TWO_NUMBERS = fromJsonSchema({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  });
  const server = new McpServer({ name: 'sample', version: '1.0.0' });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });

  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: TWO_NUMBERS },
    async ({ a, b }) => text(String(a + b)),
  );
  server.registerTool('env.show', { description: 'Shows a variable.' }, async () =>
    text(process.env.TOKEN ?? 'none'),
  );
  server.registerTool('where', { description: 'Shows the folder.' }, async () => text(process.cwd()));
  server.registerTool('broken', { description: 'Fails.' }, async () => ({
    ...text('out of paper'),
    isError: true,
  }));
  server.registerTool('slow', { description: 'Takes long.' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return text('late');
  });
  server.registerTool('crash', { description: 'Dies.' }, async () => process.exit(1));
  server.registerTool('picture', { description: 'Draws.' }, async () => ({
    content: [
      { type: 'text', text: 'Here:' },
      { type: 'image', data: Buffer.from('12345').toString('base64'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', text: 'a note' } },
    ],
  }));
  // More than a pipe holds: a client that does not read it would bring the server to a halt.
  server.registerTool('noisy', { description: 'Complains a lot.' }, async () => {
    await new Promise((resolve) => process.stderr.write('x'.repeat(1_000_000), resolve));
    return text('said');
  });
  await server.connect(new StdioServerTransport());
}
