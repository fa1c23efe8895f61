import { describe, expect, it } from 'vitest';
import type { ToolRow } from './adapter.ts';
import { toCanonical, toNativeInput } from './tools.ts';

const TOOLS: readonly ToolRow[] = [
  { native: 'Edit', name: 'edit_file', args: { file_path: 'path', old_string: 'old', new_string: 'new' } },
];
const INPUT = { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true };

describe('tools under their canonical names', () => {
  it('renames the arguments of the table and keeps the others', () => {
    expect(toCanonical(TOOLS, 'Edit', INPUT)).toEqual({
      name: 'edit_file',
      args: { path: '/a', old: 'x', new: 'y', replace_all: true },
    });
  });

  it('says which shell reads the command, and takes a rewrite back without it', () => {
    const tools: readonly ToolRow[] = [
      { native: 'PowerShell', name: 'run_command', args: { command: 'command' }, shell: 'powershell' },
    ];
    expect(toCanonical(tools, 'PowerShell', { command: 'ls' })).toEqual({
      name: 'run_command',
      args: { command: 'ls', shell: 'powershell' },
    });
    expect(
      toNativeInput(tools, 'PowerShell', { command: 'ls' }, { command: 'dir', shell: 'powershell' }),
    ).toEqual({ command: 'dir' });
  });

  it('leaves a tool that is in no table as it is', () => {
    expect(toCanonical(TOOLS, 'mcp__a__b', INPUT)).toEqual({ name: 'mcp__a__b', args: INPUT });
  });

  it('does not let an argument with a canonical name hide the one the tool reads', () => {
    const hiding = { path: '/harmless', file_path: '/etc/passwd' };
    expect(toCanonical(TOOLS, 'Edit', hiding).args).toEqual({ path: '/etc/passwd' });
    expect(
      toCanonical(TOOLS, 'Edit', { ...hiding, file_path: undefined as never }).args.path,
    ).toBeUndefined();
  });
});

describe('a rewrite in the words of the agent', () => {
  it('writes what was changed back and leaves the rest', () => {
    const { args } = toCanonical(TOOLS, 'Edit', INPUT);
    expect(toNativeInput(TOOLS, 'Edit', INPUT, { ...args, path: '/b' })).toEqual({
      ...INPUT,
      file_path: '/b',
    });
    expect(toNativeInput(TOOLS, 'Edit', INPUT, args)).toEqual(INPUT);
  });

  it('takes away what was taken away, and adds what was added', () => {
    const changed = { path: '/a', new: 'y', extra: 1 };
    expect(toNativeInput(TOOLS, 'Edit', INPUT, changed)).toEqual({
      file_path: '/a',
      new_string: 'y',
      extra: 1,
    });
  });

  it('works for tools of no table', () => {
    expect(toNativeInput(TOOLS, 'other', { a: 1, b: 2 }, { a: 3 })).toEqual({ a: 3 });
  });
});
