/**
 * The attacks on the host that a script may try, and the names it may try them with; security.process.test.ts runs a quick part of
 * them, security.slow.test.ts all.
 */
import { expect } from 'vitest';
import type { Limits } from '../../src/exports/starlark.ts';
import { BACKENDS, type Backend, type Outcome, runScript } from './script.ts';

export const LIMITS = { steps: 1_000_000, memory: 50_000_000, depth: 200, intBits: 65_536 };
export const DIALECT = { while: true, recursion: true, topLevelControl: true, globalReassign: true };

export function run(text: string, backend: Backend, limits: Partial<Limits> = LIMITS): Outcome {
  return runScript(text, { backend, limits, dialect: DIALECT });
}

/** The same on both back ends; gives what they agree on. */
export function runBoth(text: string, limits?: Partial<Limits>): Outcome {
  const [first, second] = BACKENDS.map((backend) => run(text, backend, limits));
  expect(second).toEqual(first);
  return first!;
}

export function expectPasses(text: string): void {
  expect(runBoth(text).failures, text).toEqual([]);
}

/** What each does, and the limit that ends it. */
export const ATTACKS: Readonly<Record<string, readonly [text: string, kind: RegExp]>> = {
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
  'max of a long range, often': ['for i in range(1000): max(range(1000000))', /memory|steps/],
  'a set made over and over': ['x = range(10000)\nfor i in range(10000): set(x)', /memory|steps/],
  'spreading a long range': ['def f(*a): return 0\nf(*range(100000000))', /memory|steps/],
  'unpacking a long range': ['a, b = range(100000000)', /eval/],
  'a slow pattern': ['re.search("(a*)*(a*)*(a*)*b", "a" * 1000000)', /steps|none/],
  'json of a wide value': ['x = ["b" * 1000] * 1000\nfor i in range(1000): json.encode(x)', /memory|steps/],
};

export const HOSTILE =
  '__proto__ constructor this arguments eval prototype toString valueOf hasOwnProperty static let enum new function var const ' +
  'null undefined NaN typeof void delete switch case throw catch export extends super instanceof do default debugger public ' +
  'private package interface implements protected __defineGetter__ __lookupSetter__ then toJSON name length caller callee call ' +
  'apply bind globalThis process require module exports Function Object Array Map T R K L r_add k0 g0 f0 v0_0 t0';

/** Reserved by the language itself, so they stand only where any text may: keys, field names given as text. */
export const RESERVED = 'await async yield class import with try';

/** A script for each place a name can stand; all of them pass. */
export const POSITIONS: Readonly<Record<string, (n: string) => string>> = {
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
