// The client that the protocol's conformance suite starts with the address of a server: `direct`, or through the proxy, which speaks `stdio`
// or `http` with it; `strict` is a client that wants the address it speaks with to be the server's. POLICY is the folder of the proxies.
import { spawn } from 'node:child_process';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [way, cli, url] = process.argv.slice(2);
const {
  MCP_CONFORMANCE_SCENARIO: scenario,
  MCP_CONFORMANCE_CONTEXT: context = '{}',
  MCP_CONFORMANCE_PROTOCOL_VERSION: version = '2025-11-25',
  POLICY: policy,
} = process.env;
const { toolCalls, ...known } = JSON.parse(context);
// Each scenario is another server, with tools of its own to agree to.
const proxy = [cli, 'mcp', '--name', scenario.replace(/\W/g, '_'), '--dir', policy, '--http', url];

const mode = version === '2026-07-28' ? { pin: version } : 'legacy';
const elicitation = { form: { applyDefaults: true } };
const authProvider = scenario.startsWith('auth/') ? provider() : undefined;
const address = way === 'direct' || way === 'stdio' ? url : await front();
let transport;
const client = await authorized(async () => {
  const made = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation, roots: {}, sampling: {} }, versionNegotiation: { mode } },
  );
  made.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
  transport =
    way === 'stdio' ? overStdio() : new StreamableHTTPClientTransport(new URL(address), { authProvider });
  await made.connect(transport);
  return made;
});

const { tools } = await authorized(() => client.listTools());
const args = (name) => (name === 'add_numbers' ? { a: 5, b: 3 } : {});
// At once: a client does not wait for one answer before it asks for another, and does not leave others when one fails.
const calls = (toolCalls ?? tools.map(({ name }) => ({ name, arguments: args(name) }))).map((call) =>
  authorized(() => client.callTool(call)),
);
await Promise.allSettled(calls);
await Promise.all(calls);
await rest();
await client.close();
process.exit();

async function rest() {
  const ask = (asked) => asked().catch(() => ({}));
  const { resources: listed = [] } = await ask(() => client.listResources());
  for (const { uri } of listed) await ask(() => client.readResource({ uri }));
  const { prompts: offered = [] } = await ask(() => client.listPrompts());
  for (const { name } of offered) await ask(() => client.getPrompt({ name }));
}

function overStdio() {
  const env = process.env;
  return new StdioClientTransport({ command: process.execPath, args: proxy, stderr: 'inherit', env });
}

/** Asks, and asks again with what the person at the browser agreed to. */
async function authorized(ask) {
  for (let tries = 0; ; tries++)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || tries === 2) throw error;
      await transport.finishAuth(authProvider.agreed);
    }
}

/** Gets a token by itself. The token is for the server, so a client behind a proxy has to know that the two are one. */
function provider() {
  const { client_id: clientId, client_secret: clientSecret } = known;
  const made =
    scenario === 'auth/client-credentials-basic'
      ? new ClientCredentialsProvider({ clientId, clientSecret })
      : browser(clientId && { client_id: clientId, client_secret: clientSecret });
  if (way === 'http') made.validateResourceURL = async (_address, resource) => new URL(resource ?? url);
  return made;
}

/** A browser whose person agrees to everything. */
function browser(registered) {
  const redirectUrl = 'http://localhost:9/callback';
  const stored = { client: registered };
  return {
    redirectUrl,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: { client_name: 'test', redirect_uris: [redirectUrl] },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => Object.assign(stored, { client }),
    tokens: () => stored.tokens,
    saveTokens: (tokens) => Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier,
    saveCodeVerifier: (verifier) => Object.assign(stored, { verifier }),
    discoveryState: () => stored.discovery,
    saveDiscoveryState: (discovery) => Object.assign(stored, { discovery }),
    async redirectToAuthorization(to) {
      const { headers } = await fetch(to, { redirect: 'manual' });
      this.agreed = new URL(headers.get('location')).searchParams;
    },
  };
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
      const [, at] = /listening at (http:\S+)/.exec(said) ?? [];
      if (at !== undefined) resolve(at);
    });
  });
}
