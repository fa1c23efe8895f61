/**
 * Makes random Starlark programs: right in syntax, nearly right in types, and with enough noise to fail everywhere now and
 * then. Every function is called through `catch`, a host function that prints what came of it and lets the program go on.
 */
import { ExpressionGenerator, type Fn, KINDS, type Kind, type Scope } from './expression-generator.ts';
import type { Random } from './random.ts';

/** Names that mean something in JavaScript are names like any other. */
const NAMES =
  'a b c n x y this constructor __proto__ arguments eval prototype let toString undefined new'.split(' ');
const AUGMENTED: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  int: ['+=', '-=', '*=', '|=', '&=', '^='],
  string: ['+='],
  list: ['+='],
  strs: ['+='],
  dict: ['|='],
  set: ['|=', '&=', '-='],
  float: ['+=', '*='],
};

export function generateProgram(random: Random): { text: string; recursion: boolean } {
  const text = new ProgramGenerator(random).program();
  return { text, recursion: random.chance(0.3) };
}

class ProgramGenerator {
  private readonly random: Random;
  private readonly lines: string[] = [];
  private readonly expressions: ExpressionGenerator;
  /** Statements left for the function being written. */
  private budget = 0;

  constructor(random: Random) {
    this.random = random;
    this.expressions = new ExpressionGenerator(random);
  }

  program(): string {
    const top: Scope = { variables: [], functions: [], inLoop: false, returns: null };
    for (let i = 3 + this.random.below(3); i > 0; i--) {
      const kind = this.random.pick(KINDS);
      this.emit(0, `g${i} = ${this.expressions.atom(kind)}`);
      top.variables.push({ name: `g${i}`, kind });
    }
    for (let i = 2 + this.random.below(3); i > 0; i--) {
      this.budget = 16;
      top.functions.push(this.def(`f${i}`, top, 0));
    }
    for (const fn of top.functions) {
      for (let i = 0; i < 3; i++) this.emit(0, `catch(lambda: ${this.expressions.callOf(fn, top, 2)})`);
    }
    for (let i = 0; i < 3; i++) this.emit(0, `catch(lambda: ${this.expressions.any(top, 3)})`);
    this.emit(0, `print(${top.variables.map(({ name }) => name).join(', ')})`);
    if (this.random.chance(0.3)) this.emit(0, `last = ${this.expressions.any(top, 3)}`);
    return `${this.lines.join('\n')}\n`;
  }

  private emit(indent: number, text: string): void {
    this.lines.push('    '.repeat(indent) + text);
  }

  private def(name: string, outer: Scope, indent: number): Fn {
    const names = NAMES.filter(() => this.random.chance(0.6));
    const take = (): string => names.shift() ?? `p${this.random.below(1000)}`;
    const fn: Fn = {
      name,
      required: [],
      optional: [],
      rest: false,
      keywords: false,
      returns: this.random.pick(KINDS),
    };
    const scope: Scope = {
      variables: [...outer.variables],
      functions: [...outer.functions],
      inLoop: false,
      returns: fn.returns,
    };
    const texts: string[] = [];
    for (let i = this.random.below(3); i > 0; i--) {
      const parameter = { name: take(), kind: this.random.pick(KINDS) };
      fn.required.push(parameter);
      texts.push(parameter.name);
    }
    for (let i = this.random.below(3); i > 0; i--) {
      const parameter = { name: take(), kind: this.random.pick(KINDS) };
      fn.optional.push(parameter);
      texts.push(`${parameter.name} = ${this.expressions.atom(parameter.kind)}`);
    }
    if (this.random.chance(0.2)) {
      fn.rest = true;
      texts.push(`*${take()}`);
    }
    if (this.random.chance(0.2)) {
      fn.keywords = true;
      texts.push(`**${take()}`);
    }
    scope.variables.push(...fn.required, ...fn.optional);
    this.emit(indent, `def ${name}(${texts.join(', ')}):`);
    this.block(scope, indent + 1, 3 + this.random.below(4));
    if (this.random.chance(0.9)) this.emit(indent + 1, `return ${this.expressions.of(fn.returns, scope, 2)}`);
    return fn;
  }

  private block(scope: Scope, indent: number, count: number): void {
    for (let i = 0; i < count; i++) this.statement(scope, indent);
  }

  private statement(scope: Scope, indent: number): void {
    const { random, expressions } = this;
    if (this.budget-- <= 0 || indent > 5) {
      this.assign(scope, indent, 1);
      return;
    }
    const roll = random.below(100);
    if (roll < 24) this.assign(scope, indent, 3);
    else if (roll < 38) this.change(scope, indent);
    else if (roll < 44) this.unpack(scope, indent);
    else if (roll < 48)
      this.emit(indent, `print(${expressions.any(scope, 2)}, ${expressions.any(scope, 1)})`);
    else if (roll < 60) this.conditional(scope, indent);
    else if (roll < 76) this.loop(scope, indent);
    else if (roll < 82 && indent < 3) this.nested(scope, indent);
    else if (roll < 87) this.emit(indent, `catch(lambda: ${expressions.any(scope, 3)})`);
    else if (roll < 92 && scope.inLoop) this.guarded(scope, indent, random.pick(['break', 'continue']));
    else if (roll < 95)
      this.guarded(scope, indent, `return ${expressions.of(scope.returns ?? 'int', scope, 1)}`);
    else this.emit(indent, expressions.any(scope, 3));
  }

  private assign(scope: Scope, indent: number, depth: number): void {
    const kind = this.random.pick(KINDS);
    const value = this.expressions.of(kind, scope, depth);
    this.emit(indent, `${this.bind(scope, kind)} = ${value}`);
  }

  private unpack(scope: Scope, indent: number): void {
    const [first, second] = [this.random.pick(KINDS), this.random.pick(KINDS)];
    const values = `${this.expressions.of(first, scope, 1)}, ${this.expressions.of(second, scope, 1)}`;
    const targets = `${this.bind(scope, first)}, ${this.bind(scope, second)}`;
    const [open, close] = this.random.pick([
      ['', ''],
      ['(', ')'],
      ['[', ']'],
    ]);
    this.emit(indent, `${open}${targets}${close} = ${open}${values}${close}`);
  }

  /** Changes a variable or what it holds. */
  private change(scope: Scope, indent: number): void {
    const { expressions, random } = this;
    const variable = expressions.variable(scope);
    const value = (of: Kind): string => expressions.of(of, scope, 1);
    const changes: Partial<Record<Kind, (name: string) => string>> = {
      list: (name) => `${name}.${random.pick(['append', 'append', 'remove'])}(${value('int')})`,
      strs: (name) => `${name}.append(${value('string')})`,
      dict: (name) => `${name}[${value('string')}] ${random.pick(['=', '=', '+='])} ${value('int')}`,
      set: (name) => `${name}.${random.pick(['add', 'discard'])}(${value('int')})`,
    };
    const change = variable && changes[variable.kind];
    const operators = variable && AUGMENTED[variable.kind];
    // Augmenting a global would make a local of it, and an unbound one.
    const mayAugment = variable && (!/^g\d/.test(variable.name) || random.chance(0.05));
    if (change !== undefined && random.chance(0.7)) this.emit(indent, change(variable!.name));
    else if (operators === undefined || !mayAugment) this.assign(scope, indent, 2);
    else this.emit(indent, `${variable!.name} ${random.pick(operators)} ${value(variable!.kind)}`);
  }

  private guarded(scope: Scope, indent: number, text: string): void {
    this.emit(indent, `if ${this.expressions.of('bool', scope, 2)}:`);
    this.emit(indent + 1, text);
  }

  private conditional(scope: Scope, indent: number): void {
    this.emit(indent, `if ${this.expressions.of('bool', scope, 2)}:`);
    this.block(scope, indent + 1, 1 + this.random.below(2));
    if (this.random.chance(0.3)) {
      this.emit(indent, `elif ${this.expressions.any(scope, 1)}:`);
      this.block(scope, indent + 1, 1);
    }
    if (this.random.chance(0.5)) {
      this.emit(indent, 'else:');
      this.block(scope, indent + 1, 1);
    }
  }

  private loop(scope: Scope, indent: number): void {
    const inner: Scope = { ...scope, inLoop: true };
    const { expressions, random } = this;
    const form = random.below(10);
    if (form < 2) {
      const counter = this.bind(scope, 'int');
      this.emit(indent, `${counter} = ${random.below(5)}`);
      this.emit(indent, `while ${counter} > 0:`);
      this.emit(indent + 1, `${counter} -= 1`);
    } else if (form === 4) {
      const columns = `${expressions.of('list', scope, 1)}, ${expressions.of('list', scope, 1)}`;
      const rows = random.chance(0.5) ? `zip(${columns})` : `enumerate(${expressions.of('list', scope, 1)})`;
      this.emit(indent, `for ${this.bind(inner, 'int')}, ${this.bind(inner, 'int')} in ${rows}:`);
    } else if (form < 4) {
      const items = `${expressions.of('dict', scope, 1)}.items()`;
      this.emit(indent, `for ${this.bind(inner, 'string')}, ${this.bind(inner, 'int')} in ${items}:`);
    } else {
      const source = random.pick<Kind>(['list', 'strs', 'dict', 'set']);
      const iterable = random.chance(0.5) ? `range(${random.below(6)})` : expressions.of(source, scope, 2);
      const kind = iterable.startsWith('range(') || source === 'list' || source === 'set' ? 'int' : 'string';
      this.emit(indent, `for ${this.bind(inner, kind)} in ${iterable}:`);
    }
    this.block(inner, indent + 1, 1 + random.below(3));
  }

  private nested(scope: Scope, indent: number): void {
    const name = this.random.pick(NAMES);
    // A name that was a variable is a function from here on.
    const fn = this.def(name, { ...scope, inLoop: false }, indent);
    scope.functions.push(fn);
  }

  /** Binds a name; from then on it has this kind, unless a branch was not taken. */
  private bind(scope: Scope, kind: Kind): string {
    const name = this.random.pick(NAMES);
    scope.variables.push({ name, kind });
    return name;
  }
}
