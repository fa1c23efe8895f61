import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import type { FileNode, FunctionNode, Stmt } from '../syntax/ast.ts';
import { parse, parseExpression } from '../syntax/parse.ts';
import type { Binding, Dialect, FunctionScope } from './binding.ts';
import { resolve, resolveExpression } from './resolve.ts';

const predeclared = new Set(['host', 'metrics']);
const universal = new Set(['len', 'print', 'True']);

function resolved(
  text: string,
  dialect?: Dialect,
): { file: FileNode; scope: FunctionScope; errors: string[] } {
  const source = new SourceFile('f.star', text);
  const { file, errors: mistakes } = parse(source);
  expect(mistakes).toEqual([]);
  const { scope, errors } = resolve(file, { source, predeclared, universal, dialect });
  return { file, scope, errors: errors.map(({ position, message }) => `${position.line} ${message}`) };
}

function errorsOf(text: string, dialect?: Dialect): string[] {
  return resolved(text, dialect).errors;
}

/** The function defined by the statement at `index`. */
function fn(body: readonly Stmt[], index = 0): FunctionNode {
  const statement = body[index];
  if (statement?.kind !== 'def') throw new Error('not a def');
  return statement.fn;
}

function names(bindings: readonly Binding[]): string {
  return bindings.map(({ name }) => name).join(' ');
}

/** The binding of the name that statement `index` consists of. */
function meaning(body: readonly Stmt[], index: number): Binding | undefined {
  const statement = body[index];
  return statement?.kind === 'expr' && statement.value.kind === 'ident' ? statement.value.binding : undefined;
}

describe('what names mean', () => {
  it('globals, predeclared and universal names', () => {
    const { file, scope } = resolved('x = 1\nx\nhost\nlen\nlen');
    expect(meaning(file.body, 1)).toMatchObject({ name: 'x', kind: 'global', index: 0, owner: null });
    expect(meaning(file.body, 2)).toMatchObject({ kind: 'predeclared', index: -1 });
    expect(meaning(file.body, 3)).toMatchObject({ kind: 'universal', index: -1 });
    expect(meaning(file.body, 3)).toBe(meaning(file.body, 4));
    expect(scope).toBe(file.scope);
    expect(names(scope.globals)).toBe('x');
  });

  it('a global may be used before it is bound, and hides a built-in from the start', () => {
    const { file, errors } = resolved('len\nlen = 1\nlater\nlater = 2');
    expect(errors).toEqual([]);
    expect(meaning(file.body, 0)).toMatchObject({ kind: 'global', name: 'len' });
    expect(meaning(file.body, 2)).toMatchObject({ kind: 'global', name: 'later' });
  });

  it('a name bound anywhere in a function is local throughout it', () => {
    const { file } = resolved('x = 1\ndef f():\n  x\n  if True:\n    x = 2\n  y');
    const body = fn(file.body, 1).body;
    expect(meaning(body, 0)).toMatchObject({ kind: 'local', index: 0, owner: fn(file.body, 1).scope });
  });

  it('parameters come first among the locals, in order', () => {
    const { file } = resolved(
      'def f(a, b=1, *args, c, **kwargs):\n  d = a\n  [e for e in d]\n  for g in d: pass',
    );
    expect(names(fn(file.body).scope!.locals)).toBe('a b args c kwargs d g e');
    expect(fn(file.body).scope!.locals.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('a comprehension has variables of its own, and its first sequence belongs to the block around', () => {
    const { file, scope, errors } = resolved('x = [1]\ny = [x for x in x]\n[z for x in y for z in x]');
    expect(errors).toEqual([]);
    expect(names(scope.locals)).toBe('x x z');
    const [, assign] = file.body;
    const comprehension = assign?.kind === 'assign' ? assign.value : null;
    if (comprehension?.kind !== 'comprehension') throw new Error('no comprehension');
    const [clause] = comprehension.clauses;
    if (clause?.kind !== 'forClause' || clause.iterable.kind !== 'ident') throw new Error('no clause');
    expect(clause.iterable.binding).toMatchObject({ kind: 'global' });
    expect(comprehension.body).toMatchObject({ binding: { kind: 'local', name: 'x' } });
  });

  it('inner functions capture locals of outer ones, and functions between list them too', () => {
    const { file } = resolved('def f(a, b):\n  def g():\n    return lambda: a + a\n  return g');
    const outer = fn(file.body).scope!;
    const inner = fn(fn(file.body).body).scope!;
    expect(outer.locals.map(({ name, captured }) => `${name} ${captured}`)).toEqual([
      'a true',
      'b false',
      'g false',
    ]);
    expect(names(inner.free)).toBe('a');
    expect(inner.free[0]).toBe(outer.locals[0]);
    expect(inner.parent).toBe(outer);
    expect(outer.free).toEqual([]);
  });

  it('a variable of a comprehension can be captured', () => {
    const { scope } = resolved('fs = [lambda: x for x in [1]]');
    expect(scope.locals[0]).toMatchObject({ name: 'x', captured: true });
  });

  it('load binds names of the file, not globals', () => {
    const { scope, file, errors } = resolved('load("m", "a", b="c")\ndef f(): return a\nb');
    expect(errors).toEqual([]);
    expect(names(scope.globals)).toBe('f');
    expect(names(scope.locals)).toBe('a b');
    expect(names(fn(file.body, 1).scope!.free)).toBe('a');
    expect(names(resolved('load("m", "a")', { loadBindsGlobally: true }).scope.globals)).toBe('a');
  });

  it('a global bound by one def of the top level is known to be that function', () => {
    const { scope, file } = resolved('def f(): pass\nx = f\nif x:\n  def g(): pass', {
      topLevelControl: true,
    });
    expect(scope.globals.map(({ definedBy }) => definedBy)).toEqual([file.body[0], null, null]);
    const twice = resolved('def f(): pass\nf = 1', { globalReassign: true });
    expect(twice.scope.globals[0]).toMatchObject({ definedBy: null, bindings: 2 });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a name like any other',
    (name) => {
      expect(errorsOf(name)).toEqual([`1 undefined: ${name}`]);
      expect(errorsOf(`def f(${name}, **kwargs): return ${name}\nf(${name}=1)`)).toEqual([]);
      expect(errorsOf(`${name} = 1\n${name}`)).toEqual([]);
    },
  );
});

describe('undefined names', () => {
  it.each([
    ['a name bound nowhere', 'x', ['1 undefined: x']],
    ['a global with a similar name', 'hello = 1\nhelo', ['2 undefined: helo (did you mean hello?)']],
    ['a local', 'def f(amount): return amuont', ['1 undefined: amuont (did you mean amount?)']],
    ['a predeclared name', 'metric', ['1 undefined: metric (did you mean metrics?)']],
    ['a universal name', 'true', ['1 undefined: true (did you mean True?)']],
    ['nothing near', 'zzz', ['1 undefined: zzz']],
    ['a variable of a comprehension, outside it', '[i for i in "a"]\ni', ['2 undefined: i']],
    ['a local of another function', 'def f(): a = 1\ndef g(): return a', ['2 undefined: a']],
    ['several', 'x\ny\ndef f(): z', ['1 undefined: x', '2 undefined: y', '3 undefined: z']],
  ])('%s', (_, text, errors) => expect(errorsOf(text)).toEqual(errors));

  it('are not reported where statements are missing from the tree', () => {
    const source = new SourceFile('f', 'a = = 1\na\nbreak');
    const { file } = parse(source);
    const { errors } = resolve(file, { source, predeclared, universal, partial: true });
    expect(errors.map(({ message }) => message)).toEqual(['break not in a loop']);
  });
});

describe('binding twice', () => {
  it.each([
    ['x = 1\nx = 2', '2 cannot reassign global x declared at f.star:1:1'],
    ['x = 1\nx += 2', '2 cannot reassign global x declared at f.star:1:1'],
    ['def f(): pass\ndef f(): pass', '2 cannot reassign global f declared at f.star:1:5'],
    ['len = 1\nlen = 2', '2 cannot reassign global len declared at f.star:1:1'],
    ['load("m", "a")\na = 1', '2 cannot reassign local a declared at f.star:1:11'],
    ['load("m", "a")\nload("n", "a")', '2 cannot reassign top-level a'],
    ['a = 1\nload("m", "a")', '2 cannot reassign top-level a'],
  ])('%j', (text, error) => {
    expect(errorsOf(text)).toEqual([error]);
    expect(errorsOf(text, { globalReassign: true })).toEqual([]);
  });

  it('where it is allowed, a name at the top level means what it meant before', () => {
    const dialect = { globalReassign: true };
    expect(errorsOf('x\nx = 1', dialect)).toEqual(['1 undefined: x']);
    expect(errorsOf('def f(): return x\nx = 1', dialect)).toEqual([]);
    const { file } = resolved('len\nlen = 1\nlen', dialect);
    expect(meaning(file.body, 0)).toMatchObject({ kind: 'universal' });
    expect(meaning(file.body, 2)).toMatchObject({ kind: 'global' });
  });

  it('locals may be bound again', () => {
    const { file, errors } = resolved('def f(x):\n  x = 1\n  x += 1');
    expect(errors).toEqual([]);
    expect(fn(file.body).scope!.locals[0]).toMatchObject({ bindings: 3 });
  });
});

describe('statements in the wrong place', () => {
  it.each([
    ['return', '1 return statement not within a function'],
    ['break', '1 break not in a loop'],
    ['continue', '1 continue not in a loop'],
    ['if True: pass\nelif True: pass', '1 if statement not within a function'],
    ['for x in host: pass', '1 for loop not within a function'],
    ['while True: pass', '1 this Starlark dialect does not support while loops'],
    ['def f():\n  while True: pass', '2 this Starlark dialect does not support while loops'],
    ['def f():\n  for x in host:\n    def g(): break', '3 break not in a loop'],
    ['def f():\n  load("m", "a")', '2 load statement within a function'],
    ['load("m", "")', '1 load: empty identifier'],
    ['load("m", "_a")', '1 load: names with leading underscores are not exported: _a'],
    ['load("m", a="_b")', '1 load: names with leading underscores are not exported: _b'],
    ['load("m", "a b")', '1 load: not an identifier: "a b"'],
  ])('%j', (text, error) => expect(errorsOf(text)).toEqual([error]));

  it('the dialect may allow them', () => {
    const control = { topLevelControl: true };
    expect(errorsOf('if True: pass\nfor x in host:\n  break', control)).toEqual([]);
    expect(errorsOf('def f():\n  while True: break', { while: true })).toEqual([]);
    expect(errorsOf('while True: break', { while: true })).toEqual(['1 while loop not within a function']);
    expect(errorsOf('if True:\n  load("m", "a")', control)).toEqual([
      '2 load statement within a conditional',
    ]);
    expect(errorsOf('for x in host:\n  load("m", "a")', control)).toEqual(['2 load statement within a loop']);
  });
});

describe('parameters and arguments', () => {
  it.each([
    ['def f(a, a): pass', 'duplicate parameter: a'],
    ['def f(*a, **a): pass', 'duplicate parameter: a'],
    ['def f(a=1, b): pass', 'required parameter may not follow optional'],
    ['def f(**k, a): pass', 'required parameter may not follow **k'],
    ['def f(**k, a=1): pass', 'optional parameter may not follow **k'],
    ['def f(**k, *a): pass', '* parameter may not follow **k'],
    ['def f(**k, **l): pass', 'multiple ** parameters not allowed'],
    ['def f(*a, *b): pass', 'multiple * parameters not allowed'],
    ['def f(*): pass', 'bare * must be followed by keyword-only parameters'],
    ['def f(*, **k): pass', 'bare * must be followed by keyword-only parameters'],
    ['print(host=1, host)', 'positional argument may not follow named'],
    ['print(*host, host)', 'positional argument may not follow *args'],
    ['print(**host, host)', 'positional argument may not follow **kwargs'],
    ['print(*host, a=1)', 'keyword argument may not follow *args'],
    ['print(**host, a=1)', 'keyword argument may not follow **kwargs'],
    ['print(*host, *host)', 'multiple *args not allowed'],
    ['print(**host, *host)', '*args may not follow **kwargs'],
    ['print(**host, **host)', 'multiple **kwargs not allowed'],
    ['print(a=1, a=2)', 'keyword argument "a" is repeated'],
    [`print(${'1,'.repeat(1001)})`, '1001 arguments in call, limit is 1000'],
  ])('%s', (text, error) => expect(errorsOf(text)).toEqual([`1 ${error}`]));

  it.each([
    'def f(a, b=1, *args, c, d=2, e, **kwargs): pass',
    'def f(*, a): pass',
    'f = lambda *, a=1: a',
    'print(1, a=2, *host, **host)',
  ])('%s is fine', (text) => expect(errorsOf(text)).toEqual([]));

  it('a default is resolved outside the function', () => {
    expect(errorsOf('def f(a, b=a): pass')).toEqual(['1 undefined: a']);
  });
});

describe('a single expression', () => {
  function single(text: string, params: string[]): { scope: FunctionScope; errors: string[] } {
    const source = new SourceFile('when', text);
    const { expr } = parseExpression(source);
    const { scope, errors } = resolveExpression(expr!, params, { source, predeclared, universal });
    return { scope, errors: errors.map(({ message }) => message) };
  }

  it('its parameters are the first locals', () => {
    const { scope, errors } = single('[x for x in event if len(x) > payload]', ['event', 'payload']);
    expect(errors).toEqual([]);
    expect(names(scope.locals)).toBe('event payload x');
    expect(scope.globals).toEqual([]);
  });

  it('a name that is none of them is an error', () => {
    expect(single('evnt == 1', ['event']).errors).toEqual(['undefined: evnt (did you mean event?)']);
  });

  it('a lambda in it captures parameters', () => {
    expect(single('lambda: event', ['event']).scope.locals[0]).toMatchObject({ captured: true });
  });
});
