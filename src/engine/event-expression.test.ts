import { describe, expect, it } from 'vitest';
import { compileEventExpression } from './event-expression.ts';

const event = {
  event: 'PreToolUse',
  tool: { name: 'exec_root', args: { path: '/etc/passwd', count: 3, force: false, list: [] } },
  session: { id: 's1' },
};
const step = { event: 'PreStep', target: 'merge_bot.audit', persona: 'merge_bot' };

const matches = (pattern: string, seen: unknown = event) => compileEventExpression(pattern).test(seen);

describe('a pattern over an event', () => {
  it.each([
    ['', true],
    ['*', true],
    ['exec_*', true],
    ['read_*', false],
    ['exec_root', true],
    ['tool.name == "exec_root"', true],
    ['tool.name == "exec"', false],
    ['tool.name != "exec_root"', false],
    ["tool.name != 'other'", true],
    ['tool.args.path =~ "^/etc/"', true],
    ['tool.args.path=~"^/usr/"', false],
    ['tool.args.count == "3"', true],
    ['tool.args.missing == ""', true],
    ['tool.args.missing != ""', false],
    ['tool.args.path', true],
    ['tool.args.force', false],
    ['tool.args.list', false],
    ['tool.args.missing', false],
    ['tool.args.constructor', false],
    ['session.id == "s1"', true],
  ])('[C041] %s: %s', (pattern, expected) => {
    expect(matches(pattern)).toBe(expected);
  });

  it('[C042] matches the target of a step by glob, before anything else', () => {
    expect(matches('merge_*', step)).toBe(true);
    expect(matches('merge_bot.audit', step)).toBe(true);
    expect(matches('deploy_*', step)).toBe(false);
  });

  it('matches a tool whose name looks like a path', () => {
    expect(matches('fs.read', { tool: { name: 'fs.read' } })).toBe(true);
    expect(matches('fs.*', { tool: { name: 'fs.read' } })).toBe(true);
  });

  it.each(['tool.name =~ "("', 'tool.name =~ "(?<=a)b"', 'tool.name == exec', 'tool.name =~'])(
    '[C044] %s is broken: it never matches and says why',
    (pattern) => {
      const compiled = compileEventExpression(pattern);
      expect(compiled.test(event)).toBe(false);
      expect(compiled.problem).toMatch(/broken|wanted/);
    },
  );

  it('names the one tool a plain name stands for', () => {
    expect(compileEventExpression('exec_root').toolName).toBe('exec_root');
    expect(
      ['exec_*', '*', 'tool.name', 'tool.name == "x"'].map((p) => compileEventExpression(p).toolName),
    ).toEqual([null, null, null, null]);
  });
});
