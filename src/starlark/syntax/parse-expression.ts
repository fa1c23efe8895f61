/**
 * The parser of expressions: recursive descent with precedence climbing, and loops wherever the tree leans left.
 */
import type {
  Argument,
  BinaryOp,
  CompareOp,
  Comprehension,
  DictEntry,
  Expr,
  ForClause,
  FunctionNode,
  IfClause,
  Literal,
  Parameter,
  Target,
} from './ast.ts';
import type { LiteralKind, TokenKind } from './token.ts';
import { TokenReader } from './token-reader.ts';

/** Loosest first. Comparisons are one level and do not associate; every other level associates to the left. */
const LEVELS: readonly (readonly BinaryOp[])[] = [
  ['or'],
  ['and'],
  [], // not
  ['==', '!=', '<', '>', '<=', '>=', 'in', 'not in'],
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%'],
];
const NOT_LEVEL = 2;
const COMPARE_LEVEL = 3;
const LEVEL_OF: ReadonlyMap<TokenKind, number> = new Map(
  LEVELS.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
);

const LITERAL_TYPES: Readonly<Record<LiteralKind, Literal['type']>> = {
  'int literal': 'int',
  'float literal': 'float',
  'string literal': 'string',
  'bytes literal': 'bytes',
};

/** What messages call an expression that cannot be assigned to. */
const NOT_TARGETS: Readonly<Partial<Record<Expr['kind'], string>>> = {
  literal: 'literal',
  dict: 'dictexpr (a dictionary)',
  comprehension: 'comprehension',
  unary: 'unaryexpr (an operation)',
  binary: 'binaryexpr (an operation)',
  conditional: 'condexpr (a conditional)',
  call: 'callexpr (a function call)',
  slice: 'sliceexpr (a slice)',
  lambda: 'lambdaexpr (a function)',
};

/** Tokens after which a comma before them was a trailing one. */
const LIST_ENDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'end of file',
  'newline',
  '=',
  '}',
  ']',
  ')',
  ';',
]);

export class ExpressionParser extends TokenReader {
  /** One expression, or several with commas between, which make a tuple. */
  protected expressions(trailingComma = false): Expr {
    const first = this.expression();
    if (!this.is(',')) return first;
    const items = this.moreItems(first, trailingComma);
    return { kind: 'tuple', items, parenthesized: false, start: first.start, end: this.lastEnd };
  }

  private moreItems(first: Expr, trailingComma: boolean): Expr[] {
    const items = [first];
    let height = this.height;
    while (this.is(',')) {
      const comma = this.advance();
      if (LIST_ENDS.has(this.kind)) {
        if (!trailingComma) this.fail(comma, 'unparenthesized tuple with trailing comma');
        break;
      }
      items.push(this.expression());
      height = Math.max(height, this.height);
    }
    this.grow(height);
    return items;
  }

  /** An expression without commas. With `conditional` false a following `if` is left for the comprehension around it. */
  protected expression(conditional = true): Expr {
    this.enter();
    const found = this.is('lambda') ? this.lambda(conditional) : this.maybeConditional(conditional);
    this.depth--;
    return found;
  }

  private maybeConditional(conditional: boolean): Expr {
    const then = this.binary(0);
    if (!this.is('if') || !conditional) return then;
    const thenHeight = this.height;
    const ifStart = this.advance();
    const condition = this.binary(0);
    const conditionHeight = this.height;
    if (!this.is('else')) this.fail(ifStart, 'conditional expression without else clause');
    this.advance();
    const otherwise = this.expression();
    this.grow(Math.max(thenHeight, conditionHeight, this.height));
    return { kind: 'conditional', condition, then, otherwise, start: then.start, end: otherwise.end };
  }

  private lambda(conditional: boolean): Expr {
    const start = this.advance();
    const params = this.parameters();
    const paramsHeight = this.height;
    this.expect(':');
    const value = this.expression(conditional);
    this.grow(Math.max(paramsHeight, this.height));
    const end = value.end;
    const body = [{ kind: 'return', value, start: value.start, end } as const];
    const fn: FunctionNode = { name: 'lambda', params, body, start, end };
    return { kind: 'lambda', fn, start, end };
  }

  /** Binary operators that bind at least as tightly as `level`. */
  protected binary(level: number): Expr {
    let left = this.is('not') && level <= NOT_LEVEL ? this.negation() : this.operand();
    for (;;) {
      if (this.is('not')) this.joinNotIn();
      const operator = this.kind;
      const found = LEVEL_OF.get(operator);
      if (found === undefined || found < level) return left;
      if (found === COMPARE_LEVEL && left.kind === 'binary' && LEVEL_OF.get(left.op) === COMPARE_LEVEL) {
        const message = `${left.op} does not associate with ${operator} (use parens)`;
        this.fail(this.scanner.start, message);
      }
      const leftHeight = this.height;
      const opStart = this.advance();
      this.enter();
      const right = this.binary(found + 1);
      this.depth--;
      this.grow(Math.max(leftHeight, this.height));
      left = {
        kind: 'binary',
        op: operator as BinaryOp,
        opStart,
        left,
        right,
        start: left.start,
        end: right.end,
      };
    }
  }

  private negation(): Expr {
    const start = this.advance();
    this.enter();
    const operand = this.binary(NOT_LEVEL);
    this.depth--;
    this.grow(this.height);
    return { kind: 'unary', op: 'not', operand, start, end: operand.end };
  }

  /** After an operand `not` can only be the first half of `not in`; the two become one token. */
  private joinNotIn(): void {
    const start = this.advance();
    if (!this.is('in')) this.unexpected('in');
    const joined: CompareOp = 'not in';
    this.scanner.kind = joined;
    this.scanner.start = start;
  }

  /** An operand with its suffixes: calls, indices, slices, dots. */
  protected operand(): Expr {
    let found = this.atom();
    for (;;) {
      switch (this.scanner.kind) {
        case '.': {
          const dotStart = this.advance();
          const height = this.height;
          const { name, start: nameStart, end } = this.identifier();
          this.grow(height);
          found = { kind: 'dot', object: found, name, dotStart, nameStart, start: found.start, end };
          break;
        }
        case '(':
          found = this.call(found);
          break;
        case '[':
          found = this.subscript(found);
          break;
        default:
          return found;
      }
    }
  }

  private call(callee: Expr): Expr {
    const openStart = this.advance();
    let height = this.height;
    const args: Argument[] = [];
    while (!this.is(')')) {
      args.push(this.argument());
      height = Math.max(height, this.height);
      if (!this.accept(',')) break;
    }
    if (!this.is(')') && !this.is('end of file')) this.unexpected("',' or ')'");
    this.close(')', openStart);
    this.grow(height);
    return { kind: 'call', callee, args, openStart, start: callee.start, end: this.lastEnd };
  }

  private argument(): Argument {
    const { kind, start } = this.scanner;
    if (kind === '*' || kind === '**') {
      this.advance();
      const value = this.expression();
      return { kind: kind === '*' ? 'star' : 'starstar', name: null, value, start, end: value.end };
    }
    const value = this.expression();
    if (!this.is('=')) return { kind: 'positional', name: null, value, start, end: value.end };
    if (value.kind !== 'ident') this.fail(this.scanner.start, 'keyword argument must have form name=expr');
    this.advance();
    const given = this.expression();
    return { kind: 'named', name: value.name, value: given, start, end: given.end };
  }

  private subscript(object: Expr): Expr {
    const openStart = this.advance();
    const start = object.start;
    let height = this.height;
    let low: Expr | null = null;
    if (!this.is(':')) {
      low = this.expressions();
      height = Math.max(height, this.height);
      if (!this.is(':')) {
        this.close(']', openStart);
        this.grow(height);
        return { kind: 'index', object, index: low, openStart, start, end: this.lastEnd };
      }
    }
    const bound = (): Expr | null => {
      if (!this.accept(':') || this.is(':') || this.is(']')) return null;
      const value = this.expression();
      height = Math.max(height, this.height);
      return value;
    };
    const high = bound();
    const step = bound();
    this.close(']', openStart);
    this.grow(height);
    return { kind: 'slice', object, low, high, step, openStart, start, end: this.lastEnd };
  }

  private atom(): Expr {
    const { kind, start, end, value } = this.scanner;
    switch (kind) {
      case 'identifier':
        this.advance();
        this.height = 1;
        return { kind: 'ident', name: value as string, start, end };
      case 'int literal':
      case 'float literal':
      case 'string literal':
      case 'bytes literal':
        this.advance();
        this.height = 1;
        return { kind: 'literal', type: LITERAL_TYPES[kind], value, start, end };
      case '(':
        return this.parenthesized();
      case '[':
        return this.list();
      case '{':
        return this.dict();
      case '+':
      case '-':
      case '~': {
        this.advance();
        this.enter();
        const operand = this.operand();
        this.depth--;
        this.grow(this.height);
        return { kind: 'unary', op: kind, operand, start, end: operand.end };
      }
      default:
        return this.unexpected('primary expression', this.doubledOperator());
    }
  }

  /** `&&`, `||` and `x++` are two operators here; the second, or what follows it, is what surprises. */
  private doubledOperator(): string {
    const { kind, start } = this.scanner;
    const { text } = this.source;
    const before = text.slice(Math.max(0, this.lastEnd - 2), this.lastEnd);
    if (before === '++' || before === '--') return `use ${before.charAt(0)}= 1`;
    if (start !== this.lastEnd) return '';
    if (before === '==' && kind === '=') return 'use ==';
    if (text.charAt(start - 1) !== kind) return '';
    return kind === '&' ? 'use and' : kind === '|' ? 'use or' : '';
  }

  private parenthesized(): Expr {
    const start = this.advance();
    if (this.accept(')')) {
      this.height = 1;
      return { kind: 'tuple', items: [], parenthesized: true, start, end: this.lastEnd };
    }
    const inner = this.expressions(true);
    this.close(')', start);
    const end = this.lastEnd;
    if (inner.kind === 'tuple' && !inner.parenthesized) {
      return { kind: 'tuple', items: inner.items, parenthesized: true, start, end };
    }
    this.grow(this.height);
    return { kind: 'paren', inner, start, end };
  }

  private list(): Expr {
    const start = this.advance();
    if (this.accept(']')) {
      this.height = 1;
      return { kind: 'list', items: [], start, end: this.lastEnd };
    }
    const first = this.expression();
    if (this.is('for')) return this.comprehension(start, null, first);
    const items = this.moreItems(first, true);
    this.close(']', start);
    return { kind: 'list', items, start, end: this.lastEnd };
  }

  private dict(): Expr {
    const start = this.advance();
    const entries: DictEntry[] = [];
    let height = 0;
    while (!this.is('}')) {
      const entry = this.dictEntry();
      if (this.is('for') && entries.length === 0) return this.comprehension(start, entry.key, entry.value);
      entries.push(entry);
      height = Math.max(height, this.height);
      if (!this.accept(',')) break;
    }
    this.close('}', start);
    this.grow(height);
    return { kind: 'dict', entries, start, end: this.lastEnd };
  }

  private dictEntry(): DictEntry {
    const key = this.expression();
    const keyHeight = this.height;
    this.expect(':');
    const value = this.expression();
    this.height = Math.max(keyHeight, this.height);
    return { key, value, start: key.start, end: value.end };
  }

  private comprehension(start: number, key: Expr | null, body: Expr): Comprehension {
    const end = key === null ? ']' : '}';
    const clauses: (ForClause | IfClause)[] = [];
    let height = this.height;
    while (!this.is(end)) {
      if (this.is('for')) clauses.push(this.forClause());
      else if (this.is('if')) clauses.push(this.ifClause());
      else if (this.is('end of file')) this.close(end, start);
      else this.unexpected(`'${end}', for, or if`);
      height = Math.max(height, this.height);
      // Every clause is a loop, or a condition, around those after it.
      this.grow(height + clauses.length - 1);
    }
    this.advance();
    return {
      kind: 'comprehension',
      result: key === null ? 'list' : 'dict',
      key,
      body,
      clauses,
      start,
      end: this.lastEnd,
    };
  }

  private forClause(): ForClause {
    const start = this.advance();
    this.enter();
    const target = this.loopVariables();
    const targetHeight = this.height;
    this.expect('in');
    // Neither a conditional nor a lambda nor a bare tuple: each would swallow what follows it.
    const iterable = this.binary(0);
    this.depth--;
    this.height = Math.max(targetHeight, this.height);
    return { kind: 'forClause', target, iterable, start, end: iterable.end };
  }

  private ifClause(): IfClause {
    const start = this.advance();
    const condition = this.expression(false);
    return { kind: 'ifClause', condition, start, end: condition.end };
  }

  /** What stands between `for` and `in`. */
  protected loopVariables(): Target {
    const first = this.operand();
    if (!this.is(',')) return this.target(first);
    const items = [first];
    let height = this.height;
    while (this.accept(',')) {
      items.push(this.operand());
      height = Math.max(height, this.height);
    }
    this.grow(height);
    return this.target({
      kind: 'tuple',
      items,
      parenthesized: false,
      start: first.start,
      end: this.lastEnd,
    });
  }

  /** The expression as something to assign to; what cannot be is reported, and the tree goes on without meaning. */
  protected target(found: Expr): Target {
    switch (found.kind) {
      case 'ident':
      case 'index':
      case 'dot':
        return found;
      case 'paren':
        this.target(found.inner);
        return found;
      case 'list':
      case 'tuple':
        for (const item of found.items) this.target(item);
        return found;
      default:
        this.report(found.start, `can't assign to ${NOT_TARGETS[found.kind]}`);
        return { kind: 'list', items: [], start: found.start, end: found.end };
    }
  }

  /** Parameters up to the `)` of a def or the `:` of a lambda. Their order is the resolver's business. */
  protected parameters(): Parameter[] {
    const params: Parameter[] = [];
    let height = 0;
    while (!this.is(')') && !this.is(':') && !this.is('end of file')) {
      this.height = 0;
      params.push(this.parameter());
      height = Math.max(height, this.height);
      if (this.is(')') || this.is(':')) break;
      this.expect(',');
    }
    this.height = height;
    return params;
  }

  private parameter(): Parameter {
    const { kind, start } = this.scanner;
    if (kind === '*' || kind === '**') {
      this.advance();
      const bare = kind === '*' && !this.is('identifier');
      const ident = bare ? null : this.identifier();
      const parameterKind = kind === '**' ? 'starstar' : bare ? 'bare' : 'star';
      return { kind: parameterKind, ident, default: null, start, end: this.lastEnd };
    }
    const ident = this.identifier();
    const value = this.accept('=') ? this.expression() : null;
    return { kind: 'plain', ident, default: value, start, end: this.lastEnd };
  }
}
