/** A switch of the agent that keeps another hook of ours from running: the gates of the session refuse. Each event is a process. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { hook, launch, project } from './launched.ts';

const ALLOWS = hook('tool.pre', 'return allow()');
const PAYLOADS = JSON.parse(
  readFileSync(new URL('payloads/gemini-cli.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>;

function gemini() {
  const one = project({ '.harness/hooks/rule.md': ALLOWS });
  const home = dirname(one.dir);
  const settings = (where: string, value: JsonObject) => {
    const file = join(where, '.gemini/settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  };
  const fire = (event: string, session = 'session') =>
    launch(
      ['gemini-cli', event, '--dir', one.dir],
      JSON.stringify({ ...PAYLOADS[event], cwd: one.dir, session_id: session }),
      home,
    );
  return { ...one, home, settings, fire };
}

const OURS = { hooksConfig: { disabled: ['harness-BeforeTool'] } };

describe('a switch that is on while some of our hooks still run', () => {
  it.each(['project', 'home'])(
    'refuses prompts and calls, and says which setting of the %s it is',
    async (where) => {
      const one = gemini();
      const folder = where === 'project' ? one.dir : one.home;
      one.settings(folder, OURS);
      for (const event of ['BeforeAgent', 'BeforeTool']) {
        const { stdout } = await one.fire(event);
        expect(stdout).toContain(`${join(folder, '.gemini/settings.json')}: hooksConfig.disabled is set`);
        expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
      }
      expect(JSON.stringify(one.tape())).toContain('hooksConfig.disabled is set');
    },
  );

  it('lets a result pass, and an end of the session: refusing them undoes nothing', async () => {
    const one = gemini();
    one.settings(one.dir, OURS);
    for (const event of ['AfterTool', 'AfterAgent', 'SessionEnd'])
      expect((await one.fire(event)).stdout).not.toContain('switched off');
  });

  it.each([
    ['nothing is set', {}],
    ['a hook of somebody else is switched off', { hooksConfig: { disabled: ['lint'] } }],
    ['all hooks are switched off, which this one shows to be untrue', { hooksConfig: { enabled: false } }],
    ['other settings stand there', { security: { folderTrust: { enabled: true } }, theme: 'Dracula' }],
  ])('is silent where %s', async (_what, value) => {
    const one = gemini();
    one.settings(one.dir, value);
    for (const event of ['BeforeAgent', 'BeforeTool'])
      expect(await one.fire(event)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is noticed when it is set in mid-session, and forgotten when it is taken out', async () => {
    const one = gemini();
    one.settings(one.dir, {});
    expect((await one.fire('BeforeAgent')).stdout).toBe('');
    one.settings(one.dir, OURS);
    expect((await one.fire('BeforeTool')).stdout).toContain('hooksConfig.disabled is set');
    one.settings(one.dir, {});
    expect((await one.fire('BeforeTool')).stdout).toBe('');
  });
});
