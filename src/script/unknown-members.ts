/**
 * Names that a module of the environment does not have: `re.sub`, `ctx.agent`. They would fail when the line first runs, which
 * for a guard is too late, so they are found when the script is read.
 */

import { didYouMean, type SourceFile } from '../base/index.ts';
import {
  Builtin,
  type FileNode,
  Module,
  nodesIn,
  type SyntaxNode,
  UNIVERSE,
  type Value,
} from '../starlark/index.ts';
import type { Mistake } from './compile-script.ts';

/** Of modules that other systems have too, what is not in ours. */
export const ABSENT_MEMBERS: Readonly<Record<string, string>> = {
  'ctx.agent': 'who acts is in `caller` and `actor`, and a tool is called with meta.call_tool',
  'os.args': 'the arguments of the process are its own',
  'os.*':
    'scripts know os.cwd, os.hostname, os.leaves_workspace, os.platform and os.real_path; a tool reads the rest with exec.run',
  'time.sleep': 'a hook answers at once; wait in a tool',
  're.find_all': 'use re.findall',
  're.sub': 'use re.replace(pattern, replacement, text)',
  're.compile': 'patterns are compiled once by themselves: use re.search(pattern, text)',
  'meta.list_tools': 'use policy.tools()',
  'meta.register_tool': 'a model registers tools with harness_create_tool, where harness.md has meta:',
  'meta.register_hook': 'a model registers hooks with harness_create_hook, where harness.md has meta:',
  'meta.register_agent': 'write it into .harness/agents/',
  'math.abs': 'use abs(x)',
  'math.max': 'use max(a, b)',
  'math.min': 'use min(a, b)',
  'hash.md5': 'use hash.sha256',
  'hash.sha1': 'use hash.sha256',
  'hash.sha512': 'use hash.sha256',
  'uuid.v7': 'use uuid.v4()',
  'set.new': 'use set([a, b])',
  'set.contains': 'use item in s',
  'set.size': 'use len(s)',
  'set.values': 'use list(s)',
  'set.union': 'use a | b',
  'set.intersect': 'use a & b',
  'set.diff': 'use a - b',
  're.test': 'use re.search(pattern, text)',
  're.finditer': 'use re.findall(pattern, text)',
  'log.debug': 'use log.info',
  'log.warning': 'use log.warn',
  'log.critical': 'use log.error',
  'json.dumps': 'use json.encode',
  'json.loads': 'use json.decode',
  'json.stringify': 'use json.encode',
  'json.parse': 'use json.decode',
  'metrics.increment': 'use metrics.incr',
  'path.join': 'use "/".join([a, b])',
  'cache.put': 'use cache.set',
  'shell.split': 'use shell.parse(text).commands',
};

/** `hints` says of `module.member` what to do instead. */
export function unknownMembers(
  file: FileNode,
  source: SourceFile,
  environment: ReadonlyMap<string, Value>,
  hints: Readonly<Record<string, string>>,
): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const node of nodesIn(file)) {
    const found = accessOf(node, environment);
    if (found === null) continue;
    const { module, member, members, at } = found;
    if (members.includes(member)) continue;
    const name = `${module}.${member}`;
    const hint = hints[name] ?? hints[`${module}.*`];
    const more = hint === undefined ? didYouMean(member, members) : `: ${hint}`;
    mistakes.push({ message: `${module} has no ${member}${more}`, position: source.position(at) });
  }
  return mistakes;
}

interface Access {
  readonly module: string;
  readonly member: string;
  readonly members: readonly string[];
  readonly at: number;
}

function accessOf(node: SyntaxNode, environment: ReadonlyMap<string, Value>): Access | null {
  if (node.kind !== 'dot') return null;
  const object = node.object as SyntaxNode & { readonly binding?: { readonly kind: string } };
  if (object.kind !== 'ident') return null;
  const module = String(object.name);
  const found = { module, member: String(memberOf(node)), at: Number(node.start ?? 0) };
  // A function of the language, such as `set`, has no members at all.
  if (object.binding?.kind === 'universal')
    return UNIVERSE.get(module) instanceof Builtin ? { ...found, members: [] } : null;
  const value = object.binding?.kind === 'predeclared' ? environment.get(module) : undefined;
  const known = value instanceof Module || value instanceof Builtin;
  return known ? { ...found, members: value.attrNames() } : null;
}

function memberOf(node: SyntaxNode): unknown {
  const name = node.name as string | SyntaxNode;
  return typeof name === 'string' ? name : name?.name;
}
