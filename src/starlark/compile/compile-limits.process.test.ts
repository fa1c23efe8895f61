/**
 * Compiling is bounded: by the size of the source, the number of names, the nesting and the clock, and within those it
 * takes time in proportion to the text.
 */
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import { StarlarkError } from '../run/errors.ts';
import { Thread } from '../run/thread.ts';
import { COMPILE_LIMITS } from '../syntax/budget.ts';
import { type CompileOptions, compile, compileExpression } from './program.ts';

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

function errorsOf(text: string, options: CompileOptions = {}): string[] {
  const compiled = compile(new SourceFile('t.star', text), options);
  return compiled.ok
    ? []
    : compiled.errors.map(({ position, message }) => `${position.line}:${position.col} ${message}`);
}

/** CPU seconds: what else the machine does is no matter. */
function cpuSeconds(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function compileAndRun(text: string, backend: 'js' | 'closures'): void {
  const compiled = compile(new SourceFile('t.star', text), { backend });
  if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
  compiled.program.run(new Thread());
}

describe('a source over a limit is refused with one error', () => {
  it('of length', () => {
    const text = `x = "${'a'.repeat(COMPILE_LIMITS.length)}"`;
    expect(errorsOf(text)).toEqual([
      `1:1 source of ${text.length} characters is too long (limit ${COMPILE_LIMITS.length})`,
    ]);
    expect(errorsOf('x = 1', { limits: { length: 4 } })).toHaveLength(1);
    expect(errorsOf('x = 1', { limits: { length: 5 } })).toEqual([]);
    const expression = compileExpression(new SourceFile('e', '1 + 1'), [], { limits: { length: 4 } });
    expect(expression).toMatchObject({ ok: false, errors: [{ message: expect.stringMatching(/too long/) }] });
  });

  it('of names', () => {
    const limits = { names: 3 };
    expect(errorsOf('a = 1\nb = a\nc = b', { limits })).toEqual([]);
    expect(errorsOf('a = 1\nb = a\nc = b\nd = 1', { limits })).toEqual(['4:1 too many names (limit 3)']);
    expect(errorsOf('def f(a, b):\n  c = 1', { limits })).toEqual(['2:3 too many names (limit 3)']);
    expect(errorsOf('x = [len(a) for a in [str(b) for b in []]]', { limits })).toHaveLength(1);
  });

  it('of nesting, which a host can only lower', () => {
    const nested = (depth: number) => `x = ${'('.repeat(depth)}1${')'.repeat(depth)}`;
    expect(errorsOf(nested(30), { limits: { nesting: 40 } })).toEqual([]);
    expect(errorsOf(nested(50), { limits: { nesting: 40 } })[0]).toContain('(limit 40)');
    expect(errorsOf(nested(600), { limits: { nesting: 1000 } })[0]).toContain('(limit 500)');
  });

  it('of time, also when it is translated only by its first run', () => {
    const text = `x = [${'1, '.repeat(20_000)}]`;
    expect(errorsOf(text, { limits: { time: -1 } })).toEqual(['1:1 compiling took longer than -1 ms']);
    const late = { time: 1e6 };
    const compiled = compile(new SourceFile('t.star', text), { limits: late });
    if (!compiled.ok) throw new Error('refused too early');
    late.time = -1;
    expect(() => compiled.program.run(new Thread())).toThrow(
      expect.objectContaining({ kind: 'time', message: 'compiling took longer than -1 ms' }),
    );
    expect(() => compiled.program.async).toThrow(StarlarkError);
  });
});

describe('compiling takes time in proportion to the source', () => {
  it('with thousands of names that nobody declared: hints are made for the errors that are told', () => {
    const text =
      lines(2000, (i) => `name_number_${i} = 1\n`) + lines(2000, (i) => `x_${i} = nome_nomber_${i}\n`);
    let errors: string[] = [];
    expect(cpuSeconds(() => (errors = errorsOf(text)))).toBeLessThan(2);
    expect(errors).toHaveLength(50);
    expect(errors[0]).toBe('2001:7 undefined: nome_nomber_0 (did you mean name_number_0?)');
  });

  it('with two names of 20,000 letters', () => {
    const long = 'a'.repeat(20_000);
    const text = `${long} = 1\nx = ${long.slice(1)}b\n`;
    expect(cpuSeconds(() => expect(errorsOf(text)).toHaveLength(1))).toBeLessThan(1);
  });

  it('with mistakes all on one line: places are found for those that are told', () => {
    const text = `x = [${lines(40_000, (i) => `u${i},`)}]`;
    expect(cpuSeconds(() => expect(errorsOf(text)).toHaveLength(50))).toBeLessThan(2);
  });

  it.each(['js', 'closures'] as const)('with 8,000 functions, back end %s', (backend) => {
    const text = lines(8000, (i) => `def f${i}(): pass\n`);
    expect(cpuSeconds(() => compileAndRun(text, backend))).toBeLessThan(4);
  });

  it('with 8,000 functions that each call the next', () => {
    const text = lines(8000, (i) => `def f${i}(): return f${i + 1}()\n`);
    expect(cpuSeconds(() => compileAndRun(`${text}def f8000(): return len([])\n`, 'closures'))).toBeLessThan(
      4,
    );
  });
});

describe('a program too large for generated JavaScript', () => {
  it.each([
    ['by its nesting of functions', `x = ${'lambda: '.repeat(480)}1\n`],
    ['by its text', `x = [${'[a for a in [1]][0] + 1.5, '.repeat(5000)}]\n`],
  ])('%s runs all the same', (_why, text) => {
    const compiled = compile(new SourceFile('t.star', text));
    if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
    expect(() => compiled.program.run(new Thread())).not.toThrow();
  });
});
