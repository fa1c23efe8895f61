/**
 * Both back ends on every construct: each case states what is printed or which error ends it, and the two
 * must also agree on tracebacks, steps and memory.
 */
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import type { Dialect } from '../resolve/binding.ts';
import { StarlarkError } from '../run/errors.ts';
import { type Limits, Thread } from '../run/thread.ts';
import { compile } from './program.ts';

interface Ending {
  readonly printed: string[];
  readonly error: string | null;
  readonly traceback: string | null;
  readonly kind: string | null;
  readonly steps: number;
  readonly memory: number;
  readonly depth: number;
}

const EVERYTHING: Dialect = { recursion: true, while: true, globalReassign: true, topLevelControl: true };

function runOn(backend: 'js' | 'closures', text: string, dialect: Dialect, limits: Partial<Limits>): Ending {
  const compiled = compile(new SourceFile('t.star', text), { backend, dialect });
  if (!compiled.ok) throw new Error(compiled.errors.map((error) => error.message).join('\n'));
  const printed: string[] = [];
  const thread = new Thread({ limits, print: (line) => printed.push(line) });
  let error: StarlarkError | null = null;
  try {
    compiled.program.run(thread);
  } catch (caught) {
    if (!(caught instanceof StarlarkError)) throw caught;
    error = caught;
  }
  return {
    printed,
    error: error?.message ?? null,
    traceback: error?.traceback ?? null,
    kind: error?.kind ?? null,
    steps: thread.steps,
    memory: thread.memory,
    depth: thread.depth,
  };
}

function run(text: string, dialect = EVERYTHING, limits: Partial<Limits> = {}): Ending {
  const ending = runOn('js', text, dialect, limits);
  expect(runOn('closures', text, dialect, limits)).toEqual(ending);
  expect(ending.depth).toBe(0);
  return ending;
}

const PRINTS: readonly (readonly [what: string, text: string, printed: string[]])[] = [
  [
    'dicts of one display, each with entries of its own',
    [
      'def make(n, **kw): return [{"a": n, "b": [n]}, kw]',
      'x, y = make(1, c = 1), make(2, c = 2)',
      'x[0]["z"] = 0; y[0].pop("a"); y[1]["d"] = 4; copy = dict(y[1]); copy["e"] = 5; y[1]["f"] = 6',
      'print(x, y, copy, make(3, c = 3))',
      'many = dict(x[0])',
      'for i in range(20): many["k%d" % i] = i',
      'print(len(many), many["b"], many["k19"], many == dict(many), "k20" in many, x[0] == {"z": 0, "b": [1], "a": 1})',
    ].join('\n'),
    [
      '[{"a": 1, "b": [1], "z": 0}, {"c": 1}] [{"b": [2]}, {"c": 2, "d": 4, "f": 6}] {"c": 2, "d": 4, "e": 5} [{"a": 3, "b": [3]}, {"c": 3}]',
      '23 [1] 19 True False True',
    ],
  ],
  [
    'loops that take rows apart, over what was there when they began',
    [
      'x, d = [1, 2, 3], {"a": 1, "b": [2]}',
      'for i, e in enumerate(x):',
      '  x.append(i)',
      'for a, b in zip(x, "abc".elems()): x.append(a)',
      'for a, b, c in zip(x, (1, 2), range(9)): print(a, b, c, len(x))',
      'for k, v in d.items(): d[k + "!"] = v',
      'for i, (k, v) in enumerate(d.items(), 7): print(i, k, v)',
      'e = [None] * 2',
      'for e[0], e[1] in zip([1, 2], [3, 4]): print(e)',
      'print([(k, v) for k, v in {1: 2, (3, 4): 5}.items()], [a for (a, [b]) in zip([1], [[2]])])',
      'print({k: i for i, k in enumerate(["a", "b"])}, [a for a, b in zip([], [1])])',
      'def f():',
      '  for k, v in d.items():',
      '    for i, c in enumerate(k.elems()):',
      '      if c == "!": return k, i, v',
      'print(f())',
    ].join('\n'),
    [
      '1 1 0 9',
      '2 2 1 9',
      '7 a 1',
      '8 b [2]',
      '9 a! 1',
      '10 b! [2]',
      '[1, 3]',
      '[2, 4]',
      '[(1, 2), ((3, 4), 5)] [1]',
      '{"a": 0, "b": 1} []',
      '("a!", 1, 1)',
    ],
  ],
  [
    'literals',
    'print(1, 1.5, "s", b"b", None, True, [1], (1,), {"a": 1}, 1 << 70)',
    ['1 1.5 s b None True [1] (1,) {"a": 1} 1180591620717411303424'],
  ],
  [
    'arithmetic on small ints',
    'print(7 + 2, 7 - 9, 7 * -3, 7 // 2, -7 // 2, 7 % -3, 7 & 3, 6 | 1, 5 ^ 1, 1 << 3, 9 >> 1)',
    ['9 -2 -21 3 -4 -2 3 7 4 8 4'],
  ],
  [
    'arithmetic across the edge of small ints',
    'm = 9007199254740991\nprint(m + 1, -m - 1, m * 2, m * -0, 0 * -1, (m + 1) - 1)',
    ['9007199254740992 -9007199254740992 18014398509481982 0 0 9007199254740991'],
  ],
  [
    'arithmetic on floats',
    'x = 2.5\ny = 2\nprint(x * 2.0 - 1.0, x + y, 1.0 - y, 2 * x, x / 2, x // 1.0, x % 1.0)',
    ['4.0 4.5 -1.0 5.0 1.25 2.0 0.5'],
  ],
  ['unary operators', 'x = 5\nprint(-x, +x, ~x, not x, -0, - -x)', ['-5 5 -6 False 0 5']],
  [
    'comparisons',
    'print(1 < 2, 2 <= 1, "a" < "b", 1 == 1.0, 1 != 2, "1" == 1, None == None, [1] == [1], 1 in [1], 1 not in [1])',
    ['True False True True True False True True True False'],
  ],
  [
    'and, or, not as values and as conditions',
    'x = 0\nprint(x or "b", 1 and 2, x and 1, not x or 1)\nif x or not x and 1: print("yes")',
    ['b 2 0 True', 'yes'],
  ],
  ['conditional expressions', 'print([1 if x else 2 for x in [0, 1]], "a" if [] else "b")', ['[2, 1] b']],
  [
    'indexing and slicing',
    's = "hello"\nl = [0, 1, 2, 3]\nprint(s[1], s[-1], l[1:], l[:-1], l[::2], s[::-1], {1: 2}[1], (1, 2)[0])',
    ['e o [1, 2, 3] [0, 1, 2] [0, 2] olleh 2 1'],
  ],
  [
    'assignment to names, elements, and sequences of both',
    'a, (b, [c]) = 1, (2, [3])\nl = [0, 0]\nl[0], l[1] = 5, 6\n(x, y) = "ab".elems()\n[z] = [9]\nprint(a, b, c, l, x, y, z)',
    ['1 2 3 [5, 6] a b 9'],
  ],
  [
    'swapping without a tuple',
    'a, b = 1, 2\na, b = b, a\nl = [1, 2]\nl[0], l[1] = l[1], l[0]\nprint(a, b, l)',
    ['2 1 [2, 1]'],
  ],
  ['unpacking a list into its own elements', 'l = [1, 2]\nl[1], l[0] = l\nprint(l)', ['[2, 1]']],
  [
    'augmented assignment',
    'x = 1\nx += 2\nx *= 3\nx -= 1\nx //= 3\nl = [1]\nm = l\nl += [2]\nl[0] += 9\nd = {"a": 1}\nd |= {"b": 2}\nd["a"] <<= 3\nprint(x, m, d)',
    ['2 [10, 2] {"a": 8, "b": 2}'],
  ],
  [
    'evaluation of targets once and in order',
    'r = []\ndef f(x, y):\n  r.append(x)\n  return y\nf("l", [0])[f("i", 0)] += f("v", 1)\nf("a", [0])[f("b", 0)] = f("c", 1)\nprint(r)',
    ['["l", "i", "v", "c", "a", "b"]'],
  ],
  [
    'for over everything iterable',
    'for x in [1], (2,), {3: 4}, range(1): \n  for y in x: print(y)\nfor c in "ab".elems(): print(c)',
    ['1', '2', '3', '0', 'a', 'b'],
  ],
  [
    'counting loops in both directions',
    'print([i for i in range(3)], [i for i in range(1, 4)], [i for i in range(5, 0, -2)], [i for i in range(0)], [i for i in range(2, -1)])',
    ['[0, 1, 2] [1, 2, 3] [5, 3, 1] [] []'],
  ],
  [
    'a counting loop whose end is assigned to',
    'def f(n):\n  r = []\n  for i in range(n):\n    n = 0\n    r.append(i)\n    i = 7\n  return r\nprint(f(3))',
    ['[0, 1, 2]'],
  ],
  [
    'a range of another name is not counted',
    'def range(n): return [n]\nprint([i for i in range(5)])',
    ['[5]'],
  ],
  [
    'break, continue and return inside loops',
    'def f(xs):\n  for x in xs:\n    if x == 1: continue\n    for y in xs:\n      if y == 2: break\n      if x == 3: return (x, y)\n  return None\nprint(f([1, 2, 3]), f([1, 2]))',
    ['(3, 1) None'],
  ],
  ['while', 'i = 0\nwhile True:\n  i += 1\n  if i % 2: continue\n  if i > 5: break\nprint(i)', ['6']],
  [
    'comprehensions with several clauses',
    'print([(x, y) for x in range(3) if x for y in range(x) if y or x == 1], {x: [y for y in range(x)] for x in range(3)})',
    ['[(1, 0), (2, 1)] {0: [], 1: [0], 2: [0, 1]}'],
  ],
  ['as many clauses as a comprehension may have', `print([a${' for a in [1] if a'.repeat(245)}])`, ['[1]']],
  [
    'comprehensions in the middle of expressions, in order',
    'r = []\ndef f(x):\n  r.append(x)\n  return x\ny = f(1) + len([f(2) for _ in [0]]) + f(3)\nprint(f(0) and [f(9) for _ in [0]] or f(4), r)\nz = [f(5)] if [f(6) for _ in [0]] else [f(7)]\nprint(r)',
    ['4 [1, 2, 3, 0, 4]', '[1, 2, 3, 0, 4, 6, 5]'],
  ],
  [
    'deep expressions',
    `print(${Array(300).fill('1').join(' + ')}, len(${'['.repeat(100)}${']'.repeat(100)}))`,
    ['300 1'],
  ],
  [
    'parameters of every kind',
    'def f(a, b = 2, *args, c, d = 4, **kw): return a, b, args, c, d, kw\nprint(f(1, c = 3), f(1, 2, 3, c = 4, z = 5), f(*[1, 2, 3], **{"c": 9}))\ndef g(a, *, b = 1): return a, b\nprint(g(1), g(b = 2, a = 3))',
    ['(1, 2, (), 3, 4, {}) (1, 2, (3,), 4, 4, {"z": 5}) (1, 2, (3,), 9, 4, {})', '(1, 1) (3, 2)'],
  ],
  [
    'arguments by name, evaluated as written',
    'r = []\ndef e(x):\n  r.append(x)\n  return x\ndef f(a, b, c = 3): return a, b, c\nprint(f(c = e(1), b = e(2), a = e(3)), f(e(4), b = e(5)), r)',
    ['(3, 2, 1) (4, 5, 3) [1, 2, 3, 4, 5]'],
  ],
  [
    'defaults evaluated once',
    'def f(x, l = []):\n  l.append(x)\n  return l\nf(1)\nprint(f(2), f(3, []), f(None, l = [0]))',
    ['[1, 2] [3] [0, None]'],
  ],
  [
    'closures see variables, not values',
    'def f():\n  fs = [lambda: x for x in range(3)]\n  y = 1\n  def g(): return y\n  y = 2\n  return [h() for h in fs], g()\nprint(f())',
    ['([2, 2, 2], 2)'],
  ],
  ['defaults keep values', 'print([f() for f in [lambda x = x: x for x in range(3)]])', ['[0, 1, 2]']],
  [
    'functions nested three deep',
    'def a(x):\n  def b(y):\n    def c(z): return x + y + z\n    return c\n  return b\nprint(a(1)(2)(3))',
    ['6'],
  ],
  [
    'a def in a loop is made anew each time',
    'fs = []\nfor i in range(3):\n  def f(x = i): return x\n  fs.append(f)\nprint([f() for f in fs])',
    ['[0, 1, 2]'],
  ],
  [
    'methods, bound methods and built-ins as values',
    'l = []\nadd = l.append\nadd(1)\nf = len\nprint(l, f("abc"), "a-b".split("-"), {"k": 1}.get("x", 7), ",".join(["a", "b"]), [3, 1].index(1))',
    ['[1] 3 ["a", "b"] 7 a,b 1'],
  ],
  [
    'a default of get that is an empty dict: a new one for each call that wants it',
    'd = {"k": {"x": 1}}\na = d.get("n", {})\na["y"] = 2\nprint(a, d.get("n", ({})), d.get("k", {}).get("x", 7), d.get("n"), {"k": None}.get("k", {}))',
    ['{"y": 2} {} 1 None None'],
  ],
  [
    'recursion where it is allowed',
    'def fact(n): return 1 if n < 2 else n * fact(n - 1)\nprint(fact(25))',
    ['15511210043330985984000000'],
  ],
  [
    'sorted with a key of the script',
    'print(sorted([3, 1, 2], key = lambda x: -x), max([1, 5, 3], key = lambda x: x % 5))',
    ['[3, 2, 1] 3'],
  ],
];

const FAILS: readonly (readonly [what: string, text: string, error: string, line: number])[] = [
  ['a type error of an operator', 'x = 1\ny = "a"\nx + y', 'unknown binary op: int + string', 3],
  [
    'a local not bound yet',
    'def f():\n  if False: x = 1\n  return x\nf()',
    'local variable x referenced before assignment',
    3,
  ],
  [
    'a captured variable not bound yet',
    'def f():\n  def g(): return x\n  g()\n  x = 1\nf()',
    'local variable x referenced before assignment',
    2,
  ],
  [
    'a global not bound yet',
    'def f(): return g()\nf()\ndef g(): pass',
    'global variable g referenced before assignment',
    1,
  ],
  [
    'augmenting a name that is not bound',
    'def f():\n  x += 1\nf()',
    'local variable x referenced before assignment',
    2,
  ],
  ['an index out of range', 'l = [1]\nl[1]', 'list index 1 out of range [-1:0]', 2],
  [
    'a missing attribute, before its arguments',
    'def f(): fail("no")\n"".foo(f())',
    'string has no .foo field or method',
    2,
  ],
  ['calling what is no function', 'x = 1\nx(2)', 'invalid call of non-function (int)', 2],
  ['too few values', 'a, b = [1]', 'too few values to unpack (got 1, want 2)', 1],
  [
    'rows of what is not iterable',
    'for a, b in zip([1],\n  2): pass',
    'zip: argument #2 is not iterable: int',
    1,
  ],
  ['counting what is not iterable', 'for i, x in enumerate(1): pass', 'got int, want iterable', 1],
  [
    'the items of what has none',
    'x = []\nfor k, v in x.items(): pass',
    'list has no .items field or method',
    2,
  ],
  ['what is not iterable', 'for x in 1: pass', 'int value is not iterable', 1],
  ['a star argument that is not iterable', 'print(*1)', 'argument after * must be iterable, not int', 1],
  [
    'a double star argument that is no dict',
    'print(**[])',
    'argument after ** must be a mapping, not list',
    1,
  ],
  ['keywords that are no strings', 'print(**{1: 2})', 'keywords must be strings, not int', 1],
  ['a missing argument', 'def f(a, b): pass\nf(1)', 'function f missing 1 argument (b)', 2],
  [
    'an unexpected keyword',
    'def f(a, bcd): pass\nf(1, bce = 2)',
    'function f got an unexpected keyword argument "bce" (did you mean bcd?)',
    2,
  ],
  ['a duplicate key, at its entry', 'x = {\n  1: 2,\n  1: 3,\n}', 'duplicate key: 1', 3],
  [
    'an unhashable key of a comprehension, at the key',
    'x = {\n  k: 1\n  for k in [[]]\n}',
    'unhashable type: list',
    2,
  ],
  [
    'a range of something else',
    'for i in range(1, "x"): pass',
    'range: for parameter stop: got string, want int',
    1,
  ],
  [
    'a change during iteration',
    'l = [1]\nfor x in l:\n  l.append(2)',
    'append: cannot append to list during iteration',
    3,
  ],
  [
    'a chain of calls',
    'def f(x):\n  return g(x)\ndef g(x):\n  return x["k"]\nf({})',
    'key "k" not in dict',
    4,
  ],
];

describe('both back ends', () => {
  it.each(PRINTS)('run %s alike, as the specification says', (_what, text, printed) => {
    const ending = run(text);
    expect(ending.error).toBeNull();
    expect(ending.printed).toEqual(printed);
  });

  it.each(FAILS)('report %s alike', (_what, text, error, line) => {
    const ending = run(text);
    expect(ending.error).toContain(error.replace(/^append: /, ''));
    expect(ending.traceback).toMatch(new RegExp(`t\\.star:${line}:\\d+: in .*\\n(?:  <builtin>.*\\n)?Error`));
  });

  it('trace an error through functions and built-ins, outermost first', () => {
    const text = 'def key(x):\n  return x // 0\ndef f():\n  return sorted([1], key = key)\nf()';
    expect(run(text).traceback).toBe(
      [
        'Traceback (most recent call last):',
        '  t.star:5:2: in <toplevel>',
        '  t.star:4:16: in f',
        '  <builtin>: in sorted',
        '  t.star:2:12: in key',
        'Error: floored division by zero',
      ].join('\n'),
    );
    expect(run('def f(): return "".index("x")\nf()').traceback).toMatch(
      /in f\n {2}<builtin>: in index\nError in index: /,
    );
  });

  it('count one step for the file, for each call of a function and each turn of a loop', () => {
    expect(run('x = 1').steps).toBe(1);
    expect(run('def f(): pass\nf()\nf()').steps).toBe(3);
    expect(run('for i in range(10): pass').steps).toBe(11);
    expect(run('x = [i for i in (1, 2, 3)]').steps).toBe(4);
    expect(run('i = 0\nwhile i < 5: i += 1').steps).toBe(6);
  });

  it.each([
    ['steps', 'for i in range(1000): pass', { steps: 100 }, 'step limit of 100 exceeded'],
    ['steps', 'def f(): f()\nf()', { steps: 100 }, 'step limit of 100 exceeded'],
    ['memory', 'x = [[i] for i in range(1000)]', { memory: 1000 }, 'memory limit of 1000 bytes exceeded'],
    ['depth', 'def f(): f()\nf()', { depth: 50 }, 'call stack deeper than 50 frames'],
    [
      'intsize',
      'x = 2\nfor i in range(30): x *= x',
      { intBits: 1000 },
      'integer exceeds the limit of 1000 bits',
    ],
  ])('stop at the limit of %s, at the same place', (kind, text, limits, error) => {
    const ending = run(text, EVERYTHING, limits);
    expect(ending.kind).toBe(kind);
    expect(ending.error).toContain(error);
  });

  it.each([
    ['a dict display', 'x = {"a": [1], "b": {},\n "c": 3}\ny = {"a": 1,\n "\\0": 2, "b": 2}'],
    [
      'rows',
      'for a, b in zip([1], (2,)):\n  for i, x in enumerate([a, b]):\n    for k, v in {"x": x,\n "y": [i]}.items(): [k]',
    ],
    ['keywords', 'def f(**kw): return kw\nf(a = 1, b = 2)\nf(**{"a": [2]})'],
  ])('stop at the same place at every limit of memory: %s', (_what, text) => {
    const most = run(text).memory;
    for (let memory = 0; memory <= most; memory += 8) run(text, EVERYTHING, { memory });
  });

  it('survive recursion deeper than the host stack', () => {
    const ending = runOn('js', 'def f(x): return [f(x)]\nf(1)', EVERYTHING, { depth: Infinity });
    expect(ending.kind).toBe('depth');
  });

  describe('where recursion is forbidden', () => {
    const strict: Dialect = {};
    it.each([
      ['directly', 'def f(n): return f(n)\nf(1)', 'f'],
      ['through another function', 'def f(n): return g(n)\ndef g(n): return f(n)\ng(1)', 'g'],
      ['through a parameter', 'def f(g): return g(g)\nf(f)', 'f'],
      ['through a built-in', 'def f(x): return sorted([x], key = f)\nf(1)', 'f'],
      ['through a dict', 'D = {}\ndef f(x): return D["f"](x)\nD["f"] = f\nf(1)', 'f'],
      [
        'through another closure of the same code',
        'def f(n):\n  def g(h): return h(h) if n else 0\n  return g\nf(1)(f(2))',
        'g',
      ],
    ])('refuse a function that calls itself %s', (_how, text, name) => {
      expect(run(text, strict).error).toBe(`function ${name} called recursively`);
    });

    it('allow calls in a row, and functions that could call each other but do not', () => {
      const text =
        'def f(x): return g(False) if x else 1\ndef g(x): return f(True) if x else 2\nprint(f(True), f(False), f(True))';
      expect(run(text, strict).printed).toEqual(['2 1 2']);
    });
  });
});
