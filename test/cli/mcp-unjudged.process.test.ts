/**
 * What the policy cannot judge: gated methods without an id that can be answered, with params or arguments of another type, in batches.
 * Real processes on both sides of the proxy; the server and the client write down what arrives.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTape } from '../../src/exports/tape.ts';
import { until } from '../support/until.ts';
import { hookFile, project } from './harness.ts';
import { accepting, BOTH, front, mcp, raw, SUPPORT, start } from './mcp-http.ts';

/** It has nothing against any call: what does not arrive was refused for another reason. */
const files = {
  ...accepting('both', 'test/ask'),
  '.harness/hooks/watch.md': hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      return block("not this word") if "forbidden" in str(payload["args"]) else allow()`),
};

const CLIENT_METHODS = ['tools/call', 'resources/read', 'prompts/get'];
const SERVER_METHODS = ['sampling/createMessage', 'elicitation/create'];
const FLAWED_IDS = ['"id":null,', '', '"id":{},', '"id":[7],', '"id":true,', '"id":1e999,'];
const FLAWED_PARAMS = ['[]', '"echo"', 'null', '7'];
const FLAWED_ARGUMENTS = ['"rm -rf"', '[{"text":"x"}]', 'null', '7', 'true'];

/** Each with how many calls it has. */
function unjudgeable(methods: readonly string[], params: string): [string, number][] {
  const flawed = methods.flatMap((method) => [
    ...FLAWED_IDS.map((id) => `{"jsonrpc":"2.0",${id}"method":"${method}","params":${params}}`),
    ...FLAWED_PARAMS.map(
      (bad, at) => `{"jsonrpc":"2.0","id":"p${method}${at}","method":"${method}","params":${bad}}`,
    ),
  ]);
  const batch = methods.map(
    (method, at) => `{"jsonrpc":"2.0","id":"b${at}","method":"${method}","params":${params}}`,
  );
  return [...flawed.map((line) => [line, 1] as [string, number]), [`[${batch.join(',')}]`, batch.length]];
}

const FROM_CLIENT: readonly [string, number][] = [
  ...unjudgeable(CLIENT_METHODS, '{"name":"echo","uri":"note://1","arguments":{}}'),
  ...FLAWED_ARGUMENTS.map((bad, at): [string, number] => [
    `{"jsonrpc":"2.0","id":"a${at}","method":"tools/call","params":{"name":"echo","arguments":${bad}}}`,
    1,
  ]),
  ['{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"arguments":{}}}', 1],
  ['{"jsonrpc":"2.0","id":"m","method":"tools/call"}', 1],
];
const FROM_SERVER = unjudgeable(SERVER_METHODS, '{"messages":[],"message":"?"}');
const count = (lines: readonly [string, number][]) => lines.reduce((sum, [, calls]) => sum + calls, 0);

interface Wire {
  /** Sends bytes; what came back, where something does for each. */
  send(line: string): Promise<unknown>;
  /** All that came to the client. */
  said(): string;
  close(): void;
}

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

function overStdio([file, ...args]: readonly string[]): Wire {
  const child = spawn(file!, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  return {
    send: async (line) => child.stdin.write(`${line}\n`),
    said: () => said,
    close: () => child.stdin.end(),
  };
}

async function overHttp(url: string, close: () => void): Promise<Wire> {
  let said = '';
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const first = await raw(
    url,
    'POST',
    BOTH,
    JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello }),
  );
  const session = first.headers['mcp-session-id'];
  const headers = { ...BOTH, ...(session !== undefined && { 'mcp-session-id': session }) };
  return {
    send: async (line) => {
      const { body, status } = await raw(url, 'POST', headers, line);
      said += `${body}\n`;
      return status;
    },
    said: () => said,
    close,
  };
}

const recorder = (file: string) => [process.execPath, join(SUPPORT, 'mcp-recorder.mjs'), file];

const WAYS: Record<string, (dir: string, file: string) => Promise<Wire>> = {
  'stdio in front of stdio': async (dir, file) => overStdio(mcp(dir, '--', ...recorder(file))),
  'HTTP in front of stdio': async (dir, file) => {
    const { url, child } = await front(dir, '--', ...recorder(file));
    return overHttp(url, () => child.kill());
  },
  'HTTP in front of HTTP': async (dir, file) => {
    const { url, child } = await front(dir, '--http', (await start([...recorder(file), 'http'])).url);
    return overHttp(url, () => child.kill());
  },
  'stdio in front of HTTP': async (dir, file) =>
    overStdio(mcp(dir, '--http', (await start([...recorder(file), 'http'])).url)),
};

describe.each(Object.keys(WAYS))('%s', (way) => {
  const dir = project(files);
  const file = join(dir, 'arrived');
  const opened = WAYS[way]!(dir, file);
  void opened.then(({ close }) => closers.push(close));
  const arrived = () => (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n');
  const calls = () =>
    readdirSync(join(dir, '.harness/runs'))
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => [...readTape(join(dir, '.harness/runs', name)).entries])
      .flatMap(({ record }) => (record.type === 'call' ? [record] : []));
  const refused = () => calls().filter(({ verdict }) => verdict === 'refused');

  it('[S23] no call that cannot be judged reaches the server: it is refused, answered where it can be, and on the tape', async () => {
    const wire = await opened;
    for (const [line] of FROM_CLIENT) {
      const status = await wire.send(line);
      if (typeof status === 'number') expect([line, status]).toEqual([line, 400]);
    }
    await wire.send('{"jsonrpc":"2.0","id":"end","method":"ping"}');
    await until(() => wire.said().includes('"id":"end"'));
    expect(arrived().filter((line) => CLIENT_METHODS.some((method) => line.includes(method)))).toEqual([]);
    expect(refused()).toHaveLength(count(FROM_CLIENT));
    expect(new Set(refused().map(({ tool }) => tool))).toEqual(
      new Set([
        'mcp__both__echo',
        'mcp__both__tools_call',
        'mcp__both__resources_read',
        'mcp__both__prompts_get',
      ]),
    );
    const answers = wire.said();
    for (const id of ['a0', 'a4', 'n', 'm', 'ptools/call0', 'pprompts/get3'])
      expect(answers).toContain(`"id":"${id}","error":{"code":-32`);
  });

  it('no request of the server that cannot be judged reaches the client: it is refused, and on the tape', async () => {
    const wire = await opened;
    const before = refused().length;
    const lines = FROM_SERVER.map(([line]) => line);
    await wire.send(JSON.stringify({ jsonrpc: '2.0', id: 'asked', method: 'test/ask', params: { lines } }));
    await until(() => wire.said().includes('"id":"asked"'));
    expect(SERVER_METHODS.filter((method) => wire.said().includes(method))).toEqual([]);
    expect(refused()).toHaveLength(before + count(FROM_SERVER));
    await until(() => arrived().some((line) => line.includes('"id":"pelicitation/create3","error"')));
  });

  it('what a server wants inside a result is judged on every method, and refused where it cannot be', async () => {
    const wire = await opened;
    const wants = [
      ['sampling/createMessage', { messages: ['forbidden'] }],
      ['sampling/createMessage', ['text']],
      [['sampling/createMessage'], {}],
    ].map(([method, params]) => ({ w: { method, params } }) as unknown);
    for (const [at, inputRequests] of [...wants, ['no object']].entries())
      for (const method of ['completion/complete', 'tools/list']) {
        const wanted = { resultType: 'input_required', requestState: 's', inputRequests };
        const id = `wanted-${at}-${method}`;
        await wire.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: { wanted } }));
        await until(() => wire.said().includes(`"id":"${id}","error"`));
      }
    expect(wire.said()).not.toContain('input_required');
  });

  it('a method of no era, from either side, is refused until a person accepts it, notifications too', async () => {
    const wire = await opened;
    const before = calls().length;
    await wire.send('{"jsonrpc":"2.0","id":"v1","method":"vendor/run","params":{"command":"rm"}}');
    await wire.send('{"jsonrpc":"2.0","method":"notifications/vendor/moved","params":{"to":"x"}}');
    const lines = [
      '{"jsonrpc":"2.0","id":"v2","method":"vendor/ask","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/vendor/shown","params":{}}',
    ];
    await wire.send(JSON.stringify({ jsonrpc: '2.0', id: 'asked-2', method: 'test/ask', params: { lines } }));
    await until(() => wire.said().includes('"id":"v1","error":{"code":-32601'));
    await until(() => arrived().some((line) => line.includes('"id":"v2","error"')));
    const added = () => calls().slice(before);
    const stopped = () => added().filter(({ verdict }) => verdict === 'blocked');
    await until(() => stopped().length === 4);
    expect(new Set(stopped().map(({ tool }) => tool))).toEqual(
      new Set([
        'mcp__both__vendor_run',
        'mcp__both__notifications_vendor_moved',
        'mcp__both__vendor_ask',
        'mcp__both__notifications_vendor_shown',
      ]),
    );
    expect(
      arrived().filter(
        (line) => /"method":"(?:notifications\/)?vendor/.test(line) && !line.includes('test/ask'),
      ),
    ).toEqual([]);
    expect(wire.said()).not.toMatch(/"method":"(?:notifications\/)?vendor/);
    // The accepted one went through, and is on the tape as a call.
    expect(added()).toContainEqual(expect.objectContaining({ tool: 'mcp__both__test_ask', verdict: 'ran' }));
  });

  it('a call that can be judged still arrives, and is on the tape as one that ran', async () => {
    const wire = await opened;
    await wire.send(
      '{"jsonrpc":"2.0","id":"good","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}',
    );
    await until(() => wire.said().includes('"id":"good"'));
    expect(wire.said()).toContain('"text":"ran"');
    expect(calls().at(-1)).toMatchObject({ tool: 'mcp__both__echo', verdict: 'ran' });
  });
});
