/**
 * Keys that the payload of the event does not have, and values used as something they are not. A guard that reads a key
 * nobody sets is off, and nothing else says so.
 */
import { type Field, nearest } from '../../base/index.ts';
import {
  type Call,
  DICT_METHODS,
  type Dot,
  type Expr,
  LIST_METHODS,
  STRING_METHODS,
} from '../../starlark/index.ts';
import { textOf, unwrap } from '../expressions.ts';
import { type CheckContext, written } from './look.ts';
import { nameOf, type Type, type TypeName, withArticle } from './types.ts';

export function checkPayloadKeys(look: CheckContext): void {
  const called = new Set<Expr>();
  for (const expr of look.uses.exprs) {
    if (expr.kind === 'call') called.add(unwrap(expr.callee));
    if (expr.kind === 'index') checkKey(look, expr.object, expr.index, 'index');
    else if (expr.kind === 'call') checkGet(look, expr);
    else if (expr.kind === 'binary' && (expr.op === 'in' || expr.op === 'not in'))
      checkKey(look, expr.right, expr.left, 'in');
  }
  for (const expr of look.uses.exprs) if (expr.kind === 'dot') checkMember(look, expr, called.has(expr));
  checkFrozen(look);
}

/** Methods that change what they are called on. */
const CHANGES: Readonly<Partial<Record<TypeName, readonly string[]>>> = {
  dict: ['clear', 'pop', 'popitem', 'setdefault', 'update'],
  list: ['append', 'clear', 'extend', 'insert', 'pop', 'remove'],
};

/** A payload is frozen, with all that is in it: what is to change has to be copied. */
function checkFrozen(look: CheckContext): void {
  const changed = (object: Expr, offset: number) => {
    const type = look.typeOf(object);
    if (type.kind !== 'field') return;
    const copy = `copy = ${nameOf(type) === 'list' ? 'list' : 'dict'}(${type.path})`;
    look.say('error', 'PAYLOAD_FROZEN', `${type.path} is frozen: change a copy, ${copy}`, offset);
  };
  for (const stmt of look.uses.stmts) {
    if (stmt.kind !== 'assign' && stmt.kind !== 'augAssign') continue;
    if (stmt.target.kind === 'index') changed(stmt.target.object, stmt.start);
  }
  for (const expr of look.uses.exprs) {
    if (expr.kind !== 'call') continue;
    const callee = unwrap(expr.callee);
    if (callee.kind !== 'dot') continue;
    const name = nameOf(look.typeOf(callee.object));
    if (name !== undefined && CHANGES[name]?.includes(callee.name)) changed(callee.object, callee.nameStart);
  }
}

function checkGet(look: CheckContext, { callee, args }: Call): void {
  const read = unwrap(callee);
  if (read.kind !== 'dot' || read.name !== 'get' || args[0]?.kind !== 'positional') return;
  checkKey(look, read.object, args[0].value, 'get');
}

/** What adapters and proxies put beside the fields of the catalog. */
const FROM_HOSTS = new Set([
  'cwd',
  'native',
  'agent',
  'transcript_path',
  'permission_mode',
  'server',
  'who',
  'actor',
]);

/** Names other systems use, and arguments of tools that people look for one level too high. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  tool_name: ['name'],
  tool: ['name'],
  tool_input: ['args'],
  input: ['args'],
  parameters: ['args'],
  params: ['args'],
  tool_response: ['result', 'content'],
  tool_output: ['content', 'result'],
  output: ['content', 'text', 'result'],
  command: ['args'],
  cmd: ['args'],
  file_path: ['args'],
  path: ['args'],
  url: ['args'],
};
/** These stand inside `args`, they are not another name of it. */
const INSIDE_ARGS = new Set(['command', 'cmd', 'file_path', 'path', 'url']);

function checkKey(look: CheckContext, object: Expr, index: Expr, how: 'index' | 'get' | 'in'): void {
  const type = look.typeOf(object);
  const key = textOf(index);
  if (type.kind !== 'field' || key === undefined) return;
  const { field, path, whole } = type;
  if (nameOf(type) === 'string' && how !== 'in') {
    const what = whole ? `the payload of ${look.event}` : path;
    const message = `${what} is a string: it has no keys, use ${path} itself`;
    look.say('error', 'PAYLOAD_KEY', message, index.start);
    return;
  }
  if (field.kind !== 'object' || field.fields === undefined || Object.hasOwn(field.fields, key)) return;
  const open = field.otherKeys === 'allowed';
  if (open && whole && FROM_HOSTS.has(key)) return;
  const hint = hintFor(key, field, path);
  // A host may say more than the catalog knows; a key that is merely asked for and resembles nothing may be one of those.
  if (open && hint === '' && how !== 'index') return;
  const what = whole ? `the payload of ${look.event}` : path;
  const keys = Object.keys(field.fields);
  const has = hint === '' ? `; it has ${keys.join(', ')}` : hint;
  look.say(
    open ? 'warning' : 'error',
    'PAYLOAD_KEY',
    `${what} has no key ${JSON.stringify(key)}${has}`,
    index.start,
  );
}

function hintFor(key: string, { fields = {} }: Field, path: string): string {
  const meant = Object.hasOwn(HABITS, key)
    ? HABITS[key]!.find((each) => Object.hasOwn(fields, each))
    : undefined;
  if (meant !== undefined && INSIDE_ARGS.has(key))
    return `: arguments of the tool are in ${path}["args"], so ${path}["args"]["${key}"]`;
  const near = meant ?? nearest(key, Object.keys(fields));
  return near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
}

const METHODS: Readonly<Partial<Record<TypeName, ReadonlyMap<string, unknown>>>> = {
  dict: DICT_METHODS,
  list: LIST_METHODS,
  string: STRING_METHODS,
  int: new Map(),
  bool: new Map(),
};

/** Methods of Python that have another name here, or none. */
const OTHER_METHODS: Readonly<Record<string, string>> = {
  'string.contains': '"text" in value',
  'string.includes': '"text" in value',
  'string.has': '"text" in value',
  'string.trim': '.strip()',
  'string.toLowerCase': '.lower()',
  'string.toUpperCase': '.upper()',
  'string.match': 're.search(pattern, text)',
  'string.startsWith': '.startswith()',
  'string.endsWith': '.endswith()',
  'dict.has_key': '"key" in value',
  'dict.has': '"key" in value',
  'dict.contains': '"key" in value',
  'dict.copy': 'dict(value)',
  'list.push': '.append()',
  'list.add': '.append()',
  'list.contains': 'item in value',
  'list.includes': 'item in value',
  'list.sort': 'sorted(value)',
  'list.length': 'len(value)',
  'string.length': 'len(value)',
};

function checkMember(look: CheckContext, dot: Dot, called: boolean): void {
  const type = look.typeOf(dot.object);
  if (type.kind !== 'field' && type.kind !== 'value' && type.kind !== 'event') return;
  const name = nameOf(type);
  const methods = name === undefined ? undefined : METHODS[name];
  if (name === undefined || methods === undefined || methods.has(dot.name)) return;
  const object = written(look, dot.object);
  const other = OTHER_METHODS[`${name}.${dot.name}`];
  if (
    name === 'dict' &&
    other === undefined &&
    !(called && nearest(dot.name, methods.keys()) !== undefined)
  ) {
    const key = JSON.stringify(keyFor(type, dot.name));
    const message = `${object} is a dict: write ${object}[${key}], or ${object}.get(${key}) if it may be missing`;
    look.say('error', 'DICT_ATTRIBUTE', message, dot.nameStart);
    return;
  }
  const near = nearest(dot.name, methods.keys());
  const hint = other !== undefined ? `; use ${other}` : near === undefined ? '' : ` (did you mean .${near}?)`;
  look.say(
    'error',
    'BUILTIN_MEMBER',
    `${object} is ${withArticle(name)}, which has no .${dot.name}${hint}`,
    dot.nameStart,
  );
}

function keyFor(type: Type, name: string): string {
  const fields = type.kind === 'field' ? (type.field.fields ?? {}) : {};
  return Object.hasOwn(fields, name) ? name : (nearest(name, Object.keys(fields)) ?? name);
}
