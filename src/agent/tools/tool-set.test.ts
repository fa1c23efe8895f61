import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { defineTool } from './define-tool.ts';
import { CLOSED_POLICY, idlePatterns, type ToolsPolicy, toolSet, toolsPolicy } from './tool-set.ts';

const NAMES = ['read_file', 'write_file', 'run_command', 'git__push', 'git__log'];
const tools = NAMES.map((name) => defineTool({ name, description: name, run: (): Json => name }));

const offered = (given: Partial<ToolsPolicy>) =>
  toolSet(tools, toolsPolicy(given)).offered.map((tool) => tool.name);

describe('tools_policy', () => {
  it.each<[string, Partial<ToolsPolicy>, string[]]>([
    ['nothing said offers everything', {}, NAMES],
    [
      'a list of what is allowed is all that is allowed [C142]',
      { allow: ['*_file'] },
      ['read_file', 'write_file'],
    ],
    [
      'what is denied is not offered [C142]',
      { deny: ['git__*', 'run_command'] },
      ['read_file', 'write_file'],
    ],
    [
      'deny beats allow',
      { allow: ['*'], deny: ['git__push'] },
      ['read_file', 'write_file', 'run_command', 'git__log'],
    ],
    ['an allowlist that allows nothing offers nothing', { mode: 'allowlist' }, []],
    ['a denylist does not ask what is allowed', { mode: 'denylist', allow: ['read_file'] }, NAMES],
    ['classes and single characters', { allow: ['[rw]*_fil?'] }, ['read_file', 'write_file']],
  ])('%s', (_, given, names) => {
    expect(offered(given)).toEqual(names);
  });

  it('says why a tool is not offered', () => {
    const { denied } = toolSet(tools.slice(0, 2), toolsPolicy({ allow: ['read_*'] }));
    expect(denied).toEqual([{ tool: tools[1], why: 'tools_policy does not allow it' }]);
    expect(toolSet(tools.slice(0, 1), CLOSED_POLICY).denied[0]?.why).toBe('tools_policy denies "*"');
  });

  it('takes the first of two tools with one name', () => {
    const second = defineTool({ name: 'read_file', description: 'another', run: (): Json => 0 });
    expect(toolSet([...tools, second]).offered.map((tool) => tool.description)).toEqual(NAMES);
  });

  it('finds patterns that name nothing, with the nearest name', () => {
    const policy = toolsPolicy({ allow: ['*', 'read_fil'], deny: ['exec_*', 'run_command'] });
    expect(idlePatterns(policy, NAMES)).toEqual([
      { list: 'allow', pattern: 'read_fil', hint: 'read_file' },
      { list: 'deny', pattern: 'exec_*', hint: undefined },
    ]);
  });
});
