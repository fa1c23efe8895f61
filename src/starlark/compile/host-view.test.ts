/**
 * What a host's functions and objects learn of the script that uses them: where they were called, on which thread, and
 * what its module has bound so far.
 */
import { describe, expect, it } from 'vitest';
import { formatPosition, SourceFile } from '../../base/source.ts';
import { call } from '../run/call.ts';
import { builtin } from '../run/signature.ts';
import { Thread } from '../run/thread.ts';
import { freezeModule } from '../values/freeze.ts';
import { Module } from '../values/struct.ts';
import { type ReprWriter, StarObject, type Value } from '../values/value.ts';
import { type CompileOptions, compile } from './program.ts';

/** An object of a host that tells which threads asked it. */
class Probe extends StarObject {
  readonly type = 'probe';
  readonly seen: (Thread | null)[] = [];
  override attr(name: string, thread: Thread | null): Value | undefined {
    this.seen.push(thread);
    if (name === 'where') return where;
    return name === 'field' ? 1 : undefined;
  }
  override attrNames(): readonly string[] {
    return ['field', 'where'];
  }
  override writeRepr(out: ReprWriter, thread: Thread | null): void {
    this.seen.push(thread);
    out.text('<probe>');
  }
}

const where = builtin('where', '*args, **kwargs', (thread) => {
  const caller = thread.caller();
  return caller === null ? 'the host' : `${caller.function} at ${formatPosition(caller.position!)}`;
});

function runWith(text: string, options: CompileOptions): { module: Module; thread: Thread } {
  const compiled = compile(new SourceFile('t.star', text), options);
  if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
  const thread = new Thread();
  return { module: compiled.program.run(thread) as Module, thread };
}

describe.each(['js', 'closures'] as const)('a built-in called by the %s back end', (backend) => {
  const probe = new Probe();
  const environment = new Map<string, Value>([
    ['where', where],
    ['host', new Module('host', new Map([['where', where]]))],
    ['probe', probe],
    [
      'twice',
      builtin('twice', 'fn', (thread, fn) => {
        const before = thread.caller()!.position!.line;
        call(thread, fn, []);
        return [before, thread.caller()!.position!.line].join(' ');
      }),
    ],
    [
      'publish',
      builtin('publish', '', (thread) => {
        freezeModule(thread);
        return null;
      }),
    ],
  ]);
  const run = (text: string) => runWith(text, { backend, environment });
  const globalOf = (text: string, name = 'x') => run(text).module.globals.get(name);

  it.each([
    ['by its name', 'x = where()', '<toplevel> at t.star:1:10'],
    [
      'with arguments that call too',
      'def f(): return 1\n\nx = where(f(), len([]))',
      '<toplevel> at t.star:3:10',
    ],
    ['with keywords', 'x = where(a = 1)', '<toplevel> at t.star:1:10'],
    ['with a spread', 'x = where(*[1, 2])', '<toplevel> at t.star:1:10'],
    ['in a function', 'def f():\n  y = 1\n  return where(y)\nx = f()', 'f at t.star:3:15'],
    [
      'in a function inside a function',
      'def f():\n  g = lambda: where()\n  return g()\nx = f()',
      'lambda at t.star:2:20',
    ],
    ['as a member of a module', 'x = host.where()', '<toplevel> at t.star:1:15'],
    ['as a member of an object', 'x = probe.where(1)', '<toplevel> at t.star:1:16'],
    ['as a value', 'y = [where]\nx = y[0]()', '<toplevel> at t.star:2:9'],
    ['as a value with three arguments', 'y = [where]\nx = y[0](1, 2, 3)', '<toplevel> at t.star:2:9'],
    ['as the key of a sort', 'x = sorted([1], key = where) and max([1], key = where)', '1'],
    ['by a comprehension', 'x = [where() for _ in range(2)][1]', '<toplevel> at t.star:1:11'],
  ])('%s learns where', (_how, text, wanted) => {
    expect(String(globalOf(text))).toBe(wanted);
  });

  it('learns it of the sort that it is the key of', () => {
    expect(
      globalOf('y = []\ndef key(v):\n  return where()\nx = max([1], key = key) and min([1, 2], key = where)'),
    ).toBe(1);
    const seen: string[] = [];
    const spy = builtin('spy', 'x', (thread, x) => {
      seen.push(formatPosition(thread.caller()!.position!));
      return x;
    });
    runWith('x = sorted([2, 1],\n  key = spy)', { backend, environment: new Map([['spy', spy]]) });
    expect(seen).toEqual(['t.star:1:11', 't.star:1:11']);
  });

  it('is where it was after it has called back', () => {
    expect(globalOf('def g():\n  where()\n  where()\n\nx = twice(g)')).toBe('5 5');
  });

  it('learns of nobody when the host calls it', () => {
    expect(call(new Thread(), where, [])).toBe('the host');
  });

  it('is one of an object that is told the thread', () => {
    probe.seen.length = 0;
    const { thread, module } = run(
      'def f(p): return [p.field, getattr(p, "field"), hasattr(p, "none"), str(p)]\n',
    );
    call(thread, module.globals.get('f')!, [probe]);
    expect(probe.seen).toEqual([thread, thread, thread, thread]);
  });

  it('can freeze the module that is running, as far as it has come', () => {
    expect(() => run('a = [1]\npublish()\na.append(2)\n')).toThrow('cannot append to frozen list');
    expect(() => run('a = [1]\ndef f():\n  publish()\n  a.append(2)\nf()')).toThrow(
      'cannot append to frozen list',
    );
    // What is bound later is not frozen yet, and neither is another run.
    expect(globalOf('a = [1]\npublish()\nb = [2]\nb.append(3)\nx = len(b)')).toBe(2);
    expect(globalOf('a = [1]\na.append(2)\nx = len(a)')).toBe(2);
    expect(() => freezeModule(new Thread())).not.toThrow();
  });
});
