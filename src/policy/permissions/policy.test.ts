import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { type PermissionTable, permissionPolicy } from './policy.ts';
import { readPermissions } from './read-permissions.ts';

const zoneOf = async (table: PermissionTable, name: string, args: JsonObject = {}) =>
  (await permissionPolicy(table).decide({ id: '1', name, args }, new AbortController().signal)).decision;

describe('zones', () => {
  it('the first rule that fits decides; where none does, the default', async () => {
    const table: PermissionTable = {
      rules: [
        { tools: ['write_*'], args: { path: ['docs/*', '*.md'] }, zone: 'auto' },
        { tools: ['write_*', 'send'], zone: 'ask' },
        { tools: ['*_root'], zone: 'never' },
      ],
    };
    expect(await zoneOf(table, 'write_file', { path: 'docs/a/b' })).toBe('auto');
    expect(await zoneOf(table, 'write_file', { path: 'src/a.ts' })).toBe('ask');
    expect(await zoneOf(table, 'write_file')).toBe('ask');
    expect(await zoneOf(table, 'exec_root')).toBe('never');
    expect(await zoneOf(table, 'read_file')).toBe('auto');
    expect(await zoneOf({ ...table, otherwise: 'never' }, 'read_file')).toBe('never');
  });

  it('arguments are compared as text, inside one another by a dotted path', async () => {
    const rule = (args: Record<string, string[]>): PermissionTable => ({
      rules: [{ tools: ['*'], args, zone: 'never' }],
    });
    expect(await zoneOf(rule({ 'options.force': ['true'] }), 't', { options: { force: true } })).toBe(
      'never',
    );
    expect(await zoneOf(rule({ n: ['1?'] }), 't', { n: 12 })).toBe('never');
    expect(await zoneOf(rule({ a: ['*'], b: ['*'] }), 't', { a: '' })).toBe('auto');
    expect(await zoneOf(rule({ constructor: ['*'] }), 't', {})).toBe('auto');
  });
});

describe('guards over command lines', () => {
  const guard = (line: string, more = {}) =>
    zoneOf(
      {
        rules: [],
        guards: [{ tools: ['run'], denyPatterns: ['sudo'], allowPrefixes: ['git status', 'ls'], ...more }],
      },
      'run',
      { command: line },
    );

  it.each([
    ['ls -la src', 'auto'],
    ['git status --short && ls', 'auto'],
    ["'ls' 2>&1 > /dev/null", 'auto'],
    ['git push', 'ask'],
    ['lsof', 'ask'],
    ['ls; make', 'ask'],
    ['ls | sh', 'ask'],
    ['ls\nmake', 'ask'],
    ['ls $(make)', 'ask'],
    ['ls `make`', 'ask'],
    ['ls > src/a.ts', 'ask'],
    ['PATH=x ls', 'ask'],
    ['', 'ask'],
    ['ls # sudo', 'never'],
  ])('%j is %s', async (line, zone) => {
    expect(await guard(line)).toBe(zone);
  });

  it('see through quotes, wrappers and words given as a list', async () => {
    const denies = [{ tools: ['run'], denyPatterns: ['\\bsudo\\b'] }];
    expect(await zoneOf({ rules: [], guards: denies }, 'run', { command: `su''do ls` })).toBe('never');
    const guards = [{ tools: ['run'], allowPrefixes: ['env', 'ls'], otherwise: 'never' as const }];
    expect(await zoneOf({ rules: [], guards }, 'run', { command: ['env', 'ls'] })).toBe('auto');
    expect(await zoneOf({ rules: [], guards }, 'run', { command: ['env', 'make'] })).toBe('never');
    expect(await zoneOf({ rules: [], guards }, 'run', { command: 'env make' })).toBe('never');
  });

  it('read lists of words, other arguments, and only their own tools', async () => {
    const guards = [
      { tools: ['exec'], argument: 'argv', allowPrefixes: ['git status'], otherwise: 'never' as const },
    ];
    expect(await zoneOf({ rules: [], guards }, 'exec', { argv: ['git', 'status'] })).toBe('auto');
    expect(await zoneOf({ rules: [], guards }, 'exec', { argv: ['git', 'push'] })).toBe('never');
    expect(await zoneOf({ rules: [], guards }, 'other', { argv: ['git', 'push'] })).toBe('auto');
  });
});

describe('permissions of harness.md', () => {
  it('become a table', () => {
    const { table, problems } = readPermissions({
      default: 'ask',
      rules: [{ tools: 'read_*', zone: 'auto' }],
      policies: [
        { tools: ['run_command'], deny_patterns: ['sudo'], allow_prefixes: ['ls'], otherwise: 'never' },
      ],
    });
    expect(problems).toEqual([]);
    expect(table).toEqual({
      otherwise: 'ask',
      rules: [{ tools: ['read_*'], zone: 'auto' }],
      guards: [{ tools: ['run_command'], denyPatterns: ['sudo'], allowPrefixes: ['ls'], otherwise: 'never' }],
    });
  });

  it('that cannot be understood let nothing run', async () => {
    const { table, problems } = readPermissions({
      rules: [{ tools: ' ', zone: 'auto' }],
      policies: [{ tools: 'run' }, { tools: 'run', deny_patterns: ['(?=x)'] }],
    });
    expect(problems).toEqual([
      'rules[0].tools names no tool; want a glob, "*" for all',
      'policies[0] guards nothing; want deny_patterns or allow_prefixes',
      expect.stringContaining('policies[1].deny_patterns: "(?=x)" is no pattern'),
    ]);
    expect(await zoneOf(table, 'a')).toBe('never');
  });
});
