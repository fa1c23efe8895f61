// What the conformance suite of the protocol requires of a server in both eras, straight and through the proxy, in front of HTTP and in front
// of a program. What passes straight passes through the proxy.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missing, named, suite } from './conformance-suite.mjs';
import { policyFolder } from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const CLI = realpathSync(join(here, 'node_modules/harness-hooks/dist/cli/harness.cjs'));
const LIMIT = { timeout: 240_000 };

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

/** What is required of a server in each era, and the server that is looked at. */
const ERAS = { '2025-11-25': 'conformance-server.mjs', '2026-07-28': 'conformance-modern.mjs' };

/** An extension that the servers here do not have: what passes of it is that calls are answered at once. */
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

for (const [era, file] of Object.entries(ERAS))
  test(`what a server of ${era} conforms to, it conforms to through the proxy`, LIMIT, async () => {
    const program = [join(here, file)];
    const server = await listening([...program, 'http']);
    const all = (url) => suite(['server', '--requirements', era, '--url', url]);
    const proxied = (...rest) =>
      listening([CLI, 'mcp', '--name', 'c', '--dir', policyFolder(), '--listen', '0', ...rest]);
    const plain = await all(server);
    assert.deepEqual(
      named(plain, 'FAILURE').filter((name) => !FAILS_STRAIGHT.includes(name) && !isTask(name)),
      [],
    );
    const passes = named(plain, 'SUCCESS');
    assert.ok(passes.length >= 40, plain.join('\n'));
    assert.deepEqual(missing(plain, await all(await proxied('--http', server))), []);
    const front = await proxied('--', process.execPath, ...program, 'stdio');
    const exceptions = PROGRAM_EXCEPTIONS.filter((name) => passes.includes(name));
    assert.deepEqual(missing(plain, await all(front)), exceptions);
  });
