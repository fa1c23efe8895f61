/** What versions before 0.3 registered, replaced by the short line: for every agent, with the record of it lost. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, hookFile, project, write } from './harness.ts';

const BEFORE = JSON.parse(
  readFileSync(new URL('lines-before-0.3.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>;

/** The files of each agent in which lines stood. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['p/.claude/settings.json'],
  codex: ['p/.codex/hooks.json', 'home/.codex/config.toml'],
  'gemini-cli': ['p/.gemini/settings.json'],
  'qwen-code': ['p/.qwen/settings.json'],
  copilot: ['p/.github/hooks/harness.json', 'home/.copilot/config.json'],
  cline: ['p/.clinerules/hooks/PreToolUse', 'p/.clinerules/hooks/TaskError'],
  opencode: ['p/.harness-guard/opencode.js', 'p/opencode.json'],
  pi: ['p/.pi/extensions/harness.ts'],
  cursor: ['p/.cursor/hooks.json'],
  goose: ['p/.agents/plugins/harness/hooks/hooks.json', 'p/.agents/plugins/harness/plugin.json'],
};

const ALLOW = hookFile('event: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()');

function world(agent: string) {
  const root = project({ 'p/.harness/hooks/allow.md': ALLOW, 'home/.keep': '' });
  const [dir, home] = [join(root, 'p'), join(root, 'home')];
  for (const path of FILES[agent]!) {
    write(root, path, BEFORE[path]!.replaceAll('@DIR@', dir).replaceAll('@HOME@', home));
  }
  const run = (...args: string[]) => harness(args, { cwd: dir, env: { HOME: home } });
  const texts = () =>
    FILES[agent]!.map((path) => join(root, path)).flatMap((path) =>
      existsSync(path) ? [readFileSync(path, 'utf8')] : [],
    );
  return { dir, run, texts };
}

const OLD = /o=\$\(|const LAUNCH = |\/opt\/harness|file:\/\/|--deadline/;

describe('an upgrade from lines before 0.3', () => {
  it.each(Object.keys(FILES))('%s: every old line goes, every event has the new one, once', async (agent) => {
    const { run, texts } = world(agent);
    expect(texts().join('\n')).toMatch(OLD);
    const options = agent === 'goose' ? ['--observe-only'] : [];
    expect(await run('install', agent, ...options)).toMatchObject({ code: 0, stderr: '' });
    expect(texts().join('\n')).not.toMatch(OLD);
    const { agents } = JSON.parse((await run('status', '--json')).stdout);
    const problems = agents.flatMap((one: { problems: string[] }) => one.problems) as string[];
    expect(problems.filter((words) => /registered|guard|edited/.test(words))).toEqual([]);
    expect((await run('install', agent, ...options)).stdout).toContain('is installed already');
    expect((await run('uninstall', agent)).code).toBe(0);
    expect(texts().join('\n')).not.toMatch(/harness\/guard|harness-guard/);
  });

  it('keeps what somebody else registered beside them', async () => {
    const { dir, run } = world('claude-code');
    const file = join(dir, '.claude/settings.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    const mine = { matcher: 'Bash', hooks: [{ type: 'command', command: 'mine.sh' }] };
    settings.hooks.PreToolUse.unshift(mine);
    writeFileSync(file, JSON.stringify(settings, null, 2));
    await run('install', 'claude-code');
    expect(JSON.parse(readFileSync(file, 'utf8')).hooks.PreToolUse).toEqual([mine, expect.anything()]);
    await run('uninstall', 'claude-code');
    expect(JSON.parse(readFileSync(file, 'utf8')).hooks.PreToolUse).toEqual([mine]);
  });
});
