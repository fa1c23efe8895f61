/**
 * The chains of a policy as a person reads them: each event with its hooks in the order in which they run.
 */
import {
  CATALOG,
  type Hook,
  isBuiltIn,
  layerOf,
  type Registry,
  requireEvent,
  resolveEvent,
} from '../engine/index.ts';
import { mayBeOff, type Policy } from '../policy/index.ts';
import { UsageError } from './command.ts';
import type { Output } from './output.ts';
import { countOf, onOneLine, renderProblem } from './problems.ts';
import { missingPolicyOf, noteMissing } from './project-dir.ts';
import { alignColumns, columnStart } from './table.ts';
import { noteUntrusted } from './trusting.ts';

/** What more there is to say about a hook, a line each. */
export type HookLines = (hook: Hook) => readonly string[];

/** The chains of all events, or of one; then what is wrong with them. Gives the exit code. */
export function printHooks(
  policy: Policy,
  written: string | undefined,
  output: Output,
  more: HookLines = () => [],
): number {
  const { registry } = policy;
  const event = written === undefined ? undefined : canonicalEvent(written);
  const events = event === undefined ? inOrderOfLife(registry.events()) : [event];
  const shown = printEveryGate(registry, output);
  // Chains that hold nothing but what was said above would only repeat it.
  const chains = events.filter(
    (name) => event !== undefined || !registry.list(name).every((hook) => shown.has(keyOf(hook))),
  );
  for (const [i, name] of chains.entries()) {
    if (i > 0 || shown.size > 0) output.line();
    printChain(name, registry.list(name), output, { shown, more });
  }
  noteMissing(policy, output);
  for (const folder of policy.untrusted) noteUntrusted(folder, output);
  for (const problem of missingPolicyOf(policy)) output.note(renderProblem(problem, output.paintNote));
  const errors = policy.problems.filter((problem) => problem.severity === 'error').length;
  if (errors > 0) {
    output.note(
      `${output.paintNote('red', 'error')}: ${countOf(errors, 'problem')} in these hooks; see \`harness validate\``,
    );
    return 1;
  }
  return policy.empty ? 1 : 0;
}

/** The canonical name of what a person wrote, or a UsageError that names the nearest. */
export function canonicalEvent(written: string): string {
  const resolved = resolveEvent(written);
  if (!resolved.ok) throw new UsageError(`${resolved.message}${resolved.hint}`);
  return resolved.event;
}

/** Prints, once, the stand-ins that block more than one event; gives their keys. */
function printEveryGate(registry: Registry, output: Output): ReadonlySet<string> {
  const standIns = registry.list().filter((hook) => hook.standIn);
  const many = standIns.filter((hook, i) => standIns.findIndex((other) => keyOf(other) === keyOf(hook)) < i);
  const keys = new Set(many.map(keyOf));
  if (keys.size === 0) return keys;
  output.line(
    `${output.paint('bold', 'every gate')}  ${output.paint('red', 'blocked until these can be loaded')}`,
  );
  for (const key of keys) {
    const hook = many.find((candidate) => keyOf(candidate) === key)!;
    output.line(
      onOneLine(
        `  ${output.paint('cyan', hook.name)}  ${hook.source}:${hook.line ?? 1}  — ${hook.description}`,
      ),
    );
  }
  return keys;
}

function keyOf(hook: Hook): string {
  return `${layerOf(hook).name}\n${hook.source}\n${hook.position}\n${hook.name}`;
}

function printChain(
  event: string,
  hooks: readonly Hook[],
  output: Output,
  { shown, more }: { readonly shown: ReadonlySet<string>; readonly more: HookLines },
): void {
  const { authority } = requireEvent(event);
  output.line(
    `${output.paint('bold', event)}  ${output.paint('dim', `${authority}, ${countOf(hooks.filter((hook) => !isBuiltIn(hook)).length, 'hook')}`)}`,
  );
  const rows = hooks.map((hook) => [
    { text: isBuiltIn(hook) ? 'last' : String(hook.priority), right: true },
    { text: shownName(hook), style: 'cyan' as const },
    {
      text: shown.has(keyOf(hook)) ? '— Could not be loaded; see above.' : aboutHook(hook),
    },
  ]);
  const indent = ' '.repeat(2 + columnStart(rows, 1));
  for (const [i, line] of alignColumns(rows, output.paint).entries()) {
    output.line(`  ${line}`);
    // Conditions are often long, and a policy is read by what its hooks are for: so they stand below.
    const condition = hooks[i]!.condition;
    if (condition !== null) output.line(output.paint('dim', `${indent}when ${oneLine(condition.text)}`));
    for (const text of more(hooks[i]!)) output.line(`${indent}${text}`);
  }
}

/** Whose it is, if it is not simply the project's: two layers with one hook name have two hooks. */
export function shownName(hook: Hook): string {
  const { name } = layerOf(hook);
  return name === 'project' || name === 'code' || isBuiltIn(hook) ? hook.name : `${name}/${hook.name}`;
}

function aboutHook(hook: Hook): string {
  const description = hook.description === undefined ? [] : [`— ${hook.description}`];
  return [...description, ...remarks(hook)].join(' ');
}

/** What a reader must know about a hook beyond its line: only what differs from the ordinary. */
function remarks(hook: Hook): string[] {
  const gate = requireEvent(hook.event).authority === 'gate';
  const found = [
    isBuiltIn(hook) ? 'built-in' : hook.frontEnd.name === 'markdown' ? null : hook.frontEnd.name,
    isBuiltIn(hook) || hook.origin === 'project' || hook.origin === hook.frontEnd.name ? null : hook.origin,
    hook.mode === 'enforce' ? null : `mode ${hook.mode}`,
    isBuiltIn(hook) || hook.strict === true || hook.onError === (gate ? 'block' : 'allow')
      ? null
      : `on_error ${hook.onError}`,
    hook.onWhenError === 'skip' || hook.strict === true || isBuiltIn(hook)
      ? null
      : `on_when_error ${hook.onWhenError}`,
    mayBeOff(hook) === null ? null : 'may be off',
    hook.body === null ? 'no script' : null,
  ].filter((remark) => remark !== null);
  return found.length === 0 ? [] : [`[${found.join(', ')}]`];
}

export function hookData(hook: Hook): Record<string, unknown> {
  return {
    name: hook.name,
    event: hook.event,
    priority: hook.priority,
    when: hook.condition?.text ?? null,
    source: hook.source,
    line: hook.line ?? null,
    description: hook.description ?? null,
    frontEnd: hook.frontEnd.name,
    layer: layerOf(hook).name,
    origin: hook.origin,
    mode: hook.mode,
    onError: hook.onError,
    onWhenError: hook.onWhenError,
    timeoutMs: hook.timeoutMs,
    loaded: hook.standIn !== true,
    hasScript: hook.body !== null,
  };
}

/** Events in the order of the catalog, which follows a session; others after them by name. */
export function inOrderOfLife(events: readonly string[]): string[] {
  const order = Object.keys(CATALOG);
  const rank = (event: string) => (order.includes(event) ? order.indexOf(event) : order.length);
  return [...events].sort((a, b) => rank(a) - rank(b));
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
