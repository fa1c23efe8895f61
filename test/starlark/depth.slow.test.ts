/**
 * Depth without end: source text that nests, values that nest, contain themselves or share their parts so often that a walk
 * would never be over. Every recursive function gives a value or an error of the script, in little time.
 */
import { describe, expect, it } from 'vitest';
import {
  attempt,
  compile,
  compileExpression,
  Dict,
  freeze,
  List,
  SourceFile,
  Thread,
  Tuple,
  toJson,
  type Value,
  wrapJson,
} from '../../src/exports/starlark.ts';
import { BACKENDS, runScript } from './script.ts';

const MANY = 20_000;

describe('deep source', () => {
  const nested: Readonly<Record<string, string>> = {
    parentheses: `x = ${'('.repeat(MANY)}1${')'.repeat(MANY)}`,
    'unclosed parentheses': `x = ${'('.repeat(MANY)}`,
    lists: `x = ${'['.repeat(MANY)}${']'.repeat(MANY)}`,
    'unclosed lists': `x = ${'['.repeat(MANY)}`,
    dicts: `x = ${'{1:'.repeat(MANY)}1${'}'.repeat(MANY)}`,
    calls: `x = ${'len('.repeat(MANY)}1${')'.repeat(MANY)}`,
    'chained calls': `x = len${'()'.repeat(MANY)}`,
    'chained indexes': `x = [1]${'[0]'.repeat(MANY)}`,
    'chained attributes': `x = ""${'.upper'.repeat(MANY)}`,
    minus: `x = ${'-'.repeat(MANY)}1`,
    not: `x = ${'not '.repeat(MANY)}1`,
    sums: `x = 1${' + 1'.repeat(MANY)}`,
    conjunctions: `x = 1${' and 1'.repeat(MANY)}`,
    conditionals: `x = ${'1 if 1 else '.repeat(MANY)}1`,
    lambdas: `x = ${'lambda: '.repeat(MANY)}1`,
    comprehensions: `x = ${'['.repeat(2000)}1${' for i in []]'.repeat(2000)}`,
    'clauses of a comprehension': `x = [1${' for i in []'.repeat(MANY)}]`,
    targets: `${'('.repeat(MANY)}x${')'.repeat(MANY)} = 1`,
    'else if': `def f(x):\n    if x: pass\n${'    elif x: pass\n'.repeat(MANY)}`,
    blocks: Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}def f():\n`).join(''),
    'blocks of if': `def f(x):\n${Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i + 1)}if x:\n`).join('')}${' '.repeat(1001)}pass\n`,
    slices: `x = ${'[0][0:'.repeat(2000)}1${']'.repeat(2000)}`,
    'long tuple': `x = (${'1, '.repeat(MANY)})`,
    'many arguments': `x = max(${'1, '.repeat(MANY)}2)`,
    'many parameters': `def f(${Array.from({ length: 5000 }, (_, i) => `p${i}`).join(', ')}): pass`,
    'many statements': 'x = 1; '.repeat(MANY),
    'many mistakes': 'x = = 1\n'.repeat(MANY),
    'a long string': `x = "${'a'.repeat(1_000_000)}"`,
    'a long number': `x = ${'9'.repeat(1_000_000)}`,
    'a long name': `${'a'.repeat(1_000_000)} = 1`,
    'a long comment': `# ${'a'.repeat(1_000_000)}`,
  };
  for (const [name, text] of Object.entries(nested)) {
    it(name, () => {
      const limits = { steps: 1_000_000, memory: 50_000_000 };
      const dialect = { globalReassign: true };
      const outcomes = BACKENDS.map((backend) => runScript(text, { backend, limits, dialect }));
      expect(outcomes[1]).toEqual(outcomes[0]);
      for (const { kind } of outcomes[0]!.failures)
        expect(['static', 'eval', 'depth', 'steps', 'memory', 'intsize']).toContain(kind);
      expect(outcomes[0]!.failures.length).toBeLessThanOrEqual(100);
    });
    it(`${name}, as an expression`, () => {
      const expression = text.replace(/^x = /, '');
      for (const backend of BACKENDS)
        expect(() => compileExpression(new SourceFile('x', expression), [], { backend })).not.toThrow();
    });
  }
});

/** How each value is made, as statements that bind `v`; `w` is another one, equal to it. */
const VALUES: Readonly<Record<string, string>> = {
  'a deep list': 'v = []\nfor i in range(20000): v = [v]\nw = []\nfor i in range(20000): w = [w]',
  'a deep tuple': 'v = ()\nfor i in range(20000): v = (v,)\nw = ()\nfor i in range(20000): w = (w,)',
  'a deep dict': 'v = {}\nfor i in range(20000): v = {"k": v}\nw = {}\nfor i in range(20000): w = {"k": w}',
  'a deep struct':
    'v = struct()\nfor i in range(20000): v = struct(f = v)\nw = struct()\nfor i in range(20000): w = struct(f = w)',
  'a mixed depth': 'v = 1\nfor i in range(10000): v = [(v,), {"k": struct(f = v)}]\nw = v',
  'a list in itself': 'v = [1]\nv.append(v)\nw = [1]\nw.append(w)',
  'a dict in itself': 'v = {}\nv["v"] = v\nw = {}\nw["v"] = w',
  'two lists in each other': 'v = []\nw = [v]\nv.append(w)',
  'a tuple through a list': 'l = []\nv = (l, 1)\nl.append(v)\nm = []\nw = (m, 1)\nm.append(w)',
  'shared tuples': 'v = (1, "a")\nw = (1, "a")\nfor i in range(60): v = (v, v); w = (w, w)',
  'shared lists': 'v = [1]\nw = [1]\nfor i in range(60): v = [v, v]; w = [w, w]',
  'shared dicts': 'v = {}\nw = {}\nfor i in range(60): v = {1: v, 2: v}; w = {1: w, 2: w}',
  'shared structs':
    'v = struct()\nw = struct()\nfor i in range(60): v = struct(a = v, b = v); w = struct(a = w, b = w)',
  'a closure in itself': 'v = []\nv.append(lambda: v)\nw = v',
  'a deep closure': 'def make(f): return lambda: f\nv = None\nfor i in range(20000): v = make(v)\nw = v',
  'a deep default':
    'def make(f):\n    def g(x = f): return x\n    return g\nv = None\nfor i in range(20000): v = make(v)\nw = v',
  'a deep bound method': 'v = []\nfor i in range(20000): v = [v.append]\nw = v',
};

/** Everything that walks a value. */
const WALKS: Readonly<Record<string, string>> = {
  repr: 'repr(v)',
  str: 'str(v)',
  print: 'print(v)',
  '%s': '"%s" % (v,)',
  '%r': '"%r" % (v,)',
  format: '"{}".format(v)',
  fail: 'fail(v)',
  'an error that shows it': '{}[v]',
  '==': 'v == w',
  '!=': 'v != w',
  '<': 'v < w',
  '<=': 'v <= w',
  in: 'v in [w]',
  index: '[w].index(v)',
  remove: '[w].remove(v)',
  sorted: 'sorted([v, w])',
  max: 'max(v, w)',
  'dict key': '{v: 1}',
  'dict lookup': '{}.get(v)',
  'set element': 'set([v])',
  'set test': 'v in set()',
  hash: 'hash(v)',
  freeze: 'freeze(v)',
  'json.encode': 'json.encode(v)',
  bool: 'bool(v)',
  type: 'type(v)',
  dir: 'dir(v)',
  list: 'list(v)',
  concatenation: 'v + v',
  join: '",".join(v)',
  'dict of it': 'dict(v)',
  'set of it': 'set(v)',
  any: 'any(v)',
  len: 'len(v)',
};

describe('deep, cyclic and shared values', () => {
  for (const [name, make] of Object.entries(VALUES)) {
    it(`${name} meets every function that walks`, () => {
      const limits = { steps: 100_000, memory: 10_000_000 };
      const dialect = { topLevelControl: true, globalReassign: true };
      for (const walk of Object.values(WALKS)) {
        const text = `${make}\ncatch(lambda: ${walk})\n`;
        const { output, failures } = runScript(text, { backend: 'js', limits, dialect });
        // The walk is over and said how; and the module, frozen afterwards, is there.
        expect(output.length, text).toBeGreaterThan(0);
        expect(failures, text).toEqual([]);
      }
    });
  }

  it('json.decode refuses a text too deep', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ]) {
      const text = `catch(lambda: json.decode('${open}' * 100000 + '1' + '${close}' * 100000))\ncatch(lambda: json.indent('${open}' * 100000))`;
      const [js, closures] = BACKENDS.map((backend) => runScript(text, { backend }));
      expect(closures).toEqual(js);
      expect(js!.output.join('\n')).toMatch(/nest|deep/);
    }
  });
});

describe('deep values at the host boundary', () => {
  const thread = new Thread();
  const deepList = (): Value => {
    let value: Value = new List([]);
    for (let i = 0; i < 100_000; i++) value = new List([value]);
    return value;
  };
  const cyclic = (): Value => {
    const items: Value[] = [];
    const list = new List(items);
    items.push(list);
    return list;
  };
  const shared = (): Value => {
    let value: Value = new Tuple([1]);
    for (let i = 0; i < 60; i++) value = new Tuple([value, value]);
    return value;
  };

  it('freeze is over at once', () => {
    for (const make of [deepList, cyclic, shared]) freeze(make());
  });

  it('toJson fails like a script', () => {
    for (const make of [deepList, cyclic]) {
      const result = attempt(thread, () => toJson(make()));
      expect(result.ok).toBe(false);
    }
  });

  it('a deep JSON payload can be wrapped, read and frozen', () => {
    let data: unknown = { end: 1 };
    for (let i = 0; i < 100_000; i++) data = { next: data };
    const view = wrapJson(data);
    expect(view).toBeInstanceOf(Dict);
    freeze(view);
    for (const backend of BACKENDS) {
      const compiled = compile(new SourceFile('x', 'def f(): return str(payload)'), {
        environment: new Map([['payload', view]]),
        backend,
      });
      expect(compiled.ok).toBe(true);
    }
  });
});
