// What the conformance suite of the protocol requires of a client in both eras, from its own list, of a client that speaks with the server and of one
// that speaks with the proxy. What passes straight passes through the proxy.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { clientScenarios, missing, named, suite } from './conformance-suite.mjs';
import { policyFolder } from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const CLI = realpathSync(join(here, 'node_modules/harness-hooks/dist/cli/harness.cjs'));
const LIMIT = { timeout: 240_000 };
const AT_ONCE = 2;

/** What is missing through the proxy, by its way. */
const EXCEPTIONS = [
  // The challenge names no metadata, so that the client looks for them at the address it speaks with.
  'auth/metadata-var1 http',
  'auth/metadata-var2 http',
  // The client has to refuse a server whose address is not the one it speaks with, which is what a proxy is.
  'auth/resource-mismatch http',
  // On stdio a client has no headers, so that it calls tools too whose headers are declared wrongly.
  'http-invalid-tool-headers stdio',
];

/** The client here has no keys, signatures and assertions, so that it fails what wants them straight too. */
const FAILS_STRAIGHT = [
  'auth/authorization-server-migration',
  'auth/client-credentials-jwt',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
  'json-schema-2020-12-preservation',
];

function scenario(name, era, way, policy) {
  const command = `${process.execPath} ${join(here, 'conformance-client.mjs')} ${way} ${CLI}`;
  const args = ['client', '--scenario', name, '--timeout', '120000', '--command', command];
  return suite([...args, ...(era === null ? [] : ['--spec-version', era])], { POLICY: policy });
}

/** What is missing by each way, of one scenario. */
async function lost(name, era) {
  const plain = await scenario(name, era, 'direct', policyFolder());
  const passes = named(plain, 'SUCCESS').length > 0 && named(plain, 'FAILURE').length === 0;
  // A client on stdio has no way to be challenged.
  const ways = name.startsWith('auth/') ? ['http'] : ['http', 'stdio'];
  const found = {};
  for (const way of ways) {
    const gone = missing(plain, await scenario(name, era, way, policyFolder()));
    if (gone.length > 0) found[`${name} ${way}`] = gone;
  }
  return { name, passes, found };
}

async function all(names, era) {
  const waiting = [...names];
  const done = [];
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      done.push(await lost(name, era));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return done.sort((a, b) => a.name.localeCompare(b.name));
}

const ERAS = ['2025-11-25', '2026-07-28'];

function judge(results) {
  const failed = results.filter(({ passes, name }) => !passes && !FAILS_STRAIGHT.includes(name));
  assert.deepEqual(failed, []);
  const found = Object.assign({}, ...results.map((result) => result.found));
  const expected = EXCEPTIONS.filter((line) => results.some(({ name }) => line.startsWith(`${name} `)));
  assert.deepEqual(Object.keys(found).sort(), expected, JSON.stringify(found, null, 2));
}

for (const era of ERAS)
  test(`what a client of ${era} conforms to, it conforms to through the proxy`, LIMIT, async () => {
    const { required } = await clientScenarios(era);
    assert.ok(required.length >= 18);
    judge(await all(required, era));
  });

test('what a client conforms to of extensions, it conforms to through the proxy', LIMIT, async () => {
  const lists = await Promise.all(ERAS.map(clientScenarios));
  const names = [...new Set(lists.flatMap(({ extensions }) => extensions))];
  assert.ok(names.length >= 6);
  judge(await all(names, null));
});

test(
  'a client that wants tokens for the address it speaks with gets none through the proxy, and no token is written down',
  LIMIT,
  async () => {
    const policy = policyFolder();
    const name = 'auth/client-credentials-basic';
    assert.ok(named(await scenario(name, null, 'http', policy), 'SUCCESS').length > 0);
    // Those of the server are for the server.
    const strict = await scenario(name, null, 'strict', policy);
    assert.ok(!strict.some((line) => /token.* SUCCESS/.test(line)), strict.join('\n'));
    const runs = join(policy, '.harness/runs');
    const tapes = readdirSync(runs).map((file) => readFileSync(join(runs, file), 'utf8'));
    assert.ok(tapes.length > 0 && !/bearer|test-token|client_secret/i.test(tapes.join('')));
  },
);
