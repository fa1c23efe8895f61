import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { Builtin, Module } from '../../starlark/index.ts';
import { loadAgentProject } from '../config/load-agent.ts';
import { TOOL_BUILTINS } from './environment.ts';

const reference = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/reference');
const page = (name: string) => readFileSync(join(reference, name), 'utf8');
const example = (name: string) => /^```md\n([\s\S]*?)^```$/m.exec(page(name))![1]!;

function signatures(name: string): string[] {
  const module = TOOL_BUILTINS.get(name);
  if (!(module instanceof Module)) return [];
  return [...module.globals.values()].map((member) =>
    member instanceof Builtin ? `${member.name}(${member.signature.text})` : '',
  );
}

describe('what a tool can use', () => {
  it('is what a hook can, without the decisions, and files and programs', () => {
    const names = [...TOOL_BUILTINS.keys()];
    expect(names).toEqual(
      expect.arrayContaining(['fs', 'exec', 'http', 'cache', 'metrics', 'log', 'emit', 'time']),
    );
    for (const decision of ['allow', 'block', 'modify', 'ask', 'delegate', 'permit']) {
      expect(names).not.toContain(decision);
    }
  });

  it('is in the reference, signature by signature', () => {
    const listed = [...page('tool-artifact.md').matchAll(/^\| `((?:fs|exec|meta)\.[^`]*)` \|/gm)].map(
      (row) => row[1],
    );
    expect(listed).toEqual([...signatures('fs'), ...signatures('exec'), ...signatures('meta')]);
  });
});

describe('the examples of the reference', () => {
  it('load without a problem', async () => {
    const agent = await loadAgentProject(
      tempProject({
        'harness.md': example('harness-md.md'),
        'docs/style.md': 'Two spaces.',
        '.harness/tools/find_files.md': example('tool-artifact.md'),
        '.harness/tools/run_command.md': example('tool-artifact.md'),
      }),
    );
    expect(agent.problems.filter(({ code }) => code !== 'PROJECT_EMPTY')).toEqual([]);
    expect(agent.tools.map((tool) => tool.name)).toEqual(['find_files', 'run_command']);
    expect(agent.config.session.system).toContain('You keep this repository tidy.');
  });
});
