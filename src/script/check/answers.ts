/**
 * What a handler answers: decisions that are made and dropped, ways out without a decision, values that are none, and
 * decisions the event does not act on. Each of these is an allow nobody meant. Another value than a decision is only a warning:
 * the schema says that such a hook loads, and under `strict` it is an error.
 */
import { nearest } from '../../base/index.ts';
import { Builtin, type Expr, type FunctionNode, type Stmt } from '../../starlark/index.ts';
import { DECISIONS } from '../builtins/decisions.ts';
import { textOf, unwrap } from '../expressions.ts';
import { type CheckContext, written } from './look.ts';
import { nameOf, withArticle } from './types.ts';

export function checkAnswers(look: CheckContext): void {
  if (look.script.kind !== 'handler') return;
  checkDropped(look);
  checkHonoured(look);
  if (look.entry !== null) checkReturns(look, look.entry);
}

/** `block("no")` as a statement, or in a variable nobody reads. */
function checkDropped(look: CheckContext): void {
  const { uses, typeOf } = look;
  for (const stmt of uses.stmts) {
    const lost =
      stmt.kind === 'expr' ||
      (stmt.kind === 'assign' &&
        stmt.target.kind === 'ident' &&
        stmt.target.binding?.kind === 'local' &&
        !uses.read.has(stmt.target.binding));
    if (!lost || (stmt.kind !== 'expr' && stmt.kind !== 'assign')) continue;
    const type = typeOf(stmt.value);
    if (type.kind !== 'value' || type.name !== 'decision') continue;
    const made = clip(written(look, stmt.value));
    look.say('error', 'DECISION_DROPPED', `the decision is dropped: write return ${made}`, stmt.start);
  }
}

function clip(text: string): string {
  const line = text.split('\n', 1)[0]!;
  return line.length === text.length && line.length <= 60 ? line : `${line.slice(0, 57)}…`;
}

function checkReturns(look: CheckContext, entry: FunctionNode): void {
  for (const stmt of look.uses.stmts) {
    if (stmt.kind !== 'return' || !within(stmt, entry)) continue;
    if (!look.uses.returnsOf(entry).includes(stmt.value)) continue;
    const value = stmt.value;
    if (value === null || isNone(value)) {
      const message = 'handle returns None, which is no decision: write return allow()';
      look.say('warning', 'RETURN_MISSING', message, stmt.start);
    } else checkValue(look, value);
  }
  if (!canComplete(look, entry.body)) return;
  const message = 'handle can end without a decision: finish it with return allow()';
  const last = entry.body.at(-1)!;
  look.say('warning', 'RETURN_MISSING', message, last.start);
}

function within({ start, end }: Stmt, fn: FunctionNode): boolean {
  return start >= fn.start && end <= fn.end;
}

function isNone(expr: Expr): boolean {
  const value = unwrap(expr);
  return value.kind === 'ident' && value.name === 'None' && value.binding?.kind === 'universal';
}

/** What to write instead of a value that people take for a decision. */
function insteadOf(expr: Expr): string {
  const value = unwrap(expr);
  if (value.kind === 'ident' && value.name === 'True') return 'return allow()';
  const text = textOf(value)?.toLowerCase();
  if (text === 'allow' || text === 'ok' || text === 'continue' || text === 'pass') return 'return allow()';
  if (text === 'ask') return 'return ask("why")';
  return 'return block("why")';
}

function checkValue(look: CheckContext, value: Expr): void {
  const inner = unwrap(value);
  if (inner.kind === 'conditional') {
    checkValue(look, inner.then);
    checkValue(look, inner.otherwise);
    return;
  }
  if (inner.kind === 'dict') {
    checkDict(look, inner);
    return;
  }
  const type = look.typeOf(inner);
  if (type.kind === 'builtin' && type.value instanceof Builtin) {
    const call = DECISIONS.has(type.name) ? `: call it, ${type.name}(${type.value.signature.text})` : '';
    look.say('error', 'RETURN_TYPE', `handle returns the function ${type.name} itself${call}`, value.start);
    return;
  }
  // Of the payload only what a shape says is known: a dict may be a decision.
  const name = type.kind === 'value' ? type.name : undefined;
  if (name === undefined || name === 'decision' || name === 'dict') return;
  if (name === 'NoneType') {
    const message = 'handle returns None, which is no decision: write allow()';
    look.say('warning', 'RETURN_MISSING', message, value.start);
    return;
  }
  const message = `handle returns ${withArticle(name)}, which is no decision and counts as allow(): write ${insteadOf(value)}`;
  look.say('warning', 'RETURN_TYPE', message, value.start);
}

const ACTIONS = [...DECISIONS.keys()];

function checkDict(look: CheckContext, dict: Extract<Expr, { kind: 'dict' }>): void {
  const keys = dict.entries.map(({ key }) => textOf(key));
  if (keys.includes(undefined)) return;
  const at = keys.indexOf('action');
  if (at === -1) {
    const message =
      'handle returns a dict without "action", which counts as allow(): write "action": "allow"';
    look.say('warning', 'RETURN_TYPE', message, dict.start);
    return;
  }
  const { value } = dict.entries[at]!;
  const action = textOf(value);
  if (action === undefined) return;
  if (!ACTIONS.includes(action)) {
    const near = nearest(action, ACTIONS);
    const hint = near === undefined ? `: want ${ACTIONS.join(', ')}` : ` (did you mean "${near}"?)`;
    look.say('error', 'RETURN_TYPE', `there is no action ${JSON.stringify(action)}${hint}`, value.start);
    return;
  }
  ignored(look, action, value.start);
}

/** Decisions the event does not act on. */
function checkHonoured(look: CheckContext): void {
  for (const expr of look.uses.exprs) {
    if (expr.kind !== 'call') continue;
    const type = look.typeOf(expr.callee);
    if (type.kind !== 'builtin' || DECISIONS.get(type.name) !== type.value) continue;
    if (ignored(look, type.name, expr.start) || type.name !== 'modify') continue;
    const given = expr.args[0] === undefined ? undefined : nameOf(look.typeOf(expr.args[0].value));
    const wanted = look.spec === null ? undefined : MODIFIES[look.spec.honours.modify];
    if (given === undefined || wanted === undefined || given === wanted) continue;
    const message = `modify on ${look.event} wants a ${wanted}, got ${given}`;
    look.say('error', 'BUILTIN_CALL', message, expr.args[0]!.start);
  }
}

const MODIFIES: Readonly<Record<string, string | undefined>> = { overlay: 'dict', text: 'string' };

function ignored(look: CheckContext, action: string, offset: number): boolean {
  const { spec, event } = look;
  if (spec === null) return false;
  const { honours } = spec;
  const say = (severity: 'error' | 'warning', what: string) => {
    look.say(severity, 'DECISION_IGNORED', what, offset);
    return true;
  };
  switch (action) {
    case 'block':
      if (honours.block === 'error')
        return say('error', `${event} does not accept a block: it fails the operation`);
      return honours.block ? false : say('error', `nothing can block ${event}: this block is ignored`);
    case 'ask':
      if (honours.ask) return false;
      return honours.block === true
        ? say('warning', `no person can be asked on ${event}: this ask is a block`)
        : say('error', `no person can be asked on ${event}: this ask is ignored`);
    case 'modify':
      return honours.modify === 'none'
        ? say('error', `the payload of ${event} cannot be rewritten: this modify is ignored`)
        : false;
    case 'permit':
      return honours.permit ? false : say('error', `permit answers permission.asked only, not ${event}`);
    case 'delegate':
      return honours.delegate
        ? false
        : say('warning', `${event} cannot be delegated: this counts as a block`);
    default:
      return false;
  }
}

/** Whether the statements can run to their end without a `return`. */
export function canComplete(look: CheckContext, body: readonly Stmt[]): boolean {
  return body.every((stmt) => completes(look, stmt));
}

function completes(look: CheckContext, stmt: Stmt): boolean {
  if (stmt.kind === 'return') return false;
  if (stmt.kind === 'if') {
    return stmt.otherwise.length === 0 || canComplete(look, stmt.then) || canComplete(look, stmt.otherwise);
  }
  if (stmt.kind !== 'expr') return true;
  const call = unwrap(stmt.value);
  if (call.kind !== 'call') return true;
  const type = look.typeOf(call.callee);
  return !(type.kind === 'builtin' && type.name === 'fail');
}

/** The handler blocks, whatever the payload. */
export function alwaysBlocks(look: CheckContext): boolean {
  const { uses, typeOf, entry } = look;
  if (entry === null || canComplete(look, entry.body)) return false;
  const values = uses.returnsOf(entry);
  return values.length > 0 && values.every((value) => value !== null && isBlock(typeOf, value));
}

function isBlock(typeOf: CheckContext['typeOf'], value: Expr): boolean {
  const call = unwrap(value);
  if (call.kind !== 'call') return false;
  const type = typeOf(call.callee);
  return type.kind === 'builtin' && type.value === DECISIONS.get('block');
}

/** Built-ins that only read, or say something to a person. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...['allow', 'block', 'ask', 'json', 're', 'string', 'shell', 'path', 'secrets', 'actor', 'caller', 'data'],
  ...[
    'math',
    'struct',
    'hash',
    'base64',
    'url',
    'validate',
    'assert',
    'time',
    'uuid',
    'random',
    'log',
    'annotate',
  ],
]);

/** Certain, or false: a value whose type is not known may be a dict with any action. */
export function onlyRestricts({ uses, typeOf, entry }: CheckContext): boolean {
  if (entry === null) return false;
  const others = uses.exprs.some(
    (expr) =>
      expr.kind === 'ident' && expr.binding?.kind === 'predeclared' && !READ_ONLY.has(expr.binding.name),
  );
  return !others && uses.returnsOf(entry).every((value) => value === null || isDecision(typeOf(value)));
}

function isDecision(type: ReturnType<CheckContext['typeOf']>): boolean {
  return type.kind === 'value' && (type.name === 'decision' || type.name === 'NoneType');
}
