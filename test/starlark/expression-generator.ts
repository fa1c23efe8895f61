/**
 * Makes random expressions of a wanted kind over the variables and functions in scope.
 */
import type { Random } from './random.ts';

/** `list` holds ints, `strs` strings, `dict` maps strings to ints, `set` holds ints, `tuple` is an int and a string. */
export type Kind = 'int' | 'string' | 'list' | 'strs' | 'dict' | 'bool' | 'tuple' | 'float' | 'set' | 'fn';
export const KINDS: readonly Kind[] = [
  ...(['int', 'int', 'int', 'string', 'string', 'list', 'list', 'strs'] as const),
  ...(['dict', 'bool', 'tuple', 'float', 'set', 'fn'] as const),
];

export interface Variable {
  readonly name: string;
  readonly kind: Kind;
}

export interface Fn {
  readonly name: string;
  readonly required: Variable[];
  readonly optional: Variable[];
  rest: boolean;
  keywords: boolean;
  readonly returns: Kind;
}

export interface Scope {
  readonly variables: Variable[];
  readonly functions: Fn[];
  readonly inLoop: boolean;
  readonly returns: Kind | null;
}

/** How often something of the wrong kind, or an operation that may fail, is chosen. */
const NOISE = 0.025;
const RISK = 0.06;

const ATOMS: Readonly<Record<Kind, readonly string[]>> = {
  int: '0 1 2 3 7 -1 -5 255 1000 2147483647 -2147483648 4294967296 9007199254740991 -9007199254740991 (1<<70)'.split(
    ' ',
  ),
  string: [
    '""',
    '"a"',
    '"abc"',
    '"Hello, World"',
    '"%"',
    '"{x}"',
    '"x,y,z"',
    '"  pad "',
    '"é"',
    '"😀b"',
    '"12"',
  ],
  list: ['[]', '[1, 2, 3]', '[3, -1, 2]', 'list(range(4))', '[0]'],
  strs: ['[]', '["b", "a"]', '["x"]', '"p q".split()'],
  dict: ['{}', '{"a": 1, "b": 2}', '{"__proto__": 0}', 'dict(constructor = 5)'],
  bool: ['True', 'False', 'None'],
  tuple: ['(1, "a")', '(-2, "")'],
  float: ['0.0', '1.5', '-2.25', '1e10', '0.1', '-0.0', 'float("inf")', 'float("nan")'],
  set: ['set()', 'set([1, 2])', 'set([5, -1, 5])'],
  fn: [
    '(lambda v: v)',
    '(lambda v: -v)',
    '(lambda v, w = 2: v + w)',
    '(lambda *v, **w: len(v))',
    'abs',
    'str',
  ],
};

export class ExpressionGenerator {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  atom(kind: Kind): string {
    return this.random.pick(ATOMS[kind]);
  }

  any(scope: Scope, depth: number): string {
    return this.of(this.random.pick(KINDS), scope, depth);
  }

  /** A variable, rather a late one than an early one. */
  variable(scope: Scope, kind?: Kind): Variable | undefined {
    const fitting = scope.variables.filter((each) => kind === undefined || each.kind === kind).slice(-6);
    return fitting.length === 0 ? undefined : this.random.pick(fitting);
  }

  of(kind: Kind, scope: Scope, depth: number): string {
    const { random } = this;
    if (random.chance(NOISE)) return `(${this.of(random.pick(KINDS), scope, depth)})`;
    if (random.chance(0.35)) {
      const known = this.variable(scope, kind);
      if (known !== undefined) return known.name;
    }
    if (depth <= 0) return this.atom(kind);
    if (random.chance(0.08)) {
      return `(${this.of(kind, scope, depth - 1)} if ${this.of('bool', scope, depth - 1)} else ${this.of(kind, scope, 0)})`;
    }
    if (random.chance(0.12)) {
      const fitting = scope.functions.filter((fn) => fn.returns === kind);
      if (fitting.length > 0) return this.callOf(random.pick(fitting), scope, depth - 1);
    }
    return this.compound(kind, scope, depth - 1);
  }

  /** A call that suits the function's parameters, as a rule. */
  callOf(fn: Fn, scope: Scope, depth: number): string {
    const { random } = this;
    const args: string[] = [];
    const named: string[] = [];
    for (const { name, kind } of fn.required) {
      const value = this.of(kind, scope, depth - 1);
      // Once one is passed by name, so are the rest.
      if (named.length > 0 || random.chance(0.15)) named.push(`${name} = ${value}`);
      else args.push(value);
    }
    for (const { name, kind } of fn.optional) {
      if (random.chance(0.5)) named.push(`${name} = ${this.of(kind, scope, depth - 1)}`);
    }
    if (fn.rest && named.length === 0 && random.chance(0.5)) args.push(this.any(scope, 0));
    if (fn.keywords && random.chance(0.5)) named.push(`extra = ${this.any(scope, 0)}`);
    if (random.chance(NOISE)) named.push(`constructor = ${this.any(scope, 0)}`);
    const unique = [...new Map(named.map((each) => [each.split(' =')[0], each])).values()];
    if (named.length === 0 && random.chance(0.1)) return `${fn.name}(*[${args.join(', ')}])`;
    if (random.chance(0.05)) unique.push('**{"toString": 1}');
    return `${fn.name}(${[...args, ...unique].join(', ')})`;
  }

  private compound(kind: Kind, scope: Scope, depth: number): string {
    const { random } = this;
    const any = () => this.any(scope, depth);
    const int = () => this.of('int', scope, depth);
    const text = () => this.of('string', scope, depth);
    const list = () => this.of('list', scope, depth);
    const strs = () => this.of('strs', scope, depth);
    const dict = () => this.of('dict', scope, depth);
    const bool = () => this.of('bool', scope, depth);
    const set = () => this.of('set', scope, depth);
    const float = () => this.of('float', scope, depth);
    const small = () => `(${int()} & 7)`;
    /** Evaluates `make` with one more variable in scope. */
    const over = (name: string, of: Kind, make: (inner: ExpressionGenerator, at: Scope) => string): string =>
      make(this, { ...scope, variables: [...scope.variables, { name, kind: of }] });
    const risky: Readonly<Record<Kind, readonly (() => string)[]>> = {
      int: [
        () => `(${int()} // ${int()})`,
        () => `${list()}[${int()}]`,
        () => `${dict()}[${text()}]`,
        () => `int(${any()})`,
      ],
      string: [
        () => `${text()}[${int()}]`,
        () => `(${text()} % ${any()})`,
        () => `${text()}.format(${any()})`,
      ],
      list: [
        () => `sorted([${any()}, ${any()}])`,
        () => `[${any()} for ${random.pick(['v', 'v, w'])} in ${any()}]`,
      ],
      strs: [() => `${text()}.split(${text()})`, () => `list(${any()})`],
      dict: [() => `{${any()}: ${any()}}`, () => `dict(${any()})`],
      bool: [() => `(${any()} < ${any()})`, () => `(${any()} in ${any()})`],
      tuple: [() => `${dict()}.popitem()`, () => `tuple(${any()})`],
      float: [() => `(${int()} / ${int()})`, () => `float(${any()})`],
      set: [() => `set(${any()})`, () => `${set()}.union(${any()})`],
      fn: [() => any(), () => `getattr(${any()}, "append")`],
    };
    const safe: Readonly<Record<Kind, readonly (() => string)[]>> = {
      int: [
        () => `(${int()} ${random.pick(['+', '-', '*', '&', '|', '^'])} ${int()})`,
        () => `(${int()} ${random.pick(['//', '%'])} (${int()} or 7))`,
        () => `(${int()} ${random.pick(['<<', '>>'])} ${small()})`,
        () => `len(${random.pick([text, list, dict, set, strs])()})`,
        () => `${random.pick(['-', '~', '+'])}${int()}`,
        () => `${random.pick(['max', 'min'])}(${int()}, ${int()})`,
        () => `int(str(${int()}))`,
        () => `${text()}.${random.pick(['find', 'count', 'rfind'])}(${text()})`,
        () => `(${list()} or [0])[0]`,
        () => `${dict()}.get(${text()}, ${int()})`,
        () => `(lambda v: ${over('v', 'int', (g, at) => g.of('int', at, depth))})(${int()})`,
        () => `hash(${text()})`,
      ],
      string: [
        () => `(${text()} + ${text()})`,
        () => `(${text()} * ${small()})`,
        () => `${random.pick(['str', 'repr', 'type'])}(${any()})`,
        () => `${text()}.${random.pick(['upper', 'lower', 'strip', 'title', 'capitalize'])}()`,
        () => `${text()}.replace(${text()}, ${text()})`,
        () => `${text()}.join(${strs()})`,
        () => `("%s:%r" % (${any()}, ${any()}))`,
        () => `"{}{}".format(${any()}, ${any()})`,
        () => `${text()}[${int()}:${int()}]`,
        () => `${text()}[::-1]`,
      ],
      list: [
        () => `[${int()}, ${int()}]`,
        () => `(${list()} + ${list()})`,
        () => `[${over('v', 'int', (g, at) => g.of('int', at, depth))} for v in ${list()}]`,
        () => `[v for v in ${list()} if ${over('v', 'int', (g, at) => g.of('bool', at, depth))}]`,
        () => `[v * w for v in ${list()} for w in range(${small()})]`,
        () => `sorted(${list()}, reverse = bool(${bool()}))`,
        () => `sorted(${list()}, key = ${random.pick(['abs', '(lambda v: -v)', 'str'])})`,
        () => `${list()}[${int()}:${int()}:${random.pick(['1', '2', '-1', '-3'])}]`,
        () => `${dict()}.values()`,
        () => `list(range(${small()}))`,
        () => `reversed(${list()})`,
        () => `list(${set()})`,
      ],
      strs: [
        () => `[${text()}, ${text()}]`,
        () => `${dict()}.keys()`,
        () => `${text()}.split(",")`,
        () => `[str(v) for v in ${list()}]`,
        () => `sorted(${strs()})`,
        () => `list(${text()}.elems())`,
      ],
      dict: [
        () => `dict([(${text()}, ${int()}), (${text()}, ${int()})])`,
        () => `{str(v): ${over('v', 'int', (g, at) => g.of('int', at, depth))} for v in ${list()}}`,
        () =>
          `{k: v for k, v in ${dict()}.items() if ${over('k', 'string', (g, at) => g.of('bool', at, depth))}}`,
        () => `(${dict()} | ${dict()})`,
        () => `dict(${dict()}, toString = ${int()})`,
      ],
      bool: [
        () => `(${int()} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${int()})`,
        () => `(${text()} ${random.pick(['==', '<', 'in', 'not in', '>='])} ${text()})`,
        () => `(${any()} == ${any()})`,
        () => `(not ${any()})`,
        () => `(${bool()} ${random.pick(['and', 'or'])} ${bool()})`,
        () => `(${int()} in ${list()})`,
        () => `(${text()} in ${dict()})`,
        () => `hasattr(${any()}, "${random.pick(['append', 'constructor', '__proto__', 'upper'])}")`,
        () => `${random.pick(['any', 'all'])}(${list()})`,
        () => `${text()}.startswith(${text()})`,
        () => `(${float()} < ${int()})`,
        () => `(${list()} < ${list()})`,
      ],
      tuple: [() => `(${int()}, ${text()})`, () => `tuple([${int()}, ${text()}])`],
      float: [
        () => `(${float()} ${random.pick(['+', '-', '*'])} ${random.pick([int, float])()})`,
        () => `(${int()} / (${int()} or 3))`,
        () => `float(${int()})`,
        () => `abs(${float()})`,
      ],
      set: [
        () => `set(${list()})`,
        () => `(${set()} ${random.pick(['|', '&', '-', '^'])} ${set()})`,
        () => `${set()}.union(${list()})`,
      ],
      fn: [
        () => `(lambda v: ${over('v', 'int', (g, at) => g.any(at, depth))})`,
        () => `(lambda v, w = ${any()}: ${any()})`,
        () => `${random.pick([text, list])()}.${random.pick(['count', 'index', 'find', 'append'])}`,
      ],
    };
    return random.pick((random.chance(RISK) ? risky : safe)[kind])();
  }
}
