import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import {
  decideScript,
  type Fired,
  fire,
  hookFile,
  loadHooks,
  tempProject,
} from '../../../test/support/temp-project.ts';
import { RunState } from '../../engine/run-state.ts';
import { loadProject } from '../../frontends/project.ts';
import { type Host, machineHost } from '../../machine/host.ts';

/** The value of an expression in `handle`, by way of `repr`. */
async function value(expression: string, more: Parameters<typeof decideScript>[1] = {}): Promise<string> {
  const { outcome } = await run(`return block(repr(${expression}))`, more);
  const failure = outcome.trace[0]?.failure;
  if (failure) throw new Error(failure.message);
  return String(outcome.reason);
}

function run(body: string, more: Parameters<typeof decideScript>[1] = {}): Promise<Fired> {
  return decideScript(
    `def handle(event, payload):\n    ${body.replaceAll('\n', '\n    ')}\n    return allow()`,
    more,
  );
}

describe('[C060] metrics', () => {
  it('count, set, read, reset and show what the run has', async () => {
    const { run: state, outcome } = await run(
      'metrics.incr("a")\nmetrics.incr("a", by = 2)\nmetrics.set("g", 1.5)\nmetrics.set("z", 1)\nmetrics.reset("z")',
    );
    expect([...state.metrics]).toEqual([
      ['a', 3],
      ['g', 1.5],
    ]);
    expect(outcome.effects.slice(0, 3)).toEqual([
      { kind: 'metric', hook: 'sample', name: 'a', op: 'incr', value: 1 },
      { kind: 'metric', hook: 'sample', name: 'a', op: 'incr', value: 2 },
      { kind: 'metric', hook: 'sample', name: 'g', op: 'set', value: 1.5 },
    ]);
    expect(
      await value('[metrics.incr("x"), metrics.get("x"), metrics.get("y"), metrics.get("y", None)]'),
    ).toBe('[1, 1, 0, None]');
    expect(await value('[metrics.incr("x"), metrics.snapshot(), metrics.reset(), metrics.snapshot()]')).toBe(
      '[1, {"x": 1}, None, {}]',
    );
  });

  it('are bounded and finite', async () => {
    await expect(value('[metrics.incr(str(i)) for i in range(20000)]')).rejects.toThrow(
      'more than 10000 different names',
    );
    await expect(value('metrics.set("a", float("inf"))')).rejects.toThrow('not a finite number');
  });
});

describe('[C061] log', () => {
  it('is callable, has levels and takes fields by name', async () => {
    const { run: state } = await run(
      'log("plain")\nlog.info("count", n = 2, who = "me")\nlog.warn(1)\nlog.error([1])',
    );
    expect(state.logs.map(({ level, message, hook, event }) => [level, message, hook, event])).toEqual([
      ['info', 'plain', 'sample', 'tool.pre'],
      ['info', 'count n=2 who="me"', 'sample', 'tool.pre'],
      ['warn', '1', 'sample', 'tool.pre'],
      ['error', '[1]', 'sample', 'tool.pre'],
    ]);
  });
});

describe('[C062] [C063] cache and ctx', () => {
  it.each(['cache', 'ctx'])('%s keeps data between calls of one run', async (name) => {
    const state = new RunState();
    await run(`${name}.set("k", {"a": [1, 2.5, None]})`, { run: state });
    expect(
      await value(`[${name}.get("k"), ${name}.has("k"), ${name}.get("n"), ${name}.get("n", 3)]`, {
        run: state,
      }),
    ).toBe('[{"a": [1, 2.5, None]}, True, None, 3]');
    expect(await value(`[${name}.delete("k"), ${name}.delete("k"), ${name}.has("k")]`, { run: state })).toBe(
      '[True, False, False]',
    );
    expect((name === 'cache' ? state.cache : state.turn).size).toBe(0);
  });

  it('share nothing between runs, hold data only, and give it out frozen', async () => {
    await run('cache.set("k", 1)');
    expect(await value('cache.has("k")')).toBe('False');
    await expect(value('cache.set("k", len)')).rejects.toThrow('cannot convert to JSON');
    await expect(value('[cache.set("k", [1]), cache.get("k").append(2)]')).rejects.toThrow('frozen');
    await expect(value('[cache.set("k%d" % i, 1) for i in range(20000)]')).rejects.toThrow(
      'more than 10000 keys',
    );
  });
});

describe('[C066] string, json and re', () => {
  it.each([
    ['string.truncate("hello world", 7)', '"hello …"'],
    ['string.truncate("hello", 5)', '"hello"'],
    ['string.truncate("hello", 4, suffix = "..")', '"he.."'],
    ['string.truncate("hello", 1, suffix = "...")', '"."'],
    ['string.truncate("hello", 0)', '""'],
    ['string.truncate("a🙂b", 3, "")', '"a🙂"'],
    ['string.truncate("a🙂b", 2, "")', '"a"'],
    ['[string.upper("aé"), string.lower("AÉ"), string.trim("  a ")]', '["AÉ", "aé", "a"]'],
    ['string.split("a,b,c", ",")', '["a", "b", "c"]'],
    ['string.join(["a", "b"], "-")', '"a-b"'],
    ['[string.pad_left("7", 3, "0"), string.pad_right("ab", 4)]', '["007", "ab  "]'],
    ['string.reveal("a\\u202Eb, \\U0001F469\\u200D\\U0001F4BB")', '"a[hidden: U+202E]b, 👩\\u200d💻"'],
    ['json.decode(json.encode({"a": [1, 2.5, None, True]}))', '{"a": [1, 2.5, None, True]}'],
    ['json.decode("nope", None)', 'None'],
    ['re.search("b+", "abbc").text', '"bb"'],
    ['re.match("b", "abc")', 'None'],
    ['re.findall("[a-z]", "a1b")', '["a", "b"]'],
    ['re.replace("[0-9]+", "N", "a1b22")', '"aNbN"'],
    ['hash.sha256("abc")', '"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"'],
    ['hash("abc") == hash("abc")', 'True'],
    ['base64.decode(base64.encode("aé🙂"))', '"aé🙂"'],
    ['struct(a = 1).a', '1'],
    ['math.floor(2.5)', '2'],
  ])('%s is %s', async (expression, wanted) => {
    expect(await value(expression)).toBe(wanted);
  });

  it('matches hostile patterns in bounded time', async () => {
    const start = cpuTime();
    expect(await value('re.search("(a+)+$", "a" * 2000 + "b")')).toBe('None');
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});

describe('a wrong argument', () => {
  it.each([
    ['block()', 'block: missing argument for reason'],
    ['block(4)', 'block: for parameter reason: got int, want string'],
    ['block("a", "b")', 'block'],
    ['allow(1)', 'allow'],
    ['modify()', 'modify: missing argument for payload'],
    ['metrics.incr()', 'metrics.incr: missing argument for name'],
    ['metrics.incr(1)', 'metrics.incr: for parameter name: got int, want string'],
    ['metrics.incr("a", by = "b")', 'metrics.incr: for parameter by: got string, want int or float'],
    ['metrics.incr("a", bye = 1)', 'unexpected keyword argument "bye" (did you mean by?)'],
    ['metrics.set("a")', 'metrics.set: missing argument for value'],
    ['metrics.incrr("a")', 'incr'],
    ['cache.get(1)', 'cache.get: for parameter key: got int, want string'],
    ['log.info()', 'log.info: missing argument for message'],
    ['http.get(1)', 'http.get: for parameter url: got int, want string'],
    ['http.get("http://x", headers = 1)', 'http.get: for parameter headers: got int, want dict'],
    ['emit(1)', 'emit: for parameter event: got int, want string'],
    ['string.truncate("a")', 'string.truncate: missing argument for n'],
    ['string.truncate("a", -1)', 'string.truncate: for parameter n'],
    ['string.split("a", "")', 'string.split: for parameter sep'],
    ['string.join([1])', 'string.join: for parameter items[0]: got int, want string'],
    ['string.pad_left("a", 1 << 40)', 'memory'],
    ['base64.decode("!")', 'base64.decode: for parameter text: not base64'],
    ['base64.decode("//8=")', 'not UTF-8'],
    ['uuid(1)', 'uuid'],
  ])('to %s is an error that names the parameter', async (expression, message) => {
    await expect(value(expression)).rejects.toThrow(message);
  });
});

describe('time and uuid', () => {
  it('come from the host', async () => {
    const host: Host = { ...machineHost, now: () => 1_700_000_000_000, uuid: () => 'fixed' };
    expect(await value('[uuid(), time.now().unix]', { host })).toBe('["fixed", 1700000000]');
  });
});

describe('emit', () => {
  const emitter = (name: string) =>
    hookFile(
      `def handle(event, payload):\n    return modify({"args": {"r": ${name}("custom.check", {"n": 1})["n"]}})`,
    );

  it.each(['emit', 'events.emit'])(
    '%s fires a custom event through the chain and returns its final payload',
    async (name) => {
      const project = await loadHooks({
        a: emitter(name),
        b: hookFile(
          'def handle(event, payload):\n    return modify({"n": payload["n"] + 1})',
          'event: custom.check\npriority: 1',
        ),
      });
      const { outcome } = await fire(project, 'tool.pre', { id: '1', name: 'x', args: {} });
      expect(outcome.payload).toMatchObject({ args: { r: 2 } });
    },
  );

  it('raises the reason of a block in the emitter', async () => {
    const project = await loadHooks({
      a: emitter('emit'),
      b: hookFile(
        'def handle(event, payload):\n    return block("not that")',
        'event: custom.check\npriority: 1',
      ),
    });
    const { outcome } = await fire(project, 'tool.pre', { id: '1', name: 'x', args: {} });
    expect(outcome.trace[0]?.failure).toMatchObject({ kind: 'error', message: 'emit: not that' });
    expect(outcome.trace[0]?.failure?.position?.line).toBe(6);
  });

  it.each(['meta.register_tool', 'tool.pre', 'custom.Bad', 'nonsense'])('cannot fire %s', async (event) => {
    await expect(value(`emit("${event}")`)).rejects.toThrow();
  });
});

describe('[C064] http', () => {
  let server: Server;
  let port: number;
  const seen: string[] = [];

  beforeAll(async () => {
    server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk) => {
        body += chunk;
      });
      req.on('end', () => {
        seen.push(
          `${req.method} ${req.url} ${req.headers.authorization ?? '-'} ${req.headers['content-type'] ?? '-'} ${body}`,
        );
        if (req.url === '/moved') res.writeHead(302, { location: '/final' }).end();
        else if (req.url === '/kept') res.writeHead(307, { location: '/final' }).end();
        else if (req.url === '/away') res.writeHead(302, { location: 'http://evil.test/' }).end();
        else if (req.url === '/address')
          res.writeHead(302, { location: `http://127.0.0.1:${port}/final` }).end();
        else if (req.url === '/loop') res.writeHead(302, { location: '/loop' }).end();
        else if (req.url === '/large') res.end('x'.repeat(5_000_000));
        else if (req.url === '/slow') return;
        else res.writeHead(req.url === '/none' ? 404 : 200, { 'x-a': 'b' }).end(`got ${body}`);
      });
    });
    await new Promise<void>((done) => server.listen(0, 'localhost', done));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetching = (call: string, domains = ['localhost'], fields = '') => {
    const state = new RunState({ allowedDomains: domains });
    return value(call.replaceAll('$', `http://localhost:${port}`), { run: state, fields });
  };

  it('fetches and posts, and returns plain data', async () => {
    expect(await fetching('http.get("$/x")["body"]')).toBe('"got "');
    expect(await fetching('[http.get("$/none")[k] for k in ["status", "ok"]]')).toBe('[404, False]');
    expect(await fetching('http.get("$/x")["headers"]["x-a"]')).toBe('"b"');
    expect(await fetching('http.post("$/x", "text")["body"]')).toBe('"got text"');
    expect(await fetching('http.post("$/x", {"a": 1}, headers = {"Authorization": "t"})["body"]')).toBe(
      '"got {\\"a\\":1}"',
    );
    expect(seen.at(-1)).toBe('POST /x t application/json {"a":1}');
    expect(await fetching('[cache.set("r", http.get("$/x")), cache.get("r")["ok"]][1]')).toBe('True');
  });

  it('is off until a domain is listed, and then reaches listed domains only', async () => {
    await expect(fetching('http.get("$/x")', [])).rejects.toThrow('network.allowed_domains lists no domain');
    await expect(fetching('http.get("$/x")', ['example.com'])).rejects.toThrow(
      '"localhost" is not in network.allowed_domains',
    );
    await expect(fetching('http.get("file:///etc/passwd")')).rejects.toThrow('only http: and https:');
    await expect(fetching(`http.get("http://127.0.0.1:${port}/x")`)).rejects.toThrow('is an IP address');
  });

  it('takes the list from harness.md', async () => {
    const script = `def handle(event, payload):\n    return block(http.get("http://localhost:${port}/x")["body"])`;
    const files = {
      'harness.md': '---\nnetwork:\n  allowed_domains: [localhost]\n---\n',
      '.harness/hooks/a.md': hookFile(script),
    };
    const project = await loadProject(tempProject(files));
    expect((await fire(project, 'tool.pre', { name: 'x', args: {} })).outcome.reason).toBe('got');
  });

  it('judges every hop of a redirect, follows five at most, and keeps method and body where it must', async () => {
    expect(await fetching('http.post("$/moved", "text")["body"]')).toBe('"got "');
    expect(seen.at(-1)).toMatch(/^GET \/final - - $/);
    expect(await fetching('http.post("$/kept", "text")["body"]')).toBe('"got text"');
    await expect(fetching('http.get("$/away")')).rejects.toThrow(
      '"evil.test" is not in network.allowed_domains',
    );
    await expect(fetching('http.get("$/address")')).rejects.toThrow('is an IP address');
    await expect(fetching('http.get("$/loop")')).rejects.toThrow('more than 5 redirects');
  });

  it('keeps credentials from another origin', async () => {
    await fetching('http.get("$/address", headers = {"Authorization": "secret"})', ['*']);
    expect(seen.slice(-2)).toEqual(['GET /address secret - ', 'GET /final - - ']);
  });

  it('has limits on size and time, and headers it sets itself', async () => {
    await expect(fetching('http.get("$/large")')).rejects.toThrow('larger than 4194304 bytes');
    await expect(fetching('http.get("$/slow")', ['localhost'], 'timeout_ms: 60')).rejects.toThrow(/60 ms/);
    await expect(fetching('http.get("$/x", headers = {"Host": "evil.test"})')).rejects.toThrow(
      '"host" cannot be set',
    );
  });

  it('has no effect any more once its call is over', async () => {
    const state = new RunState({ allowedDomains: ['localhost'] });
    const body = `http.get("http://localhost:${port}/slow")\nmetrics.incr("late")`;
    const { outcome } = await run(body, { run: state, fields: 'timeout_ms: 40' });
    expect(outcome.trace[0]?.failure?.kind).toBe('timeout');
    await new Promise((done) => setTimeout(done, 80));
    expect(state.metrics.size).toBe(0);
  });
});
