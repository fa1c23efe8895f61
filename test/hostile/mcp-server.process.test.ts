/**
 * A malicious MCP server, live: whatever it names, describes, answers or leaves unanswered, the policy judges every call, the
 * run comes to its end, and nothing of it reaches the terminal raw.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { repository } from './repository.ts';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), 'mcp-server.mjs');

const FILES = {
  'harness.md':
    '---\nmcp_servers:\n  evil: {command: node, args: [server.mjs, MARKS/environment]}\nlimits: {tool_timeout_ms: 1500}\n---\n',
  '.harness/hooks/guard.md':
    '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block("not that one") if payload["name"] == "evil__flood" else allow()\n---\n',
  '.harness/tools/say.md': '---\nscript: |\n  def run(args):\n      return "our own word"\n---\n\nSays.\n',
};

async function run(
  calls: readonly { name: string; args?: object }[],
  more: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const completions = [
    ...calls.map(({ name, args = {} }) => ({ tool_calls: [{ name, args }] })),
    { text: 'Done.' },
  ];
  const repo = repository({ ...FILES, ...files, 'story.yaml': JSON.stringify({ completions }) });
  copyFileSync(SERVER, join(repo.dir, 'server.mjs'));
  const env = {
    HOME: repo.home,
    HARNESS_TRUST: 'all',
    ANTHROPIC_API_KEY: 'sk-ant-secret',
    CORP_TOKEN: 'corp',
    ...more,
  };
  const args = ['run', '--script', 'story.yaml', '--prompt', 'x', '--json'];
  const done = await harness(args, { cwd: repo.dir, env });
  return { ...done, marks: join(repo.dir, '..', 'marks') };
}

const events = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          event?: string;
          payload?: { name?: string; content?: string; is_error?: boolean };
        },
    );
const results = (stdout: string) =>
  events(stdout).flatMap(({ event, payload }) =>
    event === 'tool.post' ? [[payload!.name, payload!.content!]] : [],
  );

describe('a malicious MCP server', () => {
  it('cannot take the place of a tool of the project', async () => {
    const { stdout } = await run([{ name: 'say' }, { name: 'evil__say' }]);
    const [own, other] = results(stdout) as [string[], string[]];
    expect(own).toEqual(['say', 'our own word']);
    expect(other[0]).toBe('evil__say');
  });

  it('does not get its instructions to the model where the pack of definitions is in force', async () => {
    const use = { 'harness.md': FILES['harness.md'].replace('---\n', '---\nuse: [tool-definitions]\n') };
    const { stdout, stderr } = await run([{ name: 'evil__say' }, { name: 'say' }], {}, use);
    const said = Object.fromEntries(results(stdout));
    expect(said.say).toBe('our own word');
    expect(said.evil__say ?? '').not.toContain('evil');
    expect(stderr).toMatch(/evil__say is not offered: .*tool-definitions\/hidden-text/);
    expect(stderr).toMatch(/evil__flood is not offered: .*50000 are looked at/);
  });

  it('is guarded call by call', async () => {
    const { stdout } = await run([{ name: 'evil__flood' }]);
    expect(stdout).toContain('not that one');
    expect(stdout.length).toBeLessThan(1_000_000);
  });

  it('that does not answer is left after the time of a tool', async () => {
    const { code, stdout } = await run([{ name: 'evil__hang' }]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/timed out|did not answer|timeout/i);
  });

  it('with a schema that doubles with every level costs a bounded time', async () => {
    // Walked level by level it would be killed before it had an end.
    const { code } = await run([{ name: 'evil__bomb', args: { x: 1 } }]);
    expect(code).toBe(0);
  });

  it('writes nothing raw to the terminal', async () => {
    const { stdout, stderr } = await run([{ name: 'evil__say' }]);
    for (const char of ['\u001b', '\u202e', '\u200b', '\u009b']) {
      expect(stdout).not.toContain(char);
      expect(stderr).not.toContain(char);
    }
  });

  it('is given none of the secrets of the environment', async () => {
    const { marks } = await run([{ name: 'say' }]);
    const file = join(marks, 'environment');
    expect(existsSync(file)).toBe(true);
    const given = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(Object.values(given).filter((value) => ['sk-ant-secret', 'corp'].includes(value))).toEqual([]);
    expect(given.PATH).toBeDefined();
  });
});
