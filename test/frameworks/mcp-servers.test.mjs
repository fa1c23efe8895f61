// The reference servers of the protocol, straight and through the proxy: what a client sees is the same, over stdio and over HTTP.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { policyFolder } from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const CLI = realpathSync(join(here, 'node_modules/harness-hooks/dist/cli/harness.cjs'));
const packaged = (name) => join(here, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const work = realpathSync(mkdtempSync(join(tmpdir(), 'harness-mcp-')));
mkdirSync(join(work, 'inside'));
writeFileSync(join(work, 'a.txt'), 'hello\n');
const LIMIT = { timeout: 60_000 };

const started = [];
after(() => {
  for (const child of started) child.kill('SIGTERM');
});

async function connect(transport, mode = 'legacy') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

const env = (more = {}) => ({ PATH: process.env.PATH, HOME: work, HARNESS_TRUST: 'all', ...more });
const stdio = (argv, more, mode) =>
  connect(
    new StdioClientTransport({
      command: argv[0],
      args: argv.slice(1),
      stderr: 'ignore',
      env: env(more),
      cwd: work,
    }),
    mode,
  );
const MESSAGE = `---
event: tool.pre
priority: 1
when: payload["args"].get("message") == "forbidden"
script: |
  def handle(event, payload):
      return block("not this message")
---
`;
const proxy = (name, ...rest) => [
  process.execPath,
  CLI,
  'mcp',
  '--name',
  name,
  '--dir',
  // None of what these servers say of their tools is to be taken for more than that.
  policyFolder({ '../harness.md': '---\nuse: [tool-definitions]\n---\n', 'message.md': MESSAGE }),
  ...rest,
];

/** Everything it offers, and what the calls give. */
async function story(client, calls) {
  const ask = (what) => what().catch((error) => error.message);
  const told = {
    tools: await client.listTools(),
    resources: await ask(() => client.listResources()),
    prompts: await ask(() => client.listPrompts()),
  };
  for (const [name, args] of calls)
    told[`${name} ${JSON.stringify(args)}`] = await ask(() => client.callTool({ name, arguments: args }));
  await client.close();
  return Object.entries(told).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

const SERVERS = {
  filesystem: {
    argv: [process.execPath, packaged('filesystem'), work],
    calls: [
      ['list_directory', { path: work }],
      ['read_text_file', { path: join(work, 'a.txt') }],
      ['read_text_file', { path: '/etc/hostname' }],
      ['directory_tree', { path: work }],
      ['get_file_info', { path: join(work, 'none') }],
    ],
  },
  memory: {
    argv: [process.execPath, packaged('memory')],
    calls: [
      ['read_graph', {}],
      ['search_nodes', { query: 'Ada' }],
      ['open_nodes', { names: ['Ada'] }],
    ],
  },
  everything: {
    argv: [process.execPath, packaged('everything'), 'stdio'],
    calls: [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-tiny-image', {}],
      ['get-structured-content', { location: 'New York' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
      ['trigger-long-running-operation', { duration: 1, steps: 3 }],
    ],
  },
};

for (const [name, { argv, calls }] of Object.entries(SERVERS))
  for (const mode of ['legacy', 'auto'])
    test(`server-${name} through the proxy is as it is without, ${mode}`, LIMIT, async () => {
      const more = { MEMORY_FILE_PATH: join(work, `memory-${name}.json`) };
      const plain = await story(await stdio(argv, more, mode), calls);
      const through = await story(await stdio(proxy(name, '--', ...argv), more, mode), calls);
      assert.deepEqual(through, plain);
    });

/** Starts it, and waits until it says where it listens. */
function listening(argv, more = {}) {
  const child = spawn(argv[0], argv.slice(1), { env: env(more), stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const look = (chunk) => {
      said += chunk;
      const [, port] = /listening at http:\/\/127\.0\.0\.1:(\d+)|(?:port|PORT):? (\d+)/.exec(said) ?? [];
      if (port !== undefined || /port/i.test(said)) resolve(port);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(said)));
  });
}

for (const [kind, Transport, path] of [
  ['streamableHttp', StreamableHTTPClientTransport, 'mcp'],
  ['sse', SSEClientTransport, 'sse'],
])
  test(`server-everything over ${kind} through the proxy is as it is without`, LIMIT, async () => {
    const port = String(20_000 + Math.floor(process.pid % 10_000) + (kind === 'sse' ? 1 : 0));
    await listening([process.execPath, packaged('everything'), kind], { PORT: port });
    const url = `http://127.0.0.1:${port}/${path}`;
    const { calls } = SERVERS.everything;
    const plain = await story(await connect(new Transport(new URL(url))), calls);
    assert.deepEqual(await story(await stdio(proxy('everything', '--http', url)), calls), plain);
    if (kind === 'sse') return;
    const front = await listening(proxy('everything', '--listen', '0', '--http', url));
    const through = await connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${front}/`)));
    assert.deepEqual(await story(through, calls), plain);
  });

test(
  'the official inspector lists and calls through the proxy as it does without, and reads why a call is refused',
  LIMIT,
  () => {
    // It runs only under its own path.
    const inspector = realpathSync(
      join(here, 'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js'),
    );
    const asked = (argv, ...what) =>
      spawnSync(process.execPath, [inspector, ...argv, '--method', ...what], {
        encoding: 'utf8',
        env: env(),
      });
    // The inspector takes no `--`, and the server has no options of its own.
    const { argv } = SERVERS.everything;
    const through = proxy('everything', ...argv);
    const call = (text) => ['tools/call', '--tool-name', 'echo', '--tool-arg', `message=${text}`];
    for (const what of [['tools/list'], ['resources/list'], ['prompts/list'], call('hello')]) {
      const plain = asked(argv, ...what);
      assert.equal(plain.status, 0, plain.stderr);
      assert.notEqual(plain.stdout, '');
      assert.equal(asked(through, ...what).stdout, plain.stdout);
    }
    const { stdout, stderr } = asked(through, ...call('forbidden'));
    assert.match(stdout + stderr, /not this message/);
  },
);
