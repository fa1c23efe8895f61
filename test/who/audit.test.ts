/**
 * The flat record of who did what: every attempt has a row, and the row says where it stands in the chain.
 */
import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/tape/audit.ts';
import { recordSession } from '../../src/exports/agent.ts';
import { machineHost } from '../../src/machine/host.ts';
import { auditTape } from '../../src/tape/audit.ts';
import { openTape } from '../../src/tape/open-tape.ts';
import { call, echo, play } from '../support/agent.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';
import { policyOf } from '../support/who.ts';

const GUARD = hookFile(
  'def handle(event, payload):\n    annotate(ticket="=T-1", tier=actor.get("tier"))\n    return block("no, \\"never\\"") if payload["args"].get("text") == "no" else allow()',
);

async function taped(
  actor: { id: string; tenant: string },
  { dir = tempProject(), tape: name }: { dir?: string; tape?: string } = {},
) {
  const policy = await policyOf({ '.harness/hooks/guard.md': GUARD });
  const path = join(dir, `${actor.id}.jsonl`);
  const sessionId = `s-${actor.id}`;
  const tape = openTape(path, {
    session: name ?? sessionId,
    hooks: policy.hooks,
    policy: policy.digest,
    host: machineHost,
  });
  await play({
    policy,
    actor,
    tools: [echo],
    config: { sessionId },
    agents: [{ name: 'helper', description: '', system: 'x', tools: ['echo'] }],
    recorder: tape.recorder,
    onEvent: recordSession(tape),
    completions: [
      {
        tool_calls: [
          call('echo', { text: 'no' }),
          call('nothing'),
          call('delegate', { agent: 'helper', prompt: 'x' }),
        ],
      },
      { tool_calls: [call('echo', { text: 'hi' })] },
      { text: 'helped' },
      { text: 'done' },
    ],
  });
  await tape.close();
  return { path, dir };
}

/** What the command prints, and how it ends. */
function audited(path: string, options: Record<string, string | true> = {}) {
  const lines: string[] = [];
  const notes: string[] = [];
  const args = {
    positionals: [path],
    has: (name: string) => Object.hasOwn(options, name),
    value: (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined),
  };
  const plain = (_style: unknown, text: string) => text;
  const output = {
    line: (text = '') => void lines.push(text),
    raw: (text: string) => void lines.push(text),
    note: (text: string) => void notes.push(text),
    paint: plain,
    paintNote: plain,
    closed: false,
  };
  const code = run(args as never, output as never);
  return { code, lines, notes };
}

describe('harness tape audit', () => {
  it('has one row an attempt, with the person, the agent and what became of it', async () => {
    const { path } = await taped({ id: 'ann', tenant: 'acme' });
    const rows = [...auditTape(path)];
    const short = rows.map(({ actor, tenant, agent, depth, tool, verdict, by }) => [
      actor,
      tenant,
      agent,
      depth,
      tool,
      verdict,
      by,
    ]);
    expect(short.sort()).toEqual(
      [
        ['ann', 'acme', '', 0, 'echo', 'blocked', 'guard'],
        ['ann', 'acme', '', 0, 'nothing', 'unknown_tool', null],
        ['ann', 'acme', 'helper', 1, 'echo', 'ran', null],
        ['ann', 'acme', '', 0, 'delegate', 'ran', null],
      ].sort(),
    );
    expect(rows.filter(({ tool }) => tool === 'echo').map(({ facts }) => facts)).toEqual([
      { ticket: '=T-1', tier: null },
      { ticket: '=T-1', tier: null },
    ]);
    expect(rows.every(({ time }) => Date.parse(time!) > 1_600_000_000_000)).toBe(true);
  });

  it('names the person where the tape and the session have different ids', async () => {
    const { path } = await taped({ id: 'ann', tenant: 'acme' }, { tape: 'of-another-name' });
    const rows = [...auditTape(path)];
    expect(rows.map(({ actor }) => actor)).toEqual(['ann', 'ann', 'ann', 'ann']);
    expect(new Set(rows.map(({ session }) => session)).size).toBe(2);
    expect(rows.filter(({ tool }) => tool === 'echo').map(({ facts }) => facts.ticket)).toEqual([
      '=T-1',
      '=T-1',
    ]);
  });

  it('says where each stands in the chain', async () => {
    const { path } = await taped({ id: 'ann', tenant: 'acme' });
    const lines = readFileSync(path, 'utf8').split('\n');
    for (const { seq, hash: own, prev } of auditTape(path)) {
      expect(own).toBe(hash('sha256', lines[seq]!, 'hex'));
      expect(prev).toBe(hash('sha256', lines[seq - 1]!, 'hex'));
    }
  });

  it('goes over a folder, filtered by person, tenant, tool and time', async () => {
    const { dir } = await taped({ id: 'ann', tenant: 'acme' });
    await taped({ id: 'bob', tenant: 'other' }, { dir });
    const count = (options: Record<string, string | true>) =>
      audited(dir, { jsonl: true, ...options }).lines.length;
    expect(count({})).toBe(8);
    expect(count({ actor: 'ann' })).toBe(4);
    expect(count({ tenant: 'oth*' })).toBe(4);
    expect(count({ tool: 'echo', actor: 'bob' })).toBe(2);
    expect(count({ since: '1h' })).toBe(8);
    expect(count({ since: '2999-01-01' })).toBe(0);
    expect(() => count({ since: 'yesterday-ish' })).toThrow('--since wants a date');
    expect(() => count({ csv: true })).toThrow('exclude each other');
  });

  it('as CSV holds no formula, and as a page no script', async () => {
    const { path } = await taped({ id: '=cmd()', tenant: '<script>alert(1)</script>' });
    const { lines } = audited(path, { csv: true });
    expect(lines[0]).toMatch(/^time,session,actor,email,tenant,tier,agent/);
    expect(lines).toHaveLength(5);
    expect(lines[1]).toContain("'=cmd()");
    expect(lines.join('\n')).toContain('"tool blocked: blocked by hook ""guard"": no, ""never"""');
    const [page] = audited(path, { html: true }).lines;
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;');
  });

  it('as CSV holds no formula for a program that divides cells by semicolons, tabs or lines', async () => {
    const hostile = ['x;=1+1', 'x\n@sum(a1)', 'x\t+1', '\uff1d1', '\tx'];
    const policy = await policyOf({ '.harness/hooks/guard.md': GUARD });
    const path = join(tempProject(), 't.jsonl');
    const tape = openTape(path, {
      session: 's',
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
    });
    for (const tool of hostile) await tape.call({ callId: tool, tool, verdict: 'unknown_tool' });
    await tape.close();
    const text = audited(path, { csv: true }).lines.join('\n');
    expect(text.match(/(?:^|[;\t\r\n,]"?)[=+\-@\uff1d]/g)).toBeNull();
    expect(text).toContain("x;'=1+1");
  });

  it('names the guards that failed and let a call pass', async () => {
    const policy = await policyOf({
      '.harness/hooks/open.md': hookFile(
        'def handle(event, payload):\n    return fail("the directory is down")',
        'event: tool.pre\npriority: 10\non_error: allow',
      ),
      '.harness/hooks/unmet.md': hookFile('def handle(event, payload):\n    return allow()'),
    });
    const path = join(tempProject(), 't.jsonl');
    const tape = openTape(path, {
      session: 's1',
      hooks: policy.hooks,
      policy: policy.digest,
      host: machineHost,
    });
    await play({
      policy,
      tools: [echo],
      recorder: tape.recorder,
      onEvent: recordSession(tape),
      completions: [{ tool_calls: [call('echo', { text: 'hi' })] }, { text: 'done' }],
    });
    await tape.close();
    const [row] = auditTape(path);
    expect(row).toMatchObject({ verdict: 'ran', reason: null });
    expect(row?.failed_open).toMatch(/^open: .*the directory is down/);
    expect(row?.failed_open).not.toContain('unmet');
    expect(audited(path).lines.join('\n')).toContain('failed open: open: ');
    expect(audited(path, { html: true }).lines[0]).toMatch(/<td class="failed_open">open: /);
  });

  it('says that a tape does not hold together, and exits 1', async () => {
    const { path, dir } = await taped({ id: 'ann', tenant: 'acme' });
    const text = readFileSync(path, 'utf8');
    writeFileSync(join(dir, 'changed.jsonl'), text.replaceAll('"verdict":"blocked"', '"verdict":"ran"'));
    const { code, notes } = audited(join(dir, 'changed.jsonl'), { jsonl: true });
    expect(code).toBe(1);
    expect(notes.join()).toContain('broken');
    appendFileSync(path, 'garbage\n');
    expect(audited(path, { jsonl: true }).code).toBe(1);
    writeFileSync(join(dir, 'none.jsonl'), '{"no":"tape"}\n');
    expect(audited(join(dir, 'none.jsonl'), { jsonl: true }).code).toBe(1);
  });
});
