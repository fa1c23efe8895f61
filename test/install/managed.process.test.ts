/** `install --managed`: the files for the machines of an administrator, the guard in them, and who may write them. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { ALL_AGENTS } from '../../src/agents/all-agents.ts';
import { MARK } from '../../src/agents/guard-line.ts';
import { rowsUnder } from '../../src/agents/install/registrations.ts';
import { SAMPLES } from '../adapters/launched.ts';
import { remove } from '../support/remove.ts';

function administrator() {
  const home = mkdtempSync(join(tmpdir(), 'harness-managed-'));
  onTestFinished(() => remove(home));
  const env = { PATH: process.env.PATH ?? '', HOME: home, HARNESS_DAEMON: 'off' };
  return {
    home,
    env,
    out: join(home, 'rollout'),
    harness: (...args: readonly string[]) =>
      spawnSync(process.execPath, [CLI_FILE, ...args], { cwd: home, env, encoding: 'utf8' }),
  };
}

const THOSE = ['claude-code', 'codex', 'copilot', 'cursor', 'gemini-cli', 'qwen-code'];

/** Files below a folder, without those of the engine. */
function filesBelow(folder: string, path = ''): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .flatMap((entry) => {
      const name = join(path, entry.name);
      if (name === 'etc/harness/engine') return [];
      return entry.isDirectory() ? filesBelow(folder, name) : [name];
    })
    .sort();
}

describe('install --managed --out', () => {
  it('writes what an administrator rolls out, each file where its agent reads it, for everybody to read', () => {
    const { harness, out, home } = administrator();
    const { status, stdout, stderr } = harness('install', ...THOSE, '--managed', '--out', 'rollout');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('put the policy of the machines into');
    expect(filesBelow(out)).toEqual([
      'etc/claude-code/managed-settings.d/harness.json',
      'etc/codex/hooks.json',
      'etc/codex/requirements.toml',
      'etc/cursor/hooks.json',
      'etc/gemini-cli/settings.json',
      'etc/github-copilot/policy.d/harness.json',
      'etc/harness/guard',
      'etc/qwen-code/settings.json',
    ]);
    for (const file of filesBelow(out)) {
      expect(readFileSync(join(out, file), 'utf8')).not.toContain(home);
      expect(statSync(join(out, file)).mode & 0o777).toBe(file.endsWith('guard') ? 0o755 : 0o644);
    }
    expect(existsSync(join(out, 'etc/harness/engine/current/dist/cli/hook.cjs'))).toBe(true);
    expect(existsSync(join(home, '.local'))).toBe(false);
  });

  it.each(THOSE)('%s: every event runs the guard of the machine by its path', (agent) => {
    const { harness, out } = administrator();
    expect(harness('install', agent, '--managed', '--out', 'rollout').status).toBe(0);
    const { adapter } = ALL_AGENTS.find((one) => one.adapter.agent === agent)!;
    const text = filesBelow(out)
      .filter((file) => file !== 'etc/harness/guard')
      .map((file) => readFileSync(join(out, file), 'utf8'))
      .join('\n');
    for (const { native } of rowsUnder(adapter, () => false))
      expect(text).toContain(`sh /etc/harness/guard ${agent} ${native};[ $? = 9 ]||`);
  });

  it('says of each agent the switch that lets hooks run, so that no user of the machine turns it', () => {
    const { harness, out } = administrator();
    harness('install', 'codex', 'gemini-cli', 'qwen-code', '--managed', '--out', 'rollout');
    const read = (file: string) => readFileSync(join(out, 'etc', file), 'utf8');
    expect(read('codex/requirements.toml')).toBe('[features]\nhooks = true\n');
    expect(JSON.parse(read('gemini-cli/settings.json'))).toMatchObject({ hooksConfig: { enabled: true } });
    expect(JSON.parse(read('qwen-code/settings.json'))).toMatchObject({ disableAllHooks: false });
  });

  it('says what a user can still do about it, where there is something', () => {
    const { harness } = administrator();
    const said = (agent: string) => harness('install', agent, '--managed', '--out', 'rollout').stdout;
    expect(said('gemini-cli')).toContain(
      'by hooksConfig.disabled, a folder that is not trusted, or GEMINI_CLI_',
    );
    expect(said('qwen-code')).toContain('--bare, or QWEN_CODE_SYSTEM_SETTINGS_PATH');
    expect(said('codex')).not.toContain('can still');
  });

  it('registers the events that a policy beside the files has hooks on', () => {
    const { harness, out } = administrator();
    const hooks = join(out, 'etc/harness/hooks');
    mkdirSync(hooks, { recursive: true });
    const script = 'def handle(event, payload):\n    return allow()';
    writeFileSync(
      join(hooks, 'told.md'),
      `---\nevent: native.notification\npriority: 1\nscript: |\n  ${script.replace('\n', '\n  ')}\n---\n`,
    );
    expect(harness('install', 'gemini-cli', '--managed', '--out', 'rollout').status).toBe(0);
    expect(readFileSync(join(out, 'etc/gemini-cli/settings.json'), 'utf8')).toContain('Notification');
  });

  it('adds to settings that an administrator wrote there, and changes nothing when it is run again', () => {
    const { harness, out } = administrator();
    mkdirSync(join(out, 'etc/gemini-cli'), { recursive: true });
    mkdirSync(join(out, 'etc/codex'), { recursive: true });
    const [settings, requirements] = ['gemini-cli/settings.json', 'codex/requirements.toml'].map((file) =>
      join(out, 'etc', file),
    ) as [string, string];
    writeFileSync(settings, '{\n  // ours\n  "tools": { "sandbox": true }\n}\n');
    writeFileSync(requirements, 'allowed_sandbox_modes = ["read-only"]\n\n[features]\nplugins = false\n');
    const install = () => harness('install', 'gemini-cli', 'codex', '--managed', '--out', 'rollout');
    expect(install().status).toBe(0);
    const texts = [settings, requirements].map((file) => readFileSync(file, 'utf8'));
    expect(texts[0]).toContain('// ours\n  "tools": { "sandbox": true }');
    expect(texts[1]).toBe(
      'allowed_sandbox_modes = ["read-only"]\n\n[features]\nhooks = true\nplugins = false\n',
    );
    expect(install().status).toBe(0);
    expect([settings, requirements].map((file) => readFileSync(file, 'utf8'))).toEqual(texts);
  });

  it('refuses an agent from which its users can take every hook, and options that contradict', () => {
    const { harness, out } = administrator();
    for (const agent of ['cline', 'opencode', 'pi', 'goose']) {
      const { status, stderr } = harness('install', agent, '--managed', '--out', 'rollout');
      expect(status).toBe(2);
      expect(stderr).toContain(`--managed is for ${'claude-code'}`);
    }
    expect(harness('install', 'codex', '--managed', '--user').status).toBe(2);
    expect(harness('install', 'codex', '--out', 'rollout').stderr).toContain('--out goes with --managed');
    expect(existsSync(out)).toBe(false);
  });

  it('on this machine it wants a policy of the machine first', () => {
    const { harness } = administrator();
    const { status, stderr } = harness('install', 'claude-code', '--managed', '--print');
    expect(status).toBe(2);
    expect(stderr).toContain('harness init /etc/harness');
  });
});

describe('the guard of a machine', () => {
  const input = JSON.stringify({ ...SAMPLES.PreToolUse, cwd: '/' });
  const rolledOut = () => {
    const one = administrator();
    one.harness('install', 'claude-code', '--managed', '--out', 'rollout');
    const folder = join(one.out, 'etc/harness');
    const fire = (env: Readonly<Record<string, string>> = {}) =>
      spawnSync('sh', [join(folder, 'guard'), 'claude-code', 'PreToolUse'], {
        env: { ...one.env, ...env },
        encoding: 'utf8',
        input,
      });
    return {
      ...one,
      folder,
      fire,
      node: () => symlinkSync(process.execPath, join(folder, 'engine/current/node')),
    };
  };

  it('asks for the policy of the machine, and refuses where there is none', () => {
    const { fire, node } = rolledOut();
    node();
    expect(fire().stdout).toContain('the policy of this machine is gone: none in /etc/harness');
  });

  it('runs no engine, no Node option and no command of its user', () => {
    const { fire, node, home } = rolledOut();
    node();
    const says = `process.stdout.write(${JSON.stringify(MARK)}); process.exit(0);`;
    const copy = join(home, '.local/state/harness/engine/current');
    mkdirSync(join(copy, 'dist/cli'), { recursive: true });
    writeFileSync(join(copy, 'dist/cli/hook.cjs'), says);
    writeFileSync(join(copy, 'package.json'), '{\n  "version": "99.0.0"\n}\n');
    writeFileSync(join(home, 'first.cjs'), says);
    for (const name of ['harness-hooks', 'node'])
      writeFileSync(join(home, name), `#!/bin/sh\nprintf '${MARK}'\nexit 0\n`, { mode: 0o755 });
    const { stdout } = fire({
      NODE_OPTIONS: `--require ${join(home, 'first.cjs')}`,
      PATH: `${home}:/usr/bin:/bin`,
    });
    expect(stdout).toContain('the policy of this machine is gone');
  });

  it('refuses where its engine is missing, and says who has to mend that', () => {
    const { fire, folder } = rolledOut();
    remove(join(folder, 'engine'));
    expect(fire().stdout + fire().stderr).toContain(
      'An administrator has to run: harness install claude-code --managed',
    );
  });
});
