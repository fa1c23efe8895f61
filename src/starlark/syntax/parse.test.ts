import { describe, expect, it } from 'vitest';
import { formatPosition, SourceFile } from '../../base/source.ts';
import type { Argument, Expr, Parameter, Stmt } from './ast.ts';
import { Budget } from './budget.ts';
import { MAX_ERRORS, MAX_NESTING } from './limits.ts';
import { parse, parseExpression } from './parse.ts';

/** The tree as text, fully bracketed; parentheses of the source do not show. */
function show(expr: Expr): string {
  const list = (items: readonly Expr[]) => items.map(show).join(', ');
  switch (expr.kind) {
    case 'ident':
      return expr.name;
    case 'literal':
      return typeof expr.value === 'string' ? JSON.stringify(expr.value) : String(expr.value);
    case 'list':
      return `[${list(expr.items)}]`;
    case 'tuple':
      return `tuple(${list(expr.items)})`;
    case 'dict':
      return `{${expr.entries.map(({ key, value }) => `${show(key)}: ${show(value)}`).join(', ')}}`;
    case 'comprehension': {
      const clauses = expr.clauses.map((clause) =>
        clause.kind === 'ifClause'
          ? ` if ${show(clause.condition)}`
          : ` for ${show(clause.target)} in ${show(clause.iterable)}`,
      );
      const key = expr.key === null ? '' : `${show(expr.key)}: `;
      return `${expr.result}<${key}${show(expr.body)}${clauses.join('')}>`;
    }
    case 'unary':
      return `(${expr.op} ${show(expr.operand)})`;
    case 'binary':
      return `(${show(expr.left)} ${expr.op} ${show(expr.right)})`;
    case 'conditional':
      return `(${show(expr.then)} if ${show(expr.condition)} else ${show(expr.otherwise)})`;
    case 'call':
      return `${show(expr.callee)}(${expr.args.map(showArgument).join(', ')})`;
    case 'index':
      return `${show(expr.object)}[${show(expr.index)}]`;
    case 'slice': {
      const bounds = [expr.low, expr.high, expr.step].map((bound) => (bound === null ? '' : show(bound)));
      return `${show(expr.object)}[${bounds.join(':')}]`;
    }
    case 'dot':
      return `${show(expr.object)}.${expr.name}`;
    case 'lambda': {
      const [only] = expr.fn.body;
      const body = only?.kind === 'return' && only.value !== null ? show(only.value) : '?';
      return `lambda<${expr.fn.params.map(showParameter).join(', ')}: ${body}>`;
    }
    case 'paren':
      return show(expr.inner);
  }
}

function showArgument({ kind, name, value }: Argument): string {
  const prefix = { positional: '', named: `${name}=`, star: '*', starstar: '**' }[kind];
  return prefix + show(value);
}

function showParameter(param: Parameter): string {
  const prefix = { plain: '', star: '*', starstar: '**', bare: '*' }[param.kind];
  const value = param.default === null ? '' : `=${show(param.default)}`;
  return prefix + (param.ident?.name ?? '') + value;
}

function showStatement(statement: Stmt): string {
  const block = (body: readonly Stmt[]) => `{ ${body.map(showStatement).join('; ')} }`;
  switch (statement.kind) {
    case 'expr':
      return show(statement.value);
    case 'assign':
      return `${show(statement.target)} = ${show(statement.value)}`;
    case 'augAssign':
      return `${show(statement.target)} ${statement.op}= ${show(statement.value)}`;
    case 'def':
      return `def ${statement.ident.name}(${statement.fn.params.map(showParameter).join(', ')}) ${block(statement.fn.body)}`;
    case 'if': {
      const otherwise = statement.otherwise.length === 0 ? '' : ` else ${block(statement.otherwise)}`;
      return `if ${show(statement.condition)} ${block(statement.then)}${otherwise}`;
    }
    case 'for':
      return `for ${show(statement.target)} in ${show(statement.iterable)} ${block(statement.body)}`;
    case 'while':
      return `while ${show(statement.condition)} ${block(statement.body)}`;
    case 'return':
      return statement.value === null ? 'return' : `return ${show(statement.value)}`;
    case 'load':
      return `load ${statement.module}: ${statement.bindings.map(({ from, ident }) => `${from} as ${ident.name}`).join(', ')}`;
    default:
      return statement.kind;
  }
}

function expression(text: string): string {
  const { expr, errors } = parseExpression(new SourceFile('e', text));
  return expr === null ? errors.map(({ message }) => message).join('; ') : show(expr);
}

/** Of any length: what is too long is another matter. */
function errorsOf(text: string): string[] {
  return parse(new SourceFile('f', text), new Budget({ length: Infinity })).errors.map(
    ({ position, message }) => `${position.line}:${position.col} ${message}`,
  );
}

function statements(text: string): string {
  const { file, errors } = parse(new SourceFile('f', text));
  return errors.length > 0 ? errorsOf(text).join('; ') : file.body.map(showStatement).join('; ');
}

describe('expressions', () => {
  it.each([
    ['a + b * c', '(a + (b * c))'],
    ['a - b - c', '((a - b) - c)'],
    ['a // b % c / d', '(((a // b) % c) / d)'],
    ['a | b ^ c & d << e + f', '(a | (b ^ (c & (d << (e + f)))))'],
    ['a or b and not c == d', '(a or (b and (not (c == d))))'],
    ['not a in b', '(not (a in b))'],
    ['a not in b and c', '((a not in b) and c)'],
    ['-a.b * +c ** d', "got '**', want end of expression (there is no power operator)"],
    ['-a.b(c) * ~d[0]', '((- a.b(c)) * (~ d[0]))'],
    ['- -1', '(- (- 1))'],
    ['a if b else c if d else e', '(a if b else (c if d else e))'],
    ['a or b if c and d else e', '((a or b) if (c and d) else e)'],
    ['lambda: a if b else c', 'lambda<: (a if b else c)>'],
    ['lambda x, y=1, *z, k, **w: x', 'lambda<x, y=1, *z, k, **w: x>'],
    ['lambda *, k: k', 'lambda<*, k: k>'],
  ])('%s', (text, tree) => expect(expression(text)).toBe(tree));

  it.each([
    ['()', 'tuple()'],
    ['(a)', 'a'],
    ['(a,)', 'tuple(a)'],
    ['a, b', 'tuple(a, b)'],
    ['((a, b), c)', 'tuple(tuple(a, b), c)'],
    ['[]', '[]'],
    ['[a, b,]', '[a, b]'],
    ['{}', '{}'],
    ['{a: b, "c": 1,}', '{a: b, "c": 1}'],
    ['[x for x in y]', 'list<x for x in y>'],
    ['[x for x, y in z if x if y for w in x]', 'list<x for tuple(x, y) in z if x if y for w in x>'],
    ['{k: v for (k, v) in d}', 'dict<k: v for tuple(k, v) in d>'],
    ['[f for x in y if lambda: x]', 'list<f for x in y if lambda<: x>>'],
  ])('%s', (text, tree) => expect(expression(text)).toBe(tree));

  it.each([
    ['f(a, b=1, *c, **d,)', 'f(a, b=1, *c, **d)'],
    ['f()()(a)', 'f()()(a)'],
    ['a.b.c', 'a.b.c'],
    ['a[b][c, d]', 'a[b][tuple(c, d)]'],
    ['a[:] + a[1:] + a[:2] + a[::3] + a[1:2:3]', '((((a[::] + a[1::]) + a[:2:]) + a[::3]) + a[1:2:3])'],
    ['"%s" % x', '("%s" % x)'],
    ['1.5 + 10000000000000000000000', '(1.5 + 10000000000000000000000)'],
  ])('%s', (text, tree) => expect(expression(text)).toBe(tree));

  it('may span lines without brackets when it is the whole text', () => {
    expect(expression('\n  event.tool == "x"\n  and event.n > 1\n')).toBe(
      '((event.tool == "x") and (event.n > 1))',
    );
  });

  it.each([
    ['', 'got end of file, want primary expression'],
    ['a b', 'got identifier, want end of expression'],
    ['a < b < c', '< does not associate with < (use parens)'],
    ['a in b not in c', 'in does not associate with not in (use parens)'],
    ['a not b', 'got identifier, want in'],
    ['a if b', 'conditional expression without else clause'],
    ['a, b,', 'unparenthesized tuple with trailing comma'],
    ['f(a b)', "got identifier, want ',' or ')'"],
    ['f(1=2)', 'keyword argument must have form name=expr'],
    ['f("a" "b")', "got string literal, want ',' or ')' (join strings with +)"],
    ['(a', "got end of file, want ')' (for the bracket opened at 1:1)"],
    ['{a, b}', "got ',', want ':'"],
    ['[x for x in a, b]', "got ',', want ']', for, or if"],
    ['[x for x in lambda: y]', 'got lambda, want primary expression'],
    ['[x for x() in y]', "can't assign to callexpr (a function call)"],
    ['a is b', 'got is, want end of expression (use ==)'],
    ['import', 'got import, want primary expression (use load)'],
    ['x.class', 'class is a keyword, not an identifier'],
    ['x = 1', "got '=', want end of expression (use ==)"],
    ['a)', "unexpected ')'"],
    ['a && b', "got '&', want primary expression (use and)"],
    ['a || b', "got '|', want primary expression (use or)"],
  ])('%j is an error', (text, error) => expect(expression(text)).toBe(error));
});

describe('statements', () => {
  it.each([
    ['a; b;\nc', 'a; b; c'],
    ['x = 1, 2', 'x = tuple(1, 2)'],
    ['(a, [b, c.d]) = e', 'tuple(a, [b, c.d]) = e'],
    ['a[0] += 1; (b) |= c; d.e //= f', 'a[0] += 1; b |= c; d.e //= f'],
    [
      'if a: b\nelif c: d\nelif e: f\nelse: g',
      'if a { b } else { if c { d } else { if e { f } else { g } } }',
    ],
    ['for x, y in 1, 2:\n  break\n  continue', 'for tuple(x, y) in tuple(1, 2) { break; continue }'],
    ['while a:\n  pass', 'while a { pass }'],
    [
      'def f(a, b=1, *, c, **d):\n  return\n\n  # end\nreturn a, b',
      'def f(a, b=1, *, c, **d) { return }; return tuple(a, b)',
    ],
    ['def f(*args, ): return', 'def f(*args) { return }'],
    ['load("m", "a", b="c",)', 'load m: a as a, c as b'],
  ])('%j', (text, tree) => expect(statements(text)).toBe(tree));

  it.each([
    ['x = = 1', "1:5 got '=', want primary expression"],
    ['x = a === b', "1:9 got '=', want primary expression (use ==)"],
    ['x++', '1:4 got end of file, want primary expression (use += 1)'],
    ['x = (y := 1)', "1:8 got ':', want ')' (assign on a line of its own)"],
    ['x = 1 2', '1:7 got int literal, want newline'],
    ['x = y = 1', "1:7 got '=', want newline (one assignment to a statement)"],
    ['x: int = 1', "1:2 got ':', want newline (type annotations are not supported)"],
    ['def f(x: int): pass', "1:8 got ':', want ',' or ')' (type annotations are not supported)"],
    ['def f() -> int: pass', "1:9 got '-', want ':' (type annotations are not supported)"],
    ['def pass(): x', '1:5 pass is a keyword, not an identifier'],
    ['def f():\nx', '2:1 got identifier, want indent'],
    ['  x', '1:3 unexpected indent'],
    ['if a: b\nelse if c: d', "2:6 got if, want ':' (use elif)"],
    ['1 = x', "1:1 can't assign to literal"],
    ['a + b = x', "1:1 can't assign to binaryexpr (an operation)"],
    ['(a, f()) = x', "1:5 can't assign to callexpr (a function call)"],
    ['[a] += x', "1:1 can't use list expression in augmented assignment"],
    ['(a, b) += x', "1:1 can't use tuple expression in augmented assignment"],
    ['f() += x', "1:1 can't assign to callexpr (a function call)"],
    ['load("m")', '1:5 load statement must import at least 1 symbol'],
    ['load(m, "a")', '1:6 first operand of load statement must be a string literal'],
    ['load("m", a)', '1:12 load operand must be "a" or a="originalname" (want \'=\' after a)'],
    ['load("m", a=b)', '1:13 original name of loaded symbol must be quoted: a="originalname"'],
    ['load("m", 1)', '1:11 load operand must be "name" or localname="name" (got int literal)'],
    ['load = 1', "1:6 got '=', want '('"],
    ['raise x', '1:1 got raise, want primary expression (use fail)'],
  ])('%j is an error', (text, error) => expect(statements(text)).toBe(error));
});

describe('positions', () => {
  it('every node knows its text', () => {
    const text = 'def f(a, *b):\n  return (a + b[0]).c(d=1)\n\n\nx = 1\n';
    const { file } = parse(new SourceFile('f', text));
    const [def, assign] = file.body;
    expect(text.slice(def!.start, def!.end)).toBe('def f(a, *b):\n  return (a + b[0]).c(d=1)');
    expect(text.slice(assign!.start, assign!.end)).toBe('x = 1');
    const call = def?.kind === 'def' && def.fn.body[0]?.kind === 'return' ? def.fn.body[0].value : null;
    if (call?.kind !== 'call') throw new Error('no call');
    expect(text.slice(call.start, call.end)).toBe('(a + b[0]).c(d=1)');
    expect(text.slice(call.openStart)).toMatch(/^\(d=1\)/);
    expect(text.slice(call.callee.start, call.callee.end)).toBe('(a + b[0]).c');
    expect(call.args.map(({ start, end }) => text.slice(start, end))).toEqual(['d=1']);
  });

  it('a script embedded in another file reports the lines of that file', () => {
    const source = new SourceFile('hook.md', 'x = (', (line, col) => ({ line: line + 10, col: col + 4 }));
    expect(formatPosition(parse(source).errors[0]!.position)).toBe('hook.md:11:10');
  });
});

describe('recovery', () => {
  it('reports the mistakes of all statements at once', () => {
    const text = 'a = = 1\nb = 2\ndef f():\n  c = )\n  d = 4\n  e = "\\q"\nf(1 2)\ng = 5\n';
    expect(errorsOf(text).map((error) => error.split(' ')[0])).toEqual(['1:5', '4:7', '6:8', '7:5']);
    const { file } = parse(new SourceFile('f', text));
    expect(file.body.map(showStatement).join('; ')).toBe('b = 2; def f() { d = 4; e = "" }; g = 5');
  });

  it.each([
    ['the rest of a call over several lines', 'f(\n  a b,\n  c,\n)\nd'],
    ['the block of a wrong head, and its else', 'if a b:\n  c\n  d\nelif e:\n  f\nelse:\n  g\nh'],
    ['a string over several lines', 'a b """\nc = = d\n"""\ne'],
    ['a bracket that is never closed, up to the next line', 'a = (b +\nc = 1\nd'],
    ['a block after an unexpected indent', 'a\n    b\n    c\nd'],
    ['a line joined with a backslash', 'a b \\\n c d\ne'],
    ['the other half of a broken string', "a = 'b\nc'\nd"],
  ])('%s is not reported again', (_, text) => {
    const { file, errors } = parse(new SourceFile('f', text));
    expect(errors).toHaveLength(1);
    expect(showStatement(file.body.at(-1)!)).toBe(text.slice(-1));
  });

  it('stops after a number of errors', () => {
    expect(errorsOf('x = = 1\n'.repeat(1000))).toHaveLength(MAX_ERRORS);
  });
});

describe('deep source', () => {
  const many = 100_000;
  const levels = (make: (level: number) => string) =>
    Array.from({ length: 2000 }, (_, i) => make(i)).join('');
  it.each([
    ['parentheses', `x = ${'('.repeat(many)}1${')'.repeat(many)}`],
    ['brackets never closed', `x = ${'['.repeat(many)}`],
    ['dicts', `x = ${'{1: '.repeat(many)}`],
    ['unary minus', `x = ${'-'.repeat(many)}1`],
    ['not', `x = ${'not '.repeat(many)}1`],
    ['a chain of operators', `x = 1${' + 1'.repeat(many)}`],
    ['all levels of precedence', `x = ${'a or b and c == d | e ^ f & g << h + i * ('.repeat(many)}`],
    ['conditionals', `x = ${'1 if 1 else '.repeat(many)}1`],
    ['lambdas', `x = ${'lambda: '.repeat(many)}1`],
    ['default values', `x = ${'lambda a='.repeat(many)}1`],
    ['dots', `x = a${'.b'.repeat(many)}`],
    ['calls of calls', `x = a${'()'.repeat(many)}`],
    ['calls in calls', `x = ${'f('.repeat(many)}`],
    ['indices', `x = a${'[0]'.repeat(many)}`],
    ['comprehensions in the sequence', `x = ${'[a for a in '.repeat(many)}`],
    ['clauses of one comprehension', `x = [a${' for a in b if a'.repeat(many)}]`],
    ['comprehensions in the variable', `x = ${'[a for '.repeat(many)}`],
    ['elif', `if a: b\n${'elif a: b\n'.repeat(many)}`],
    ['blocks', levels((i) => `${' '.repeat(i)}if a:\n`)],
    ['functions', levels((i) => `${' '.repeat(i)}def f():\n`)],
    ['chains inside brackets', `x = ${'('.repeat(400)}a${`${'+a'.repeat(50)})`.repeat(400)}`],
  ])('%s: one error, no exhausted stack', (_, text) => {
    const errors = errorsOf(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`(limit ${MAX_NESTING})`);
  });

  it('accepts what is just within the limit', () => {
    const fits = MAX_NESTING - 10;
    expect(errorsOf(`x = ${'('.repeat(fits)}1${')'.repeat(fits)}`)).toEqual([]);
    expect(errorsOf(`x = 1${' + 1'.repeat(fits)}`)).toEqual([]);
    expect(errorsOf(`x = [${'1, '.repeat(many)}]`)).toEqual([]);
    expect(errorsOf(`x = [1${' for a in [1]'.repeat(fits)}]`)).toEqual([]);
  });

  it('goes on after it', () => {
    expect(errorsOf(`x = ${'('.repeat(many)}\ny = = 1\nz = 2`)).toHaveLength(2);
  });
});
