/**
 * Nothing a script does reaches the JavaScript world, and nothing it does takes its host down: the attacks that broke an
 * earlier design, hostile names wherever a name can stand, and the engine's own objects compared before and after. With
 * small limits and a few names here; security.slow.test.ts has all of them.
 */
import { describe, expect, it } from 'vitest';
import { corpusFiles, readChunks } from './chunks.ts';
import { pictureIntrinsics } from './intrinsics.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';
import { BACKENDS, runScript } from './script.ts';
import { ATTACKS, expectPasses, LIMITS, POSITIONS, RESERVED, run, runBoth } from './security-cases.ts';

const SMALL = { ...LIMITS, steps: 50_000, memory: 2_500_000 };
/** One of each kind: of the engine's objects, of its keywords, of names that generated code has itself. */
const NAMES = '__proto__ constructor arguments toString f0 T'.split(' ');
/** Every so many chunks of the corpus. */
const STRIDE = 16;

describe('limits end every attack on memory and time', () => {
  for (const [name, [text, kind]] of Object.entries(ATTACKS)) {
    it(name, () => {
      expect(runBoth(text, SMALL).failures[0]?.kind ?? 'none').toMatch(kind);
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

describe('a hostile name is only a name', () => {
  for (const [position, make] of Object.entries(POSITIONS)) {
    it(`as ${position}`, () => {
      for (const name of NAMES) expectPasses(make(name));
    });
  }

  it('as a name that nobody declared', () => {
    // Some of them could be found by a back end that looked them up in the host.
    for (const name of NAMES) {
      for (const text of [`x = ${name}`, `def f(): return ${name}`, `${name}()`, `x = ${name}.x`]) {
        expect(runBoth(text).failures[0]?.message).toMatch(new RegExp(`^undefined: ${name}`));
      }
    }
  });

  it('as a loaded name', () => {
    for (const name of NAMES) {
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
        expectPasses(POSITIONS[position]!(name).replace(/\neq\(dict\(.*$/m, ''));
      }
      expectPasses(
        `s = struct(**{"${name}": 1})\neq(getattr(s, "${name}"), 1)\neq("{${name}}".format(**{"${name}": 1}), "1")`,
      );
      expect(runBoth(`${name} = 1`).failures[0]?.kind).toBe('static');
    }
  });
});

describe('the engine is left as it was', () => {
  it('no intrinsic differs after scripts have run', () => {
    const before = pictureIntrinsics();
    const chunks = corpusFiles().flatMap(readChunks);
    for (const chunk of chunks.filter((_, i) => i % STRIDE === 0)) {
      for (const backend of BACKENDS) {
        runScript(chunk.text, { backend, dialect: chunk.dialect, limits: { ...SMALL, ...chunk.limits } });
      }
    }
    for (let seed = 0; seed < 3; seed++) run(generateProgram(new Random(seed)).text, 'js', SMALL);
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
  it('in 20 runs', () => {
    const { text, recursion } = generateProgram(new Random(11));
    const limits = { steps: 20_000, memory: 300_000, depth: 60, intBits: 4096 };
    const outcomes = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const backend = BACKENDS[i % 2]!;
      outcomes.add(JSON.stringify(runScript(text, { backend, limits, dialect: { while: true, recursion } })));
    }
    expect(outcomes.size).toBe(1);
  });
});
