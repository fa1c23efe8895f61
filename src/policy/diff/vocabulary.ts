/**
 * What the hooks of a policy ask about, read from what they are written in: keys, literals, comparisons, patterns. One scope a
 * script, a row of permissions or a rule, so that words that stand together are tried together.
 */
import { isJsonObject, type Json, SourceFile } from '../../base/index.ts';
import { type Hook, isBuiltIn } from '../../engine/index.ts';
import type { FolderSnapshot, WrittenPermissions } from '../../files/index.ts';
import type { ScriptCheck } from '../../script/index.ts';
import { parse, parseExpression } from '../../starlark/index.ts';
import type { Policy } from '../policy.ts';
import { scriptScope } from './script-words.ts';

/** Something that is asked about a value. */
export interface Clue {
  /** The key the value stands under; null: not known. */
  readonly key: string | null;
  readonly kind: 'is' | 'has' | 'starts' | 'ends' | 'regex' | 'glob';
  readonly value: Json;
}

export interface Scope {
  readonly event: string;
  /** All that it says: one that the other policy has too is no likely place for a difference. */
  readonly text: string;
  readonly clues: readonly Clue[];
  /** Keys that are read. */
  readonly keys: readonly string[];
  /** It asks who is behind the call. */
  readonly asksWho: boolean;
}

/** Gathers the scripts of a policy while it is opened; pass `check` to `openPolicy`. */
export class ScriptCollector {
  readonly byHook = new Map<string, Scope>();

  readonly check: ScriptCheck = ({ kind, source, event = 'tool.pre', hook = '' }) => {
    if (kind === 'tool') return [];
    const tree = kind === 'condition' ? parseExpression(source).expr : parse(source).file.body;
    const scope = scriptScope(event, source.text, tree ?? []);
    const other = this.byHook.get(hook);
    // A handler and its condition speak of the same call.
    this.byHook.set(hook, other === undefined ? scope : mergeScopes(other, scope));
    return [];
  };
}

/** Every scope of a policy whose scripts the collector has seen. */
export function scopesOf(policy: Policy, { byHook }: ScriptCollector): Scope[] {
  const events = new Set(policy.hooks.filter((hook) => !isBuiltIn(hook)).map(({ event }) => event));
  return [
    ...[...byHook].map(([name, scope]) => ({ ...scope, text: scope.text + settingsOf(policy, name) })),
    ...policy.layers.flatMap(({ project }) =>
      project.settings.permissions.flatMap(({ table }) => (table === null ? [] : permissionScopes(table))),
    ),
    ...policy.packs.packs.flatMap(({ pack, modes }) =>
      pack.rules.map((rule): Scope => {
        const { match, examples } = rule.written;
        const words = [...examples.stops, ...examples.passes];
        return {
          event: 'tool.pre',
          text: JSON.stringify([rule.name, modes.get(rule), rule.written]),
          clues: [
            ...words.map((value): Clue => ({ key: 'command', kind: 'is', value })),
            ...scalars(match as Json).map((value): Clue => ({ key: 'command', kind: 'has', value })),
          ],
          keys: ['command'],
          asksWho: false,
        };
      }),
    ),
    ...policy.layers.flatMap(({ project }) =>
      project.files
        .filter((file) => !file.endsWith('.md'))
        .flatMap((file) => fileScopes(project.snapshot, file, eventsOf(policy.hooks, file, events))),
    ),
  ];
}

function mergeScopes(a: Scope, b: Scope): Scope {
  return {
    event: b.event,
    text: `${a.text}\n${b.text}`,
    clues: [...a.clues, ...b.clues],
    keys: [...a.keys, ...b.keys],
    asksWho: a.asksWho || b.asksWho,
  };
}

/** What beside its script decides what a hook does. */
function settingsOf({ hooks }: Policy, name: string): string {
  const own = hooks.filter((hook) => hook.name === name);
  return JSON.stringify(own.map(({ event, priority, mode, onError }) => [event, priority, mode, onError]));
}

function permissionScopes(table: WrittenPermissions): Scope[] {
  const rows = (table.rules ?? []).map((row): Scope => {
    const clues = oneOrMore(row.tools).map((value): Clue => ({ key: 'name', kind: 'glob', value }));
    for (const [key, globs] of Object.entries(row.args ?? {}))
      clues.push(...oneOrMore(globs).map((value): Clue => ({ key, kind: 'glob', value })));
    const keys = Object.keys(row.args ?? {});
    return { event: 'tool.pre', text: JSON.stringify(row), clues, keys, asksWho: false };
  });
  const guards = (table.policies ?? []).map((guard): Scope => {
    const key = guard.argument ?? 'command';
    return {
      event: 'tool.pre',
      text: JSON.stringify(guard),
      clues: [
        ...oneOrMore(guard.tools).map((value): Clue => ({ key: 'name', kind: 'glob', value })),
        ...(guard.deny_patterns ?? []).map((value): Clue => ({ key, kind: 'regex', value })),
        ...(guard.allow_prefixes ?? []).map((value): Clue => ({ key, kind: 'starts', value })),
      ],
      keys: [key],
      asksWho: false,
    };
  });
  const otherwise: Scope = {
    event: 'tool.pre',
    text: JSON.stringify([table.default, table.scopes]),
    clues: [],
    keys: [],
    asksWho: table.scopes === 'enforce',
  };
  return [...rows, ...guards, otherwise];
}

function oneOrMore(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function eventsOf(hooks: readonly Hook[], file: string, all: ReadonlySet<string>): string[] {
  const own = hooks.filter(({ source }) => source === file).map(({ event }) => event);
  return [...new Set(own.length > 0 ? own : [...all])];
}

/** Other files: a module of Starlark is read as such, of every other one the texts in quotes and the plain words of values. */
function fileScopes(snapshot: FolderSnapshot, path: string, events: readonly string[]): Scope[] {
  const read = snapshot.text(path);
  if (!read.ok) return [];
  const { text } = read;
  if (path.endsWith('.star')) {
    const tree = parse(new SourceFile(path, text)).file.body;
    return events.map((event) => scriptScope(event, text, tree));
  }
  if (!/\.(ya?ml|json|toml)$/.test(path)) return [];
  const words = new Set<string>();
  for (const [, double, single, plain] of text.matchAll(
    /"((?:[^"\\\n]|\\.){1,200})"|'([^'\n]{1,200})'|[:=-]\s+([^\s"'[{#|>&*!][^\n#]{0,199})/g,
  )) {
    const word = (double === undefined ? (single ?? plain) : unquoted(double))?.trim();
    if (word !== undefined && word !== '') words.add(word);
  }
  const clues = [...words].flatMap((value): Clue[] => [
    { key: null, kind: 'is', value },
    { key: null, kind: 'has', value },
    { key: null, kind: 'regex', value },
    ...(/^[\w.*?:-]+$/.test(value) ? [{ key: 'name', kind: 'glob', value } as const] : []),
  ]);
  return events.map((event) => ({ event, text, clues, keys: [], asksWho: false }));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function scalars(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(scalars);
  return isJsonObject(value) ? Object.values(value).flatMap(scalars) : [];
}
