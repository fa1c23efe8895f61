/**
 * Tables of the policy: read once, frozen, in the digest; whatever is wrong with one closes every gate.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { NOWHERE, policyOf, saying, toolCall } from '../support/who.ts';

const tells = (expression: string) => ({
  '.harness/hooks/tells.md': hookFile(saying(`block(json.encode(${expression}))`)),
});

async function told(files: Record<string, string>, expression: string) {
  const policy = await policyOf({ ...files, ...tells(expression) });
  const { reason } = await policy.decide('tool.pre', toolCall());
  return reason;
}

describe('[G5] a data file', () => {
  it.each<[string, string, string, unknown]>([
    [
      'people.yaml',
      'ann: {tier: gold, limit: 5}\nbob: {tier: free}\n',
      'data.people["ann"]',
      { tier: 'gold', limit: 5 },
    ],
    ['people.json', '["ann", "bob"]', 'data.people[1]', 'bob'],
    [
      'people.csv',
      'name,age\nann,30\n"Bob ""B"", jr",40\n',
      'data.people',
      [
        { name: 'ann', age: '30' },
        { name: 'Bob "B", jr', age: '40' },
      ],
    ],
    ['people.csv', 'id,tier\nann,gold\nbob,\n', 'data.people["bob"]', { id: 'bob', tier: '' }],
    ['people.csv', 'id\n\n', 'data.people', {}],
  ])('%s is a value of scripts', async (file, text, expression, wanted) => {
    expect(JSON.parse((await told({ [`.harness/data/${file}`]: text }, expression)) ?? '')).toEqual(wanted);
  });

  it('is a value of conditions', async () => {
    const policy = await policyOf({
      '.harness/data/closed.json': '{"tools": ["x"]}',
      '.harness/hooks/c.md': hookFile(
        saying('block("closed")'),
        'event: tool.pre\npriority: 1\nwhen: payload["name"] in data.closed["tools"]',
      ),
    });
    expect(await policy.decide('tool.pre', toolCall('x'))).toMatchObject({ action: 'block' });
    expect(await policy.decide('tool.pre', toolCall('y'))).toMatchObject({ action: 'allow' });
  });

  it('is typed by the schema beside it', async () => {
    const schema = JSON.stringify({
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { limit: { type: 'integer' }, on: { type: 'boolean' } },
        required: ['limit'],
      },
    });
    const files = { '.harness/data/t.schema.json': schema };
    expect(await told({ ...files, '.harness/data/t.csv': 'id,limit,on\na,5,true\n' }, 'data.t["a"]')).toBe(
      '{"id":"a","limit":5,"on":true}',
    );
    const wrong = await told({ ...files, '.harness/data/t.yaml': 'a: {limit: many}\n' }, 'data.t["a"]');
    expect(wrong).toContain('t.a.limit');
    expect(await told({ ...files, '.harness/data/t.csv': 'id,limit\na,many\n' }, 'data.t')).toContain(
      'want integer, got "many"',
    );
  });

  it.each<[string, Record<string, string | Uint8Array>, string]>([
    ['YAML that is none', { 'a.yaml': 'a: [1\n' }, 'yaml: line'],
    ['YAML with a key twice', { 'a.yaml': 'a: 1\na: 2\n' }, 'a.yaml'],
    ['JSON that is none', { 'a.json': '{"a": ' }, 'is not usable JSON'],
    ['JSON with a key twice', { 'a.json': '{"a": 1, "a": 2}' }, 'is not usable JSON'],
    ['a table with a row that is short', { 'a.csv': 'x,y\n1\n' }, 'want 2 values, got 1'],
    ['a table with a quote that does not end', { 'a.csv': 'x\n"1\n' }, 'a quoted value does not end'],
    ['a table with an id twice', { 'a.csv': 'id\nx\nx\n' }, 'id "x" is there twice'],
    ['an empty table', { 'a.csv': '' }, 'want a line with the names of the columns'],
    ['what is no text', { 'a.json': new Uint8Array([0xff, 0xfe, 0x00]) }, 'not valid UTF-8'],
    ['one of 50 MB', { 'a.json': `["${'x'.repeat(50 * 1024 * 1024)}"]` }, 'more than an artifact may have'],
    ['two of one name', { 'a.json': '1', 'a.yaml': 'a: 1' }, 'another data file of the name "a"'],
    ['a schema that is none', { 'a.json': '1', 'a.schema.json': '[]' }, 'no JSON Schema'],
    ['a schema for nothing', { 'b.schema.json': '{}' }, 'there is no data file "b"'],
    ...(
      [
        ['{"type": "objekt"}', '"objekt" is none of'],
        ['{"propertys": {}}', 'propertys is not checked (did you mean properties?)'],
        ['{"additionalProperties": {"type": "string", "formt": "x"}}', 'formt is not checked'],
        ['{"required": "a"}', 'required: want a list of names'],
        ['{"properties": []}', 'properties: want a map'],
        ['{"items": {"minimum": "1"}}', 'items.minimum: want a number'],
        ['{"anyOf": [{"pattern": "("}]}', 'anyOf.0.pattern: want an RE2 pattern'],
        ['{"$defs": {"a": {"enum": "x"}}}', '$defs.a.enum: want a list'],
        ['{"$ref": "#/$defs/none"}', 'there is no "#/$defs/none"'],
        ['{"$ref": "https://example.com/x.json"}', 'there is no "https://example.com/x.json"'],
      ] as const
    ).map(([schema, why]): [string, Record<string, string>, string] => [
      `a schema that checks less than it says, ${schema}`,
      { 'a.json': '1', 'a.schema.json': schema },
      why,
    ]),
    [
      'a value that a definition of its schema refuses',
      {
        'a.json': '{"bob": {"role": "root"}}',
        'a.schema.json':
          '{"$defs": {"role": {"enum": ["support"]}}, "additionalProperties": {"properties": {"role": {"$ref": "#/$defs/role"}}}}',
      },
      'a.bob.role is the text "root"',
    ],
    [
      'an alias bomb',
      {
        'a.yaml': `a: &a [1,1,1,1,1,1,1,1,1,1]\n${'bcdefgh'
          .split('')
          .map((c, i) => `${c}: &${c} [${Array(10).fill(`*${'abcdefg'[i]}`).join(',')}]`)
          .join('\n')}\n`,
      },
      'a.yaml',
    ],
  ])('that is broken closes every gate, and is a problem: %s', async (_, data, why) => {
    const files = Object.fromEntries(
      Object.entries(data).map(([name, text]) => [`.harness/data/${name}`, text]),
    );
    const policy = await policyOf({ ...files, '.harness/hooks/ok.md': hookFile(saying('allow()')) });
    const outcome = await policy.decide('tool.pre', toolCall());
    expect(outcome.action).toBe('block');
    expect(outcome.reason).toContain(why);
    expect(
      policy.problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message)
        .join(),
    ).toContain(why);
    expect(await policy.decide('turn.start', 'hello')).toMatchObject({ action: 'block' });
  });

  it('that is not there is an error with the nearest name', async () => {
    expect(await told({ '.harness/data/people.json': '{}' }, 'data.peple')).toContain(
      'no data file "peple" (did you mean people?)',
    );
  });

  it('cannot be changed by a script', async () => {
    expect(await told({ '.harness/data/p.json': '{"a": [1]}' }, '[data.p["a"].append(2)]')).toContain(
      'frozen',
    );
  });

  it('is in the digest, and a reading of the folder that was changed is another policy', async () => {
    const dir = tempProject({ '.harness/data/p.json': '1', ...tells('data.p') });
    const policy = await openPolicy(dir, { places: NOWHERE });
    const before = policy.digest.digest;
    writeFileSync(join(dir, '.harness/data/p.json'), '2');
    const next = await policy.reread();
    expect(next.digest.digest).not.toBe(before);
    policy.adopt(next);
    expect(await policy.decide('tool.pre', toolCall())).toMatchObject({ reason: '2' });
    expect(policy.digest.files).toHaveProperty('.harness/data/p.json');
  });

  it('of a higher layer is not replaced by one of a lower, and those of a lower are not seen above', async () => {
    const dir = tempProject({
      '.harness/data/limits.json': '1',
      '.harness/hooks/tells.md': hookFile(saying('block("%d %s" % (data.limits, dir(data)))')),
      'inner/.harness/data/limits.json': '1000',
      'inner/.harness/data/own.json': '7',
      'inner/.harness/hooks/own.md': hookFile(
        saying('block(str(data.limits + data.own))'),
        'event: turn.start\npriority: 1',
      ),
    });
    const policy = await openPolicy(join(dir, 'inner'), { places: NOWHERE });
    expect(await policy.decide('tool.pre', toolCall())).toMatchObject({ reason: '1 ["limits"]' });
    expect(await policy.decide('turn.start', 'x')).toMatchObject({ reason: '8' });
    expect(policy.problems.map(({ message }) => message).join()).toContain('a higher layer has one');
  });

  it('of the user’s folder stands in data/', async () => {
    const user = tempProject({
      'data/p.json': '"mine"',
      'hooks/tells.md': hookFile(saying('block(data.p)')),
    });
    const dir = tempProject();
    mkdirSync(join(dir, 'x'));
    const policy = await openPolicy(dir, { places: { managed: null, user } });
    expect(await policy.decide('tool.pre', toolCall())).toMatchObject({ reason: 'mine' });
  });
});

describe('[G5] on_error as an expression', () => {
  const TENANTS = {
    '.harness/data/tenants.json':
      '{"open": {"fail": "allow"}, "shut": {"fail": "block"}, "odd": {"fail": "maybe"}}',
  };
  const FIELDS = 'event: tool.pre\npriority: 10\non_error: data.tenants[actor["tenant"]]["fail"]';
  const FAILS = hookFile('def handle(event, payload):\n    fail("directory down")', FIELDS);
  const at = (tenant: string) => ({ actor: { id: 'a', tenant } });

  it('chooses by tenant what a failure means; whatever raises or is no word is a block', async () => {
    const policy = await policyOf({ ...TENANTS, '.harness/hooks/f.md': FAILS });
    const action = async (options?: object) => (await policy.decide('tool.pre', toolCall(), options)).action;
    expect([
      await action(at('open')),
      await action(at('shut')),
      await action(at('odd')),
      await action(at('none')),
      await action(),
    ]).toEqual(['allow', 'block', 'block', 'block', 'block']);
  });

  it('counts for a hook that times out', async () => {
    const slow = hookFile(
      'def handle(event, payload):\n    for i in range(100000000):\n        pass\n    return allow()',
      `${FIELDS}\ntimeout_ms: 30`,
    );
    const policy = await policyOf({ ...TENANTS, '.harness/hooks/f.md': slow });
    expect(await policy.decide('tool.pre', toolCall(), at('open'))).toMatchObject({ action: 'allow' });
    expect(await policy.decide('tool.pre', toolCall(), at('shut'))).toMatchObject({ action: 'block' });
  });

  it('is a guard that may be off, and says so; a strict layer above takes it away', async () => {
    const policy = await policyOf({ ...TENANTS, '.harness/hooks/f.md': FAILS });
    expect(policy.problems.map(({ code, message }) => `${code} ${message}`).join()).toMatch(
      /GUARD_MAY_BE_OFF.*on_error is data/,
    );
    const dir = tempProject({
      'harness.md': '---\nstrict: true\n---\n',
      'inner/.harness/hooks/f.md': FAILS,
      'inner/.harness/data/tenants.json': TENANTS['.harness/data/tenants.json'],
    });
    const inner = await openPolicy(join(dir, 'inner'), { places: NOWHERE });
    expect(await inner.decide('tool.pre', toolCall(), at('open'))).toMatchObject({ action: 'block' });
    expect(inner.problems.map(({ code }) => code)).toContain('GUARD_LOOSENED');
  });

  it('that cannot be compiled keeps the hook from loading', async () => {
    const policy = await policyOf({
      '.harness/hooks/f.md': hookFile(saying('allow()'), 'event: tool.pre\npriority: 1\non_error: data.x['),
    });
    expect(await policy.decide('tool.pre', toolCall())).toMatchObject({ action: 'block' });
    const other = await policyOf({
      '.harness/hooks/f.md': hookFile(
        saying('allow()'),
        'event: tool.pre\npriority: 1\non_error: http.get("x")',
      ),
    });
    expect(other.problems.map(({ message }) => message).join()).toContain('on_error is a pure predicate');
  });

  it('replays, with the hooks and without them', async () => {
    const files = { ...TENANTS, '.harness/hooks/f.md': FAILS };
    const policy = await policyOf(files);
    const path = join(tempProject(), 'tape.jsonl');
    const tape = openTape(path, {
      session: 's1',
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
    });
    const engine = policy.engine({ run: policy.newRun(), recorder: tape.recorder });
    for (const tenant of ['open', 'shut', 'none']) await engine.decide('tool.pre', toolCall(), at(tenant));
    await tape.close();
    expect(await replayTape(path, { hooks: policy.hooks })).toMatchObject({ decisions: 3, differences: [] });
    expect(await replayTape(path)).toMatchObject({ decisions: 3, differences: [] });
  });
});
