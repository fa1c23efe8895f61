/**
 * The plugin for Claude Code, which does what `harness install claude-code --user` does without a change of settings, and the
 * marketplace file by which `claude plugin marketplace add` finds it in this repository.
 */
import { readFileSync } from 'node:fs';
import { agent } from '../src/agents/claude-code/agent.ts';
import { guardLine, POSIX } from '../src/agents/guard-line.ts';
import { group, isToolEvent } from '../src/agents/install/hook-lists.ts';
import { guardText, rowsUnder } from '../src/agents/install/registrations.ts';

const FOLDER = 'editors/claude-code';
const ABOUT = 'Judges the prompts, calls and results of Claude Code by your Harness policy.';
const TIMEOUT_S = 15;
const IN_PLUGIN = { ...POSIX, runAt: (path: string) => `sh "\${CLAUDE_PLUGIN_ROOT}/${path}" ` };

export function claudePlugin(): Map<string, string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { adapter } = agent;
  const plugin = {
    name: 'harness',
    description: ABOUT,
    version,
    license: 'MIT',
    author: { name: 'Harness' },
  };
  const hooks = rowsUnder(adapter, () => false).map((row) => [
    row.native,
    [
      group(
        {
          type: 'command',
          command: guardLine({ adapter, row, guard: 'guard' }, IN_PLUGIN),
          timeout: TIMEOUT_S,
          ...(row.honours.block && { onFailure: 'block' }),
        },
        isToolEvent(row) ? '*' : null,
      ),
    ],
  ]);
  const marketplace = {
    name: 'harness',
    description: 'Policy for AI agents.',
    owner: { name: 'Harness' },
    plugins: [{ name: 'harness', source: `./${FOLDER}`, description: ABOUT }],
  };
  return new Map([
    ['.claude-plugin/marketplace.json', json(marketplace)],
    [`${FOLDER}/.claude-plugin/plugin.json`, json(plugin)],
    [`${FOLDER}/hooks/hooks.json`, json({ description: ABOUT, hooks: Object.fromEntries(hooks) })],
    [`${FOLDER}/guard`, guardText('refuse', undefined, { plugin: adapter.agent })],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
