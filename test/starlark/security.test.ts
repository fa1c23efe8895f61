/**
 * Nothing a script does reaches the JavaScript world, and nothing it does takes its host down: the attacks that broke an
 * earlier design, hostile names wherever a name can stand, and the engine's own objects compared before and after.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleChild, type ChildProgram } from './child.ts';
import { corpusFiles, readChunks } from './chunks.ts';
import { pictureIntrinsics } from './intrinsics.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';
import { BACKENDS, type Backend, type Outcome, runScript } from './script.ts';

const LIMITS = { steps: 1_000_000, memory: 50_000_000, depth: 200, intBits: 65_536 };
const DIALECT = { while: true, recursion: true, topLevelControl: true, globalReassign: true };

function run(text: string, backend: Backend): Outcome {
  return runScript(text, { backend, limits: LIMITS, dialect: DIALECT });
}

/** The same on both back ends; gives what they agree on. */
function runBoth(text: string): Outcome {
  const [first, second] = BACKENDS.map((backend) => run(text, backend));
  expect(second).toEqual(first);
  return first!;
}

function expectPasses(text: string): void {
  expect(runBoth(text).failures, text).toEqual([]);
}

describe('limits end every attack on memory and time', () => {
  const attacks: Readonly<Record<string, readonly [text: string, kind: RegExp]>> = {
    'a string of a billion characters': ['x = "a" * 1000000000', /memory|eval/],
    'a list of a trillion elements': ['x = list(range(1000000000000))', /steps|memory|eval/],
    'a doubling string': ['x = "ab"\nfor i in range(100): x += x', /memory|steps/],
    'a doubling list': ['x = [1]\nfor i in range(100): x += x', /memory|steps/],
    'a doubling tuple': ['x = (1,)\nfor i in range(100): x = x + x', /memory|steps/],
    'a doubling dict of lists': ['x = {}\nfor i in range(10000000): x[i] = [i]', /memory|steps/],
    'endless append': ['x = []\nwhile True: x.append(x)', /memory|steps/],
    'an endless loop': ['while True: pass', /steps/],
    'endless recursion': ['def f(): return f()\nf()', /depth/],
    'endless mutual recursion through a list': [
      'l = []\ndef f(): return l[0]()\nl.append(lambda: f())\nf()',
      /depth/,
    ],
    'endless recursion through sorted': ['def f(x): return sorted([1], key = f)\nf(1)', /depth/],
    '40 squarings of 3': ['x = 3\nfor i in range(40): x = x * x', /intsize|steps/],
    'a shift by a million bits': ['x = 1 << 10000000', /intsize|eval/],
    'a number of a million digits': ['x = int("9" * 1000000)', /intsize|steps/],
    'the digits of a long number': [
      'x = 3\nfor i in range(15): x = x * x\nfor i in range(10000): str(x)',
      /steps|memory/,
    ],
    'replace that multiplies': ['x = ("a" * 10000).replace("a", "b" * 10000)', /memory|steps/],
    'replace of nothing': ['x = ("a" * 10000).replace("", "b" * 10000)', /memory|steps/],
    'join that multiplies': ['x = ("b" * 10000).join(["a"] * 10000)', /memory|steps/],
    'format that multiplies': ['x = ("{0}" * 10000).format("b" * 10000)', /memory|steps/],
    'interpolation that multiplies': ['x = ("%s" * 10000) % (("b" * 10000,) * 10000)', /memory|steps/],
    'a list of one long string, printed': ['x = str(["b" * 100000] * 1000)', /memory|steps/],
    'zip of long ranges': ['x = zip(range(100000000), range(100000000))', /memory|steps/],
    'enumerate of a long range': ['x = enumerate(range(100000000))', /memory|steps/],
    'a comprehension of a comprehension': [
      'x = [[j for j in range(1000)] for i in range(100000)]',
      /memory|steps/,
    ],
    'a search that finds nothing': ['x = "a" * 1000000\nfor i in range(1000000): "b" in x', /steps/],
    'comparison of long equal lists': [
      'x = [0] * 100000\ny = [0] * 100000\nfor i in range(1000): x == y',
      /steps/,
    ],
    'max of a long range, often': ['for i in range(1000): max(range(1000000))', /steps/],
    'a set made over and over': ['x = range(10000)\nfor i in range(10000): set(x)', /memory|steps/],
    'spreading a long range': ['def f(*a): return 0\nf(*range(100000000))', /memory|steps/],
    'unpacking a long range': ['a, b = range(100000000)', /eval/],
    'a slow pattern': ['re.search("(a*)*(a*)*(a*)*b", "a" * 1000000)', /steps|none/],
    'json of a wide value': ['x = ["b" * 1000] * 1000\nfor i in range(1000): json.encode(x)', /memory|steps/],
  };
  for (const [name, [text, kind]] of Object.entries(attacks)) {
    it(name, () => {
      expect(runBoth(text).failures[0]?.kind ?? 'none').toMatch(kind);
    });
  }
});

describe('a failed run leaves everything usable', () => {
  it('releases the lock of a list whose iteration failed, also when a host catches the error', () => {
    expectPasses(
      'x = [1, 2]\ndef f():\n    for e in x: fail("stop")\nfails(f, "stop")\nx.append(3)\neq(x, [1, 2, 3])',
    );
  });
  it('releases the locks of dicts and sets as well', () => {
    expectPasses(
      'x = {1: 1}\nfails(lambda: [fail("a") for k in x], "a")\nx[2] = 2\ns = set([1])\nfails(lambda: [fail("b") for k in s], "b")\ns.add(2)',
    );
  });
  it('releases a lock taken by a built-in that calls back', () => {
    expectPasses(
      'x = [2, 1]\nfails(lambda: sorted(x, key = lambda e: fail("key")), "key")\nx.append(3)\nfails(lambda: max(x, key = lambda e: fail("key")), "key")\nx.append(4)',
    );
  });
  it('restores the depth of calls', () => {
    expectPasses(
      'def f(n): return f(n + 1)\nfor i in range(5): fails(lambda: f(0), "deep|overflow")\ndef g(n): return n if n == 0 else g(n - 1)\neq(g(100), 0)',
    );
  });
  it('keeps $-patterns of a replacement as they are', () => {
    expectPasses(
      'eq("a.b".replace(".", "$&$1$$`"), "a$&$1$$`b")\neq(re.replace("b", "$$", "abc") in ["a$$c", "a$c"], True)',
    );
  });
});

describe('literals stay literals', () => {
  const texts = [
    '\\"',
    "'",
    '`',
    '\x24{1}',
    '\\u2028',
    '\\u2029',
    '*/',
    '//',
    '</script>',
    '\\\\',
    '\\n',
    '\\0',
    ');process.exit();(',
  ];
  for (const text of texts) {
    it(JSON.stringify(text), () => {
      const literal = `"""${text}"""`;
      expectPasses(
        `x = ${literal}\nd = {${literal}: 1}\neq(d[x], 1)\neq(len(x + ${literal}), 2 * len(x))\ndef f(y = ${literal}): return y\neq(f(), x)`,
      );
    });
  }
  it('raw U+2028 and a line in a comment', () => {
    expectPasses('x = "\u2028"\n# \u2028 fail("comment")\neq(len(x), 1)');
  });
});

const HOSTILE =
  '__proto__ constructor this arguments eval prototype toString valueOf hasOwnProperty static let enum new function var const ' +
  'null undefined NaN typeof void delete switch case throw catch export extends super instanceof do default debugger public ' +
  'private package interface implements protected __defineGetter__ __lookupSetter__ then toJSON name length caller callee call ' +
  'apply bind globalThis process require module exports Function Object Array Map T R K L r_add k0 g0 f0 v0_0 t0';

/** Reserved by the language itself, so they stand only where any text may: keys, field names given as text. */
const RESERVED = 'await async yield class import with try';

describe('a hostile name is only a name', () => {
  const positions: Readonly<Record<string, (n: string) => string>> = {
    global: (n) => `${n} = 5\neq(${n}, 5)\neq([${n}], [5])`,
    'global read by a function': (n) => `${n} = [5]\ndef reader_(): return ${n}\neq(reader_(), [5])`,
    local: (n) => `def outer_():\n    ${n} = 5\n    ${n} += 1\n    return ${n}\neq(outer_(), 6)`,
    captured: (n) =>
      `def outer_():\n    ${n} = 5\n    inner_ = lambda: ${n}\n    ${n} = 6\n    return inner_()\neq(outer_(), 6)`,
    parameter: (n) =>
      `def f_(${n}): return ${n}\neq(f_(1), 1)\neq(f_(${n} = 2), 2)\nfails(lambda: f_(), "missing 1 argument")`,
    'parameter with default': (n) => `def f_(${n} = 3): return ${n}\neq(f_(), 3)\neq(f_(4), 4)`,
    'keyword-only parameter': (n) =>
      `def f_(*, ${n}): return ${n}\neq(f_(${n} = 2), 2)\nfails(lambda: f_(), "missing 1 argument")`,
    'rest parameters': (n) =>
      `def f_(*${n}): return ${n}\neq(f_(1), (1,))\ndef g_(**${n}): return ${n}\neq(g_(a = 1), {"a": 1})`,
    'keyword argument to **kwargs': (n) =>
      `def f_(**k): return k\neq(f_(${n} = 1), {"${n}": 1})\neq(f_(**{"${n}": 2}), {"${n}": 2})`,
    'unexpected keyword argument': (n) =>
      `def f_(zzz_ = 1): return 1\nfails(lambda: f_(${n} = 1), "unexpected keyword argument")\nfails(lambda: sorted([], ${n} = 1), "unexpected keyword argument")`,
    'function name': (n) => `def ${n}(x_): return x_\neq(${n}(1), 1)\neq(str(${n}), "<function ${n}>")`,
    'nested function name': (n) =>
      `def outer_():\n    def ${n}(k_): return 0 if k_ == 0 else ${n}(k_ - 1)\n    return ${n}(3)\neq(outer_(), 0)`,
    attribute: (n) =>
      `fails(lambda: "".${n}, "has no .${n}|<built-in")\nfails(lambda: {}.${n}, "has no")\nfails(lambda: (1).${n}, "has no")\nfails(lambda: len.${n}, "has no")\nfails(lambda: None.${n}, "has no")\nfails(lambda: [].${n}(), "has no")\nfails(lambda: (lambda: 1).${n}, "has no")\nfails(lambda: json.${n}, "has no")`,
    'attribute by text': (n) =>
      `eq([hasattr(o, "${n}") for o in ["", [], {}, 1, None, len, json, struct(), set(), b"", range(1)]], [False] * 11)\neq(getattr({}, "${n}", 5), 5)`,
    'assigned attribute': (n) => `def f_():\n    x = struct()\n    x.${n} = 1\nfails(f_, "assign|field")`,
    'dict key': (n) =>
      `d = {"${n}": 1}\neq(d["${n}"], 1)\neq("${n}" in {}, False)\neq(d.get("${n}"), 1)\neq({}.get("${n}"), None)\nfails(lambda: {}["${n}"], "not in dict")\nd["${n}"] = 2\neq(d.keys(), ["${n}"])\neq(dict(${n} = 1), {"${n}": 1})`,
    'struct field': (n) =>
      `s = struct(${n} = 1)\neq(s.${n}, 1)\neq(str(s), "struct(${n} = 1)")\neq(json.encode(s), '{"${n}":1}')\nfails(lambda: struct().${n}, "has no")`,
    'format field': (n) =>
      `eq("{${n}}".format(${n} = 1), "1")\nfails(lambda: "{${n}}".format(), "not found|missing")`,
    'interpolated key': (n) =>
      `eq("%(${n})s" % {"${n}": 1}, "1")\nfails(lambda: "%(${n})s" % {}, "not found|not in")`,
    'comprehension variable': (n) =>
      `eq([${n} for ${n} in [1, 2]], [1, 2])\neq({${n}: ${n} for ${n} in [1]}, {1: 1})\neq([lambda: ${n} for ${n} in [1, 2]][0](), 2)`,
    'loop variable': (n) => `def f_():\n    for ${n} in [1, 2]: pass\n    return ${n}\neq(f_(), 2)`,
    'lambda parameter': (n) => `eq((lambda ${n}: ${n})(1), 1)\neq((lambda *${n}: ${n})(1), (1,))`,
    'unpacked target': (n) => `def f_():\n    ${n}, [b_] = 1, [2]\n    return (${n}, b_)\neq(f_(), (1, 2))`,
    'unbound variable': (n) =>
      `def f_():\n    if False: ${n} = 1\n    return ${n}\nfails(f_, "local variable ${n} referenced before assignment")`,
    'json key': (n) =>
      `eq(json.decode('{"${n}": {"${n}": 1}}'), {"${n}": {"${n}": 1}})\neq(json.encode({"${n}": 1}), '{"${n}":1}')`,
    'set element and string': (n) =>
      `eq("${n}" in set(["${n}"]), True)\neq("${n}" in set(), False)\neq(len("${n}" + "x"), ${n.length + 1})`,
    'regex group': (n) =>
      /^[A-Za-z_]+$/.test(n) ? `eq(re.search("(?P<${n}>a)", "a").named, {"${n}": "a"})` : '',
  };
  for (const [position, make] of Object.entries(positions)) {
    it(`as ${position}`, () => {
      for (const name of HOSTILE.split(' ')) expectPasses(make(name));
    });
  }

  it('as a name that nobody declared', () => {
    // Some of them could be found by a back end that looked them up in the host.
    for (const name of HOSTILE.replace(' catch ', ' ').split(' ')) {
      for (const text of [`x = ${name}`, `def f(): return ${name}`, `${name}()`, `x = ${name}.x`]) {
        expect(runBoth(text).failures[0]?.message).toMatch(new RegExp(`^undefined: ${name}`));
      }
    }
  });

  it('as a loaded name', () => {
    for (const name of HOSTILE.split(' ')) {
      const { failures } = runBoth(`load("nowhere.star", "${name}")\nx = ${name}`);
      expect(failures[0]?.message).toMatch(/nowhere\.star|underscore/);
    }
  });

  it('as a word reserved by the language, wherever any text may stand', () => {
    const textual = [
      'dict key',
      'interpolated key',
      'attribute by text',
      'json key',
      'set element and string',
    ];
    for (const name of RESERVED.split(' ')) {
      for (const position of textual) {
        expectPasses(positions[position]!(name).replace(/\neq\(dict\(.*$/m, ''));
      }
      expectPasses(
        `s = struct(**{"${name}": 1})\neq(getattr(s, "${name}"), 1)\neq("{${name}}".format(**{"${name}": 1}), "1")`,
      );
      expect(runBoth(`${name} = 1`).failures[0]?.kind).toBe('static');
    }
  });
});

describe('the engine is left as it was', () => {
  it('no intrinsic differs after the corpus and random programs have run', { timeout: 60_000 }, () => {
    const before = pictureIntrinsics();
    for (const chunk of corpusFiles().flatMap(readChunks)) {
      for (const backend of BACKENDS) {
        runScript(chunk.text, { backend, dialect: chunk.dialect, limits: { ...LIMITS, ...chunk.limits } });
      }
    }
    for (let seed = 0; seed < 50; seed++) run(generateProgram(new Random(seed)).text, 'js');
    expect(pictureIntrinsics()).toEqual(before);
  });

  it('a value a script makes is a primitive or one of ours, never a host object', () => {
    expectPasses(
      'VALUES = [None, True, 1, 1 << 70, 1.5, "s", b"b", [], (), {}, set(), range(1), len, "".upper, lambda: 1, struct(), json]\n' +
        'eq([type(v) for v in VALUES], ["NoneType", "bool", "int", "int", "float", "string", "bytes", "list", "tuple", "dict", "set", "range", "builtin_function_or_method", "builtin_function_or_method", "function", "struct", "module"])',
    );
  });
});

describe('the same script does the same, always', () => {
  it('in 1,000 runs', { timeout: 60_000 }, () => {
    const { text, recursion } = generateProgram(new Random(11));
    const limits = { steps: 20_000, memory: 300_000, depth: 60, intBits: 4096 };
    const outcomes = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      const backend = BACKENDS[i % 2]!;
      outcomes.add(JSON.stringify(runScript(text, { backend, limits, dialect: { while: true, recursion } })));
    }
    expect(outcomes.size).toBe(1);
  });

  let child: ChildProgram;
  beforeAll(async () => {
    child = await bundleChild('corpus-run');
  });
  afterAll(() => child?.remove());

  it('in two processes, one of them with frozen intrinsics, and where code may not be generated', {
    timeout: 120_000,
  }, async () => {
    const plain = await child.run({ args: ['js'] });
    expect(plain.stderr).toBe('');
    expect(plain.stdout.split('\n').length).toBeGreaterThan(500);
    const frozen = await child.run({ args: ['js', 'freeze'] });
    expect(frozen.stderr).toBe('');
    expect(frozen.stdout).toBe(plain.stdout);
    const forbidden = '--disallow-code-generation-from-strings';
    const closures = await child.run({ flags: [forbidden], args: ['closures'] });
    expect(closures.stderr).toBe('');
    expect(closures.stdout).toBe(plain.stdout);
    const fallback = await child.run({ flags: [forbidden], args: ['js'] });
    expect(fallback.stdout).toBe(plain.stdout);
  });
});
