/**
 * Sets and dicts against a list of pairs: of equal elements or keys (0 and 0.0, 1 and 1.0) the first one inserted stays until
 * it is deleted, whatever was in the collection before. Both back ends.
 */
import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';
import { BACKENDS, runScript } from './script.ts';

/** A value: how it is written, how it is printed, and a name that it shares with every value equal to it. */
interface Sample {
  readonly code: string;
  readonly repr: string;
  readonly equals: string;
}

const sample = (code: string, equals: string, repr = code): Sample => ({ code, repr, equals });

/** Enough small ints for every representation a collection may choose for them. */
const INTS = Array.from({ length: 20 }, (_, i) => sample(String(i), `n${i}`));
const VALUES: readonly Sample[] = [
  ...INTS,
  ...INTS.map(({ code, equals }) => sample(`${code}.0`, equals)),
  sample('-0.0', 'n0'),
  sample('-3', 'n-3'),
  sample('-3.0', 'n-3'),
  sample('2.5', 'n2.5'),
  sample('(1 << 60)', 'n2^60', '1152921504606846976'),
  sample('float(1 << 60)', 'n2^60', '1.152921504606847e+18'),
  sample('True', 'T'),
  sample('False', 'F'),
  sample('None', 'N'),
  sample('"0"', 's0'),
  sample('"\\0"', 's\\0', '"\\x00"'),
  sample('(0, 1)', 't01'),
  sample('(0.0, 1)', 't01'),
  sample('(False, 1)', 'tF1'),
];

type Entry = readonly [key: Sample, value: string];

/** The model: entries in order, searched from the start. */
class Model {
  entries: Entry[] = [];
  has = (key: Sample) => this.entries.some(([each]) => each.equals === key.equals);
  put(key: Sample, value: string): void {
    const at = this.entries.findIndex(([each]) => each.equals === key.equals);
    if (at === -1) this.entries.push([key, value]);
    else this.entries[at] = [this.entries[at]![0], value];
  }
  drop(key: Sample): void {
    this.entries = this.entries.filter(([each]) => each.equals !== key.equals);
  }
}

/** One statement over the collection `c`, done to the model as well. */
type Step = (model: Model, values: readonly Sample[], random: Random) => string;

const codes = (values: readonly Sample[]) => values.map(({ code }) => code).join(', ');
const within = (values: readonly Sample[], key: Sample) => values.some((each) => each.equals === key.equals);

const keepOnly = (wanted: boolean) => (model: Model, values: readonly Sample[]) => {
  model.entries = model.entries.filter(([key]) => within(values, key) === wanted);
};
const addAll = (model: Model, values: readonly Sample[]) => {
  for (const each of values) model.put(each, '');
};
const toggle = (model: Model, values: readonly Sample[]) => {
  const before = [...model.entries];
  const other = new Model();
  addAll(other, values);
  keepOnly(false)(model, values);
  model.entries.push(
    ...other.entries.filter(([key]) => !before.some(([each]) => each.equals === key.equals)),
  );
};
const whole =
  (write: (codes: string) => string, act: (model: Model, values: readonly Sample[]) => void): Step =>
  (model, values) => {
    act(model, values);
    return write(codes(values));
  };

const SET_STEPS: readonly Step[] = [
  ...Array.from({ length: 4 }, () => whole((x) => `[c.add(x) for x in [${x}]]`, addAll)),
  ...Array.from({ length: 4 }, () => whole((x) => `[c.discard(x) for x in [${x}]]`, keepOnly(false))),
  whole((x) => `c.update([${x}])`, addAll),
  whole((x) => `c |= set([${x}])`, addAll),
  whole((x) => `c = c.union([${x}])`, addAll),
  whole((x) => `c -= set([${x}])`, keepOnly(false)),
  whole((x) => `c.difference_update([${x}])`, keepOnly(false)),
  whole((x) => `c = c - set([${x}])`, keepOnly(false)),
  whole(
    (x) => `c = c & set([${x}, 0, 1, 2, 3])`,
    (model, values) => keepOnly(true)(model, [...values, ...INTS.slice(0, 4)]),
  ),
  whole((x) => `c ^= set([${x}])`, toggle),
  whole((x) => `c.symmetric_difference_update([${x}])`, toggle),
  (model) => (model.entries.shift() === undefined ? 'pass' : 'c.pop()'),
  (model, [first]) => {
    const found = model.has(first!);
    model.drop(first!);
    return found ? `c.remove(${first!.code})` : 'pass';
  },
  () => 'c = set(list(c))',
  () => 'c = c.union()',
  (model) => {
    model.entries = INTS.slice(0, 12).map((each): Entry => [each, '']);
    return 'c = set(range(12))';
  },
];

const setAll =
  (write: (pairs: string, round: string) => string): Step =>
  (model, values, random) => {
    const value = String(random.below(1000));
    for (const each of values) model.put(each, value);
    return write(values.map(({ code }) => `(${code}, ${value})`).join(', '), value);
  };

const DICT_STEPS: readonly Step[] = [
  ...Array.from({ length: 4 }, () => setAll((pairs) => `for k, v in [${pairs}]: c[k] = v`)),
  ...Array.from({ length: 4 }, () => whole((x) => `[c.pop(x, None) for x in [${x}]]`, keepOnly(false))),
  setAll((pairs) => `c.update([${pairs}])`),
  setAll((pairs) => `c |= dict([${pairs}])`),
  setAll((pairs) => `c = c | dict([${pairs}])`),
  (model, [first]) => {
    if (!model.has(first!)) model.put(first!, '7');
    return `c.setdefault(${first!.code}, 7)`;
  },
  (model) => (model.entries.shift() === undefined ? 'pass' : 'c.popitem()'),
  () => 'c = dict(c)',
  () => 'c = {k: v for k, v in c.items()}',
  () => 'c = dict(c.items())',
];

const KINDS = {
  set: {
    empty: 'set()',
    steps: SET_STEPS,
    show: ({ entries }: Model) =>
      entries.length === 0 ? 'set([])' : `set([${entries.map(([{ repr }]) => repr).join(', ')}])`,
  },
  dict: {
    empty: '{}',
    steps: DICT_STEPS,
    show: ({ entries }: Model) => `{${entries.map(([{ repr }, value]) => `${repr}: ${value}`).join(', ')}}`,
  },
} as const;

const ROUNDS = 150;
const STATEMENTS = 40;
const DIALECT = { topLevelControl: true, globalReassign: true };

describe.each(BACKENDS)('on the back end %s', (backend) => {
  const printed = (text: string): readonly string[] => {
    const { failures, output } = runScript(text, { backend, dialect: DIALECT });
    expect(failures, text).toEqual([]);
    return output;
  };

  it('a float that is put where an equal int was deleted stays when the int comes again', () => {
    expect(printed('s = set([0, 1])\ns.discard(0)\ns.add(0.0)\ns.add(0)\nprint(s, list(s), len(s))')).toEqual(
      ['set([1, 0.0]) [1, 0.0] 2'],
    );
    expect(printed('d = {0: "a"}\nd.pop(0)\nd[0.0] = 1\nd[0] = 2\nprint(d)')).toEqual(['{0.0: 2}']);
  });

  it.each(['set', 'dict'] as const)('the first of equal keys stays in every history of a %s', (kind) => {
    const { empty, steps, show } = KINDS[kind];
    for (let seed = 0; seed < ROUNDS; seed++) {
      const random = new Random(seed);
      const model = new Model();
      const lines = [`c = ${empty}`];
      const expected: string[] = [];
      // A few values often: then they meet.
      const some = Array.from({ length: 4 + random.below(20) }, () => random.pick(VALUES));
      for (let i = 0; i < STATEMENTS; i++) {
        const values = Array.from({ length: 1 + random.below(4) }, () => random.pick(some));
        lines.push(random.pick(steps)(model, values, random), 'print(c, len(c))');
        expected.push(`${show(model)} ${model.entries.length}`);
      }
      expect(printed(lines.join('\n')), lines.join('\n')).toEqual(expected);
    }
  });
});
