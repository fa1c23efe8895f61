/**
 * Programs as hosts use them: fresh scopes, loading, waiting, catching, counting.
 */
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import { attempt, call } from '../run/call.ts';
import { StarlarkError } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import { Thread } from '../run/thread.ts';
import { Dict } from '../values/dict.ts';
import { wrapJson } from '../values/json-view.ts';
import { List } from '../values/list.ts';
import { Module } from '../values/struct.ts';
import type { Value } from '../values/value.ts';
import { type CompileOptions, compile, compileExpression, type Program } from './program.ts';

const BACKENDS = ['js', 'closures'] as const;

function program(text: string, options: CompileOptions, name = 't.star'): Program {
  const compiled = compile(new SourceFile(name, text), options);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  return compiled.program;
}

/** Host functions that answer at once, and later. */
const HOST = new Map<string, Value>([
  ['later', builtin('later', 'x, /', async (_, x) => x, { async: true })],
  [
    'reject',
    builtin('reject', '', async () => Promise.reject(new StarlarkError('eval', 'too late')), { async: true }),
  ],
  ['effect', builtin('effect', '', () => null, { pure: false })],
  ['liar', builtin('liar', '', () => Promise.resolve(1))],
  [
    'members',
    new Module(
      'members',
      new Map<string, Value>([
        ['later', builtin('later', 'x, /', async (_, x) => x, { async: true })],
        ['now', builtin('now', 'x, /', (_, x) => x)],
      ]),
    ),
  ],
  [
    'catch',
    builtin('catch', 'fn, /', (thread, fn) => {
      const result = attempt(thread, () => call(thread, fn, []) as Value);
      return result.ok ? result.value : result.error.message;
    }),
  ],
]);

describe.each(BACKENDS)('a program of the %s back end', (backend) => {
  const options: CompileOptions = { backend, environment: HOST };
  const run = (text: string, more: CompileOptions = {}) => {
    const thread = new Thread();
    return { thread, module: program(text, { ...options, ...more }).run(thread) as Module };
  };

  it('has a scope of its own for each run, frozen when the run is over', () => {
    const compiled = program('l = []\ndef add(x):\n  l.append(x)\n  return l', options);
    const [first, second] = [compiled.run(new Thread()), compiled.run(new Thread())] as [Module, Module];
    expect(first.globals.get('l')).not.toBe(second.globals.get('l'));
    expect(() => call(new Thread(), first.globals.get('add')!, [1])).toThrow('cannot append to frozen list');
  });

  it('freezes what functions captured and their defaults', () => {
    const { module } = run(
      'def make(l):\n  def f(x, d = {}):\n    d[x] = 1\n    l.append(x)\n  return f\nf = make([])\ng = lambda x, l = []: l.append(x)',
    );
    expect(() => call(new Thread(), module.globals.get('f')!, [1])).toThrow('frozen hash table');
    expect(() => call(new Thread(), module.globals.get('f')!, [1, new Dict()])).toThrow('frozen list');
    expect(() => call(new Thread(), module.globals.get('g')!, [1])).toThrow('frozen list');
  });

  it('says what its top level cost and whether it was pure', () => {
    expect(run('x = [i for i in range(5)]').module).toMatchObject({ pure: true, initSteps: 6 });
    expect(run('effect()').module.pure).toBe(false);
    expect(run('def f(): effect()').module.pure).toBe(true);
    expect(run('x = sorted([1], key = lambda x: effect() or x)').module.pure).toBe(false);
  });

  it('calls functions with positional and keyword arguments', () => {
    const { thread, module } = run('def f(a, b = 2, *c, d = 4): return [a, b, c, d]');
    const f = module.globals.get('f')!;
    expect((call(thread, f, [1, 3]) as List).items.slice(0, 2)).toEqual([1, 3]);
    expect((call(thread, f, [1], new Map([['d', 9]])) as List).items.slice(0, 2)).toEqual([1, 2]);
    expect(() => call(thread, f, [], new Map([['x', 9]]))).toThrow('unexpected keyword argument "x"');
  });

  it('reports an error inside the file the script is embedded in', () => {
    const source = new SourceFile('hook.md', 'x = 1 // 0', (line, col) => ({
      line: line + 10,
      col: col + 4,
    }));
    const compiled = compile(source, options);
    expect(() => compiled.ok && compiled.program.run(new Thread())).toThrow(
      expect.objectContaining({ position: { file: 'hook.md', line: 11, col: 11 } }),
    );
  });

  it('leaves depth, locks and the recursion check as they were when a host catches an error', () => {
    const { thread, module } = run(`
def broken(l):
    for x in l:
        for y in [z for z in l if fail("no")]:
            pass
def f():
    l = [1, 2]
    d = {"a": 1}
    first = catch(lambda: broken(l))
    second = catch(lambda: [d.pop(k) for k in d])
    l.append(3)
    d["b"] = 2
    return [first, second, l, d, catch(lambda: broken(l))]
r = f()
`);
    const [first, second, l, d] = (module.globals.get('r') as List).items;
    expect(first).toBe('fail: no');
    expect(second).toContain('during iteration');
    expect((l as List).items).toEqual([1, 2, 3]);
    expect((d as Dict).size).toBe(2);
    expect(thread.depth).toBe(0);
  });

  it('closes the loops a return leaves', () => {
    const { module } = run(
      'def f(l):\n  for x in l:\n    for y in l:\n      return x\ndef g():\n  l = [1]\n  f(l)\n  l.append(2)\n  return l\nr = g()',
    );
    expect((module.globals.get('r') as List).items).toEqual([1, 2]);
  });

  it('refuses a promise from a function that is not declared asynchronous', () => {
    expect(() => run('liar()')).toThrow('not declared async returned a promise');
    expect(() => run('f = liar\nf()')).toThrow('not declared async returned a promise');
  });

  it('reads payloads as frozen views', () => {
    const { thread, module } = run(
      'def f(e): return e["args"]["command"].split(" ")[0], len(e["list"])\ndef g(e): e["x"] = 1',
    );
    const payload = wrapJson({ args: { command: 'ls -l' }, list: [1, 2] });
    expect(call(thread, module.globals.get('f')!, [payload])).toMatchObject({ items: ['ls', 2] });
    expect(() => call(thread, module.globals.get('g')!, [payload])).toThrow('frozen');
  });

  describe('that loads modules', () => {
    const modules: Record<string, string> = {
      'a.star': 'load("b.star", "two")\none = two - 1\n_hidden = 0',
      'b.star': 'two = 2',
      'loop.star': 'load("loop.star", "x")',
      'bad.star': 'x = 1 // 0',
      'effect.star': 'effect()\nx = 1',
    };
    const programs = new Map<string, Program>();
    const load =
      (thread: Thread) =>
      (name: string): Module => {
        const known = programs.get(backend + name) ?? program(modules[name]!, options, name);
        programs.set(backend + name, known);
        return known.run(thread, { load: load(thread) }) as Module;
      };
    const runWith = (text: string) => {
      const thread = new Thread();
      return program(text, options).run(thread, { load: load(thread) }) as Module;
    };

    it('binds the names it asks for, in its file only', () => {
      const module = runWith(
        'load("a.star", "one", uno = "one")\nload("b.star", "two")\ny = [one, uno, two]',
      );
      expect((module.globals.get('y') as List).items).toEqual([1, 1, 2]);
      expect([...module.globals.keys()]).toEqual(['y']);
    });

    it('lists them without running anything', () => {
      expect(
        program('load("a.star", "one")\nload("a.star", x = "one")\nload("b.star", "two")', options).loads,
      ).toEqual(['a.star', 'b.star']);
    });

    it.each([
      [
        'a name that is not there',
        'load("a.star", "onne")',
        'load: name onne not found in module a.star (did you mean one?)',
      ],
      ['a module that loads itself', 'load("loop.star", "x")', 'cannot load loop.star: cycle in load graph'],
      ['a module that fails', 'load("bad.star", "x")', 'floored division by zero'],
    ])('fails for %s, with the load in the traceback', (_what, text, message) => {
      expect(() => runWith(text)).toThrow(
        expect.objectContaining({
          message,
          traceback: expect.stringMatching(/t\.star:1:\d+: in <toplevel>/),
        }),
      );
    });

    it('fails where the host loads nothing', () => {
      expect(() => run('load("a.star", "one")')).toThrow('this host loads no modules');
    });

    it('is as pure as what it loads', () => {
      expect(runWith('load("effect.star", "x")').pure).toBe(false);
    });

    it('waits for modules that come later', async () => {
      const thread = new Thread();
      const result = program('load("a.star", "one")\ny = one', options).run(thread, {
        load: async (name) => load(thread)(name),
      });
      expect(result).toBeInstanceOf(Promise);
      expect((await result).globals.get('y')).toBe(1);
    });
  });

  describe('that can reach an asynchronous function', () => {
    const runAsync = async (text: string) => {
      const compiled = program(text, {
        ...options,
        dialect: { topLevelControl: true, while: true, globalReassign: true },
      });
      const thread = new Thread();
      const module = await compiled.run(thread);
      expect(thread.depth).toBe(0);
      return { compiled, thread, module };
    };

    it('awaits it wherever it is called from', async () => {
      const { compiled, thread, module } = await runAsync(`
def get(x): return later(x)
def pure(x): return x * 2
def f(x, d = later(5)):
    total = 0
    for y in later([1, 2, 3]):
        if later(y) == 2 or members.later(False):
            continue
        total += get(y) + pure(y)
    l = [0, 0]
    l[later(0)] = later(7)
    l[later(1)] += later(8)
    a, b = later(1), later(2)
    i = 0
    while later(i) < 3:
        i += later(1)
    z = {later(k): later(v) for k, v in later([(1, 2)]) if later(True)}
    return [total, l, x and later("and"), later(0) or "or", a + later(b), "y" if later(1) else "n", z, d, i]
r = f(1)
s = sorted([3, 1, 2], key = lambda x: later(-x))
t = [later(x) for x in range(3)]
`);
      expect(compiled.async).toBe(true);
      const plain = (value: Value | undefined): unknown => {
        if (value instanceof List) return value.items.map(plain);
        return value instanceof Dict ? value.entries() : value;
      };
      expect(plain(module.globals.get('r'))).toEqual([12, [7, 8], 'and', 'or', 3, 'y', [[1, 2]], 5, 3]);
      expect(plain(module.globals.get('s'))).toEqual([3, 2, 1]);
      expect(plain(module.globals.get('t'))).toEqual([0, 1, 2]);
      expect(await call(thread, module.globals.get('get')!, ['x'])).toBe('x');
      expect(call(thread, module.globals.get('pure')!, [4])).toBe(8);
    });

    it('traces an error that comes later, and restores the thread', async () => {
      const compiled = program('def f():\n  return reject()\ndef g(l):\n  for x in l: f()\ng([1])', options);
      const thread = new Thread();
      const error = await Promise.resolve(compiled.run(thread)).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StarlarkError);
      expect((error as StarlarkError).traceback.split('\n').map((line) => line.trim())).toEqual([
        'Traceback (most recent call last):',
        't.star:5:2: in <toplevel>',
        't.star:4:16: in g',
        't.star:2:16: in f',
        '<builtin>: in reject',
        'Error in reject: too late',
      ]);
      expect(thread.depth).toBe(0);
    });

    it('stays synchronous when it uses only what answers at once', () => {
      const compiled = program('def f(): return members.now(1)\nx = f()', options);
      expect(compiled.async).toBe(false);
      expect((compiled.run(new Thread()) as Module).globals.get('x')).toBe(1);
    });

    it('takes as many steps as it would without waiting', async () => {
      const text = (host: string) => `def f(x): return ${host}(x)\nr = [f(i) for i in range(4)]`;
      expect((await runAsync(text('members.later'))).thread.steps).toBe(
        run(text('members.now')).thread.steps,
      );
    });
  });

  it('counts lines when asked to', () => {
    const text =
      'def f(x):\n  if x:\n    return 1\n  return 2\n\n\ndef g():\n  pass\n\nr = [f(i) for i in range(3)]';
    const counted = program(text, { ...options, coverage: true });
    counted.run(new Thread());
    expect([...counted.coverage()]).toEqual([
      [1, 1],
      [2, 3],
      [3, 2],
      [4, 1],
      [7, 1],
      [8, 0],
      [10, 1],
    ]);
    expect(program(text, options).coverage().size).toBe(0);
  });

  describe('that is one expression', () => {
    const expression = (text: string, params: string[], environment = HOST) =>
      compileExpression(new SourceFile('when', text), params, { backend, environment });
    const value = (text: string, params: Record<string, Value>) => {
      const compiled = expression(text, Object.keys(params));
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
      return compiled.program.evaluate(new Thread(), Object.values(params));
    };

    it('is a function of its parameters', () => {
      expect(value('tool == "bash" and\n  n > 2', { tool: 'bash', n: 3 })).toBe(true);
      expect(
        value('[x for x in xs if (lambda y: y > n)(x)]', { xs: new List([1, 2, 3]), n: 1 }),
      ).toMatchObject({ items: [2, 3] });
    });

    it('awaits where it has to', async () => {
      expect(await value('later(n) + 1', { n: 2 })).toBe(3);
    });

    it('reports errors with a place, before and while it runs', () => {
      const unknown = expression('tol == 1', ['tool']);
      expect(unknown).toMatchObject({
        ok: false,
        errors: [{ message: 'undefined: tol (did you mean tool?)' }],
      });
      expect(() => value('x.y', { x: 1 })).toThrow(
        expect.objectContaining({ traceback: expect.stringContaining('when:1:2: in <expr>') }),
      );
    });

    it('wants all its arguments', () => {
      const compiled = expression('x', ['x']);
      expect(() => compiled.ok && compiled.program.evaluate(new Thread(), [])).toThrow(TypeError);
    });
  });
});

describe('compiling', () => {
  it('gives all static errors at once', () => {
    const compiled = compile(new SourceFile('t.star', 'def f(:\n  pass\nx = (\n'));
    expect(compiled.ok).toBe(false);
    const both = compile(new SourceFile('t.star', 'x = nope\ny = also_nope'));
    expect(!both.ok && both.errors.length).toBe(2);
  });
});
