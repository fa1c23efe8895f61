/**
 * The protocol's edges through the proxy, with servers that write their bytes themselves: answers that cannot be read, calls that are
 * cancelled, numbers that are not exact, ids of the proxy.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { byLine, mcp, policy, type Said } from './mcp-http.ts';

/** `answer` is the body of a function of `{ id, method, params, line, write }`; lists of tools are answered before it. */
function serverFile(answer: string): { dir: string; argv: string[] } {
  const dir = policy();
  const file = join(dir, 'server.mjs');
  writeFileSync(
    file,
    `const write = (said) => process.stdout.write(typeof said === 'string' || Buffer.isBuffer(said) ? said : JSON.stringify({ jsonrpc: '2.0', ...said }) + '\\n');
const tools = ['echo', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const answer = ({ id, method, params, line }) => { ${answer} };
let held = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (held + chunk).split('\\n');
  held = lines.pop();
  for (const line of lines) {
    process.stderr.write('GOT ' + line + '\\n');
    const message = JSON.parse(line);
    if (message.method === 'tools/list') write({ id: message.id, result: { tools } });
    else answer({ ...message, line });
  }
});
process.stdin.on('end', () => process.exit(0));`,
  );
  return { dir, argv: [process.execPath, file] };
}

const through = ({ dir, argv }: { dir: string; argv: string[] }) => byLine(mcp(dir, '--', ...argv));

/** The calls on the tapes of a folder. */
function calls(dir: string): Said[] {
  const runs = join(dir, '.harness/runs');
  return (existsSync(runs) ? readdirSync(runs) : [])
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(runs, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Said)
    .map((entry) => (entry.record ?? entry) as Said)
    .filter(({ verdict }) => verdict !== undefined);
}

describe('an answer that cannot be read', () => {
  const ANSWERS: Record<string, string> = {
    'is not UTF-8':
      'Buffer.concat([Buffer.from(\'{"jsonrpc":"2.0","id":\' + id + \',"result":{"a":"\'), Buffer.from([0xff, 0xfe]), Buffer.from(\'"}}\\n\')])',
    'has a key twice': '\'{"jsonrpc":"2.0","id":\' + id + \',"result":{},"result":{"content":[]}}\\n\'',
    'is nested too deep':
      "'{\"jsonrpc\":\"2.0\",\"result\":' + '['.repeat(600) + ']'.repeat(600) + ',\"id\":' + id + '}\\n'",
    'is in a batch': '\'[{"jsonrpc":"2.0","id":\' + id + \',"result":{}}]\\n\'',
  };

  it.each(Object.keys(ANSWERS))('fails its call and is on the tape if it %s; others go on', async (what) => {
    const served = serverFile(
      `write(params.name === 'echo' ? ${ANSWERS[what]} : { id, result: { content: [] } });`,
    );
    const proxy = through(served);
    const { error } = await proxy.ask('tools/call', { name: 'echo', arguments: {} });
    expect(error.message).toMatch(/^the server sent an answer that cannot be read: /);
    expect((await proxy.ask('tools/call', { name: 'other', arguments: {} })).result).toEqual({ content: [] });
    await proxy.close();
    expect(calls(served.dir).map(({ tool, verdict }) => [tool, verdict])).toEqual([
      ['mcp__both__echo', 'failed'],
      ['mcp__both__other', 'ran'],
    ]);
  });

  it('does not fail a call if it is a request of the server with the same id, or a line of its log', async () => {
    const proxy = through(
      serverFile(
        'write(\'{"jsonrpc":"2.0","id":\' + id + \',"method":"ping","method":"ping"}\\nid: \' + id + \'\\n\'); write({ id, result: { content: [] } });',
      ),
    );
    expect((await proxy.ask('tools/call', { name: 'echo', arguments: {} })).result).toEqual({ content: [] });
    await proxy.close();
  });
});

describe('a call that the client cancels', () => {
  it('is settled and on the tape at once, and what the server still says of it goes nowhere', async () => {
    const served = serverFile(
      "if (method === 'tools/call' && params.name === 'other') write({ id, result: { content: [] } }); if (method === 'notifications/cancelled') { write({ id: params.requestId, result: { content: [{ type: 'text', text: 'LATE' }] } }); }",
    );
    const proxy = through(served);
    proxy.write(
      '{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"echo","arguments":{}}}',
    );
    await proxy.until(() => proxy.notes().includes('GOT {"jsonrpc":"2.0","id":"slow"'));
    proxy.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}');
    await proxy.until(() => proxy.notes().includes('dropped from the server: an answer to "slow"'));
    // The server heard of it, the id is free, and other calls go on.
    await proxy.until(() =>
      proxy.notes().includes('GOT {"jsonrpc":"2.0","method":"notifications/cancelled"'),
    );
    expect((await proxy.ask('tools/call', { name: 'other', arguments: {} })).result).toEqual({ content: [] });
    await proxy.close();
    expect(calls(served.dir).map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['failed', 'the client cancelled it'],
      ['ran', null],
    ]);
    expect(proxy.lines.join()).not.toContain('LATE');
  });
});

describe('ids of the proxy itself', () => {
  it('are none that another proxy in front of it may have given: both answers arrive', async () => {
    const proxy = through(
      serverFile(
        "globalThis.open ??= []; if (method === 'completion/complete') open.push(id); else for (const one of [...open, id]) write({ id: one, result: { content: [] } });",
      ),
    );
    for (let at = 1; at <= 3; at++)
      proxy.write(`{"jsonrpc":"2.0","id":"harness-${at}","method":"completion/complete"}`);
    expect(await proxy.ask('tools/call', { name: 'echo', arguments: {} })).toHaveProperty('result');
    for (let at = 1; at <= 3; at++) expect(await proxy.answerTo(`harness-${at}`)).toHaveProperty('result');
    await proxy.close();
  });

  it('are other ones in a proxy that does the same', async () => {
    const ask = async () => {
      const proxy = through(serverFile('write({ id, result: { content: [] } });'));
      await proxy.ask('tools/call', { name: 'echo', arguments: {} });
      await proxy.close();
      return /"id":"(harness-[^"]+)","method":"tools\/list"/.exec(proxy.notes())?.[1];
    };
    const [one, other] = [await ask(), await ask()];
    expect([one, other]).toEqual([expect.any(String), expect.any(String)]);
    expect(one).not.toBe(other);
  });
});

describe('definitions of tools', () => {
  it('are asked for once, and again when the server says that they have changed or before a refusal', async () => {
    const proxy = through(
      serverFile(
        "if (params.arguments.change) { tools[0].description = 'another'; write({ method: 'notifications/tools/list_changed' }); } write({ id, result: { content: [] } });",
      ),
    );
    const call = async (name: string, args = {}) =>
      (await proxy.ask('tools/call', { name, arguments: args })).result;
    // The server reports each line before it answers, on another pipe: its report of the last call says that all before it are there.
    let reported = 0;
    const lists = async (calls: number) => {
      reported += calls;
      await proxy.until(() => proxy.notes().split('"method":"tools/call"').length - 1 === reported);
      return proxy.notes().split('"method":"tools/list"').length - 1;
    };
    for (let at = 0; at < 5; at++) expect(await call('echo')).toEqual({ content: [] });
    expect(await lists(5)).toBe(1);
    await call('other', { change: true });
    expect(await call('other')).toEqual({ content: [] });
    expect(await lists(2)).toBe(2);
    expect(await call('echo')).toMatchObject({ isError: true });
    await proxy.close();
    expect(await lists(0)).toBe(3);
  });
});

describe('`mcp lock`', () => {
  it('shakes hands like a full client: a server that shows more to one, and asks it first, has all of it pinned', async () => {
    const { dir, argv } = serverFile(
      `if (method === 'initialize') {
        for (const need of ['roots', 'sampling', 'elicitation'])
          if (params.capabilities[need]) tools.push({ name: need, inputSchema: { type: 'object' } });
        globalThis.hello = { id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } };
        write({ id: 'roots-1', method: 'roots/list' });
      }
      if (id === 'roots-1' && method === undefined) write(globalThis.hello);`,
    );
    const locked = await harness(['mcp', 'lock', '--json', '--name', 'both', '--dir', dir, '--', ...argv]);
    expect(JSON.parse(locked.stdout).tools).toEqual(['echo', 'other', 'roots', 'sampling', 'elicitation']);
  });
});

describe('numbers that JavaScript would round', () => {
  const BIG = '12345678901234567891';

  it('reach the other side digit by digit beside what a hook rewrites, in both directions', async () => {
    const proxy = through(
      serverFile(
        `write('{"jsonrpc":"2.0","id":' + id + ',"result":{"structuredContent":{"n":${BIG},"d":0.10000000000000000001},"content":[{"type":"text","text":"ghp_' + 'a1'.repeat(18) + '"}]}}\\n');`,
      ),
    );
    proxy.write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"keep","region":"x","n":${BIG}}}}`,
    );
    await proxy.answerTo(1);
    expect(proxy.lines[0]).toContain(`{"n":${BIG},"d":0.10000000000000000001}`);
    expect(proxy.lines[0]).toContain('[token]');
    // What the server reports goes another way than its answer, and may arrive after it.
    await proxy.until(() => proxy.notes().includes(`"n":${BIG}}`));
    proxy.write(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"rewrite me","id":${BIG}}}}`,
    );
    expect((await proxy.answerTo(2)).result.content[0].text).toContain('a hook rewrote a number');
    await proxy.close();
  });
});
