// The client that the protocol's conformance suite starts with the address of a server: `direct`, or through the proxy, which speaks `stdio`
// or `http` with it; `strict` is a client that wants the address it speaks with to be the server's. POLICY is the folder of the proxy.
import { spawn } from 'node:child_process';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [way, cli, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context, POLICY: policy } = process.env;
// Each scenario is another server, with tools of its own to agree to.
const proxy = [cli, 'mcp', '--name', scenario.replace(/\W/g, '_'), '--dir', policy, '--http', url];

const client = new Client(
  { name: 'test', version: '1' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
await client.connect(way === 'stdio' ? overStdio() : overHttp(way === 'direct' ? url : await front()));
const { tools } = await client.listTools();
for (const { name } of tools)
  await client.callTool({ name, arguments: name === 'add_numbers' ? { a: 5, b: 3 } : {} });
await client.close();
process.exit();

function overStdio() {
  return new StdioClientTransport({
    command: process.execPath,
    args: proxy,
    stderr: 'inherit',
    env: process.env,
  });
}

function overHttp(address) {
  const authProvider = scenario.startsWith('auth/') ? provider() : undefined;
  return new StreamableHTTPClientTransport(new URL(address), { authProvider });
}

/** Gets a token by itself. The token is for the server, so a client behind a proxy has to know that the two are one. */
function provider() {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(context);
  const made = new ClientCredentialsProvider({ clientId, clientSecret });
  if (way === 'http') made.validateResourceURL = async (_address, resource) => new URL(resource ?? url);
  return made;
}

function front() {
  const child = spawn(process.execPath, [...proxy, '--listen', '0'], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  process.on('exit', () => child.kill());
  return new Promise((resolve) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      process.stderr.write(chunk);
      said += chunk;
      const [, address] = /listening at (http:\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}
