import { describe, expect, it } from 'vitest';
import { AGENT_NAMES, bothNames, callNames, indexNames, namesTool, toolGlob } from './tool-names.ts';

const CLAUDE = { name: 'run_command', own: 'Bash' };
const CODEX = { name: 'run_command', own: 'exec_command' };
const NOTEBOOK = { name: 'edit_file', own: 'NotebookEdit' };
const OF_THE_POLICY = { name: 'run_command', own: null };

describe('the names of a tool', () => {
  it('are each listed once, and none is the canonical name of a tool', () => {
    const listed = Object.values(AGENT_NAMES).flatMap(({ same, narrower }) => [...same, ...narrower]);
    const all = [...listed, ...Object.keys(AGENT_NAMES)];
    expect(new Set(all).size).toBe(all.length);
  });

  it('of a call are the canonical one and the agent’s own, which a call without an agent does not have', () => {
    expect(callNames({ name: 'run_command', native: { name: 'Bash' } })).toEqual(CLAUDE);
    expect(callNames({ name: 'run_command', native: { protocol: 'mcp' } })).toEqual(OF_THE_POLICY);
    expect(callNames({ name: 'run_command', native: 'Bash' })).toEqual(OF_THE_POLICY);
    expect(callNames({ agent: 'x' })).toBeNull();
    expect(callNames('a prompt')).toBeNull();
  });

  it('a literal names the tool by its canonical name, by the agent’s own and by a synonym of the whole tool', () => {
    for (const call of [CLAUDE, CODEX]) {
      const literals = ['run_command', 'Bash', 'shell', 'exec_command', 'run_shell_command'];
      expect(literals.filter((literal) => !namesTool(call, literal))).toEqual([]);
      expect(namesTool(call, 'Edit')).toBe(false);
      expect(namesTool(call, 'bash -c')).toBe(false);
    }
  });

  it('a name of something narrower names itself only', () => {
    expect(namesTool(NOTEBOOK, 'NotebookEdit')).toBe(true);
    expect(namesTool(NOTEBOOK, 'Edit')).toBe(true);
    expect(namesTool(NOTEBOOK, 'MultiEdit')).toBe(false);
    expect(namesTool({ name: 'edit_file', own: 'Edit' }, 'NotebookEdit')).toBe(false);
    expect(namesTool({ name: 'delegate', own: 'Agent' }, 'Task')).toBe(false);
    expect(namesTool({ name: 'list_files', own: 'Glob' }, 'LS')).toBe(false);
  });

  it('a tool of the policy or of the embedding program has its one name', () => {
    expect(namesTool(OF_THE_POLICY, 'run_command')).toBe(true);
    expect(namesTool(OF_THE_POLICY, 'Bash')).toBe(false);
    expect(namesTool({ name: 'Bash', own: null }, 'run_command')).toBe(false);
  });

  it('a glob is tried on both names, and one without wildcards is a literal', () => {
    expect([CLAUDE, CODEX, OF_THE_POLICY].map(toolGlob('Ba*'))).toEqual([true, false, false]);
    expect([CLAUDE, CODEX, OF_THE_POLICY].map(toolGlob('run_*'))).toEqual([true, true, true]);
    expect([CLAUDE, CODEX, OF_THE_POLICY].map(toolGlob('Bash'))).toEqual([true, true, false]);
    expect([CLAUDE, OF_THE_POLICY].map(bothNames)).toEqual([['run_command', 'Bash'], ['run_command']]);
  });

  it('an index has a synonym under the canonical name too, and every other name under itself', () => {
    expect(indexNames(['Bash', 'shell', 'NotebookEdit', 'send'])).toEqual([
      ...['Bash', 'run_command', 'shell'],
      ...['NotebookEdit', 'send'],
    ]);
  });
});
