/**
 * Which arguments of which tools are commands, code or queries.
 */
import { expect, it } from 'vitest';
import { asCommand } from './tool-call.ts';

it.each([
  ['python', { code: 'print(1)' }, [['python3', '-c', 'print(1)']]],
  ['execute_code', { code: 'x' }, [['python3', '-c', 'x']]],
  ['execute_code', { code: 'x', language: 'javascript' }, [['node', '-e', 'x']]],
  ['mcp__postgres__query', { query: 'select 1' }, [['psql', '-c', 'select 1']]],
  [
    'execute_sql',
    { statements: ['a', 'b'] },
    [
      ['psql', '-c', 'a'],
      ['psql', '-c', 'b'],
    ],
  ],
])('%s %j runs what it is given', (tool, args, commands) => {
  expect(asCommand(tool, args)).toEqual({ ...args, commands });
});

it.each([
  ['web_search', { query: 'rm -rf /' }],
  ['save_snippet', { code: 'x' }],
  ['run_commands', { commands: ['ls'] }],
  ['read_file', { path: 'a' }],
])('%s %j runs nothing more', (tool, args) => {
  expect(asCommand(tool, args)).toEqual(args);
});

it('a shell by its name runs its one text', () => {
  expect(asCommand('bash', { input: 'ls' })).toEqual({ command: 'ls' });
});
