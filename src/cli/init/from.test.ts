import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { convertSystem, SYSTEMS, type System } from './from.ts';

function taken(system: System, files: Readonly<Record<string, string>>) {
  const result = convertSystem(system, tempProject(files));
  if ('problem' in result) throw new Error(result.problem);
  const texts = Object.fromEntries([...result.files].map(([path, content]) => [path, content.toString()]));
  return { files: texts, notes: result.notes.join('\n') };
}

describe('taking over a project', () => {
  it.each(SYSTEMS)('of %s that is none says what was looked for', (system) => {
    expect(convertSystem(system, tempProject({ 'README.md': 'x' }))).toMatchObject({
      problem: expect.stringContaining('no '),
    });
  });

  it('of claude-code: the hooks of both settings files, the scripts, and what nothing here fires', () => {
    const { files, notes } = taken('claude-code', {
      '.claude/settings.json': JSON.stringify({
        model: 'x',
        hooks: {
          PreToolUse: [
            {
              matcher: 'Bash',
              hooks: [{ type: 'command', command: '$CLAUDE_PROJECT_DIR/scripts/check.sh' }],
            },
          ],
          Notification: [{ hooks: [{ type: 'command', command: 'say hi' }] }],
        },
      }),
      '.claude/settings.local.json': JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'ok?' }] }] },
      }),
      '.claude/hooks/format.sh': 'exit 0\n',
      'scripts/check.sh': 'exit 2\n',
      'scripts/lib.sh': 'x=1\n',
      'other.txt': 'no\n',
    });
    expect(Object.keys(files).sort()).toEqual([
      '.claude/hooks/format.sh',
      '.harness/settings.json',
      'scripts/check.sh',
      'scripts/lib.sh',
    ]);
    const { hooks, model } = JSON.parse(files['.harness/settings.json']!);
    expect([hooks.PreToolUse.length, model]).toEqual([2, undefined]);
    expect(notes).toContain('Notification: nothing here fires it');
    expect(notes).toContain('a hook of type prompt is not run here');
  });

  it('of the framework: settings.json at the root and the folder of its scripts', () => {
    const { files } = taken('framework', {
      'settings.json': JSON.stringify({ hooks: { PreToolUse: [{ path: 'hooks/A.ts', timeout: 3000 }] } }),
      'hooks/A.ts': 'import "./lib/b";\n',
      'hooks/lib/b.ts': '\n',
    });
    expect(Object.keys(files).sort()).toEqual(['.harness/settings.json', 'hooks/A.ts', 'hooks/lib/b.ts']);
  });

  it('of harn: every handler with its event, and a skeleton that fails until it is filled in', () => {
    const { files, notes } = taken('harn', {
      'harn.toml':
        '[package]\nname = "x"\n\n[[hooks]]\nevent = "UserPromptSubmit"\npattern = "*"\nhandler = "policy::reject_secrets"\n\n[[hooks]]\nevent = "SessionEnd"\nhandler = "ready::bye"\n',
      'policy.harn':
        'pub fn reject_secrets(event) { return nil }\nregister_tool_hook({pattern: "exec_*", deny: "x"})\nregister_session_hook("file_edited", { event -> return nil })\nregister_step_hook("merge_*", "audit", "PreStep", { ctx -> return nil })\n',
      'ready.star': 'def bye(event):\n    return None\n',
    });
    expect(notes).toContain(
      'translate policy.harn reject_secrets: UserPromptSubmit → policy.star def reject_secrets(event)',
    );
    expect(notes).toContain('translated policy.harn:2: PreToolUse');
    expect(files['policy.star']).toContain('def pretooluse_at_2(event):\n    return {"deny": "x"}');
    expect(files['policy.star']).toContain('# file_edited, from policy.harn:3.\n');
    expect(files['harn.toml']).toContain(
      'event = "PreToolUse"\npattern = "exec_*"\nhandler = "policy::pretooluse_at_2"\n',
    );
    expect(files['harn.toml']).toContain(
      'event = "PreStep"\npattern = "merge_*.audit"\nhandler = "policy::prestep_at_4"\n',
    );
    expect(notes).toContain('translate policy.harn:3: file_edited');
    expect(notes).toContain('translate policy.harn:4: PreStep');
    expect(notes).not.toContain('bye');
    expect(files['policy.star']).toContain('def reject_secrets(event):\n    fail(');
    expect(files['ready.star']).toContain('def bye');
  });

  it('of ai-harness: harness.yaml becomes the front matter of harness.md', () => {
    const { files, notes } = taken('ai-harness', {
      'harness.yaml': 'model: {name: gpt-4o}\n',
      '.harness/hooks/a.md': 'x',
      '.harness/runs/1.md': 'x',
    });
    expect(files['harness.md']).toBe('---\nmodel: {name: gpt-4o}\n---\n');
    expect(Object.keys(files)).toEqual(['.harness/hooks/a.md', 'harness.md']);
    expect(notes).toContain('harness.yaml became');
  });

  it('of loom: agent.json, and the scripts its commands name with what stands beside them', () => {
    expect(Object.keys(taken('loom', { 'agent.json': '{}' }).files)).toEqual(['agent.json']);
    const { files } = taken('loom', {
      'agent.json': JSON.stringify({
        hooks: { onToolCall: [{ action: 'command', command: './hooks/check.sh --strict' }] },
      }),
      'hooks/check.sh': 'exit 0\n',
      'hooks/lib.sh': '\n',
      'src/main.ts': '\n',
    });
    expect(Object.keys(files).sort()).toEqual(['agent.json', 'hooks/check.sh', 'hooks/lib.sh']);
  });

  it('a settings file that is no JSON is a problem that names it', () => {
    const dir = tempProject({ 'settings.json': '{' });
    expect(convertSystem('framework', join(dir))).toMatchObject({
      problem: expect.stringContaining('settings.json: '),
    });
  });
});
