/**
 * The policy by its content: what a tape names in its header, and what a replay holds against the project it is given.
 * Two policies with the same digest decide alike.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../base/canonical-json.ts';
import type { Host } from '../base/host.ts';
import type { JsonObject } from '../base/json.ts';
import type { Mode } from '../events/decision.ts';
import { OPERATOR_VARIABLES } from '../frontends/profile/operator.ts';
import type { Project } from '../frontends/project.ts';
import type { Hook } from '../hooks/hook.ts';
import { LIMITS } from '../hooks/hook-limits.ts';
import { sortChain } from '../hooks/sort.ts';
import { SCRIPT_LIMITS } from '../script/script-limits.ts';

/** The policy by content: every hook file and every setting that changes a decision. */
export interface PolicyDigest {
  /** SHA-256 over the canonical JSON of the rest. */
  readonly digest: string;
  /** In the order they run, event by event. */
  readonly hooks: readonly PolicyHook[];
  /** SHA-256 of every file the policy was read from, by its path in the project. */
  readonly files: Readonly<Record<string, string>>;
  readonly settings: JsonObject;
}

/** One hook as far as it shapes what a chain says. */
export interface PolicyHook {
  readonly name: string;
  readonly event: string;
  readonly source: string;
  readonly position: number;
  readonly frontEnd: string;
  readonly priority: number;
  readonly mode: Mode;
  readonly onError: 'block' | 'allow' | 'throw';
  readonly onWhenError: 'skip' | 'block';
  readonly timeoutMs: number;
  /** What its front end lets it do to its event. */
  readonly modifies: boolean;
  readonly blocks: boolean;
  /** SHA-256 of the file, or null for a closure: such a hook can only be replayed from its recorded returns. */
  readonly digest: string | null;
}

export interface PolicySource {
  /** Of the project and of the program around it; in any order. */
  readonly hooks: Iterable<Hook>;
  /** The files the hooks were read from; absent where all of them are code. */
  readonly project?: Pick<Project, 'dir' | 'files' | 'settings'>;
  readonly host: Pick<Host, 'env'>;
}

export function policyDigest({ hooks, project, host }: PolicySource): PolicyDigest {
  const files = project === undefined ? {} : fileDigests(project.dir, project.files);
  const policy = {
    files,
    hooks: inOrder(hooks).map((hook, rank) => placed(describeHook(hook, files), rank)),
    settings: settingsOf(project, host),
  };
  return { digest: hash('sha256', canonicalJson(policy), 'hex'), ...policy };
}

/** A closure's position counts registrations in its process: its place among the others is what matters. */
function placed(hook: PolicyHook, rank: number): PolicyHook {
  return hook.digest === null ? { ...hook, position: rank } : hook;
}

/** Keys in sorted order, as in every record. */
export function describeHook(hook: Hook, files: PolicyDigest['files']): PolicyHook {
  const { name, event, source, position, frontEnd, priority, mode, onError, onWhenError, timeoutMs } = hook;
  return {
    blocks: frontEnd.powers.block?.(event) !== false,
    digest: Object.hasOwn(files, source) ? files[source]! : null,
    event,
    frontEnd: frontEnd.name,
    mode,
    modifies: frontEnd.powers.modify,
    name,
    onError,
    onWhenError,
    position,
    priority,
    source,
    // JSON has no word for no limit.
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : 0,
  };
}

/** SHA-256 of each file, `unreadable` for one that cannot be read: that too is part of what was loaded. */
export function fileDigests(dir: string, files: readonly string[]): Record<string, string> {
  const digests: [string, string][] = [...new Set(files)].sort().map((file) => {
    try {
      return [file, hash('sha256', readFileSync(join(dir, file)), 'hex')];
    } catch {
      return [file, 'unreadable'];
    }
  });
  return Object.fromEntries(digests);
}

function inOrder(hooks: Iterable<Hook>): Hook[] {
  const events = new Map<string, Hook[]>();
  for (const hook of hooks) events.set(hook.event, [...(events.get(hook.event) ?? []), hook]);
  return [...events.keys()].sort().flatMap((event) => sortChain(events.get(event)!));
}

/** Whatever else a hook's answer depends on and no reading shows. */
function settingsOf(project: PolicySource['project'], { env }: Pick<Host, 'env'>): JsonObject {
  const { steps, memory, depth, intBits, metricNames, storedKeys, redirects } = SCRIPT_LIMITS;
  const switches = OPERATOR_VARIABLES.flatMap((name) => {
    const value = env(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    allowedDomains: [...(project?.settings.allowedDomains ?? [])],
    environment: Object.fromEntries(switches),
    limits: {
      depth,
      emitDepth: LIMITS.emitDepth,
      intBits,
      memory,
      metricNames,
      redirects,
      steps,
      storedKeys,
    },
  };
}

/** What a replay says of the two policies before anything else; empty where they are the same. */
export function policyChanges(recorded: PolicyDigest, now: PolicyDigest): string[] {
  if (recorded.digest === now.digest) return [];
  const changes = [...fileChanges(recorded.files ?? {}, now.files), ...settingChanges(recorded, now)];
  const hooks = changes.length > 0 ? [] : hookChanges(recorded, now);
  return [...changes, ...hooks];
}

function fileChanges(before: PolicyDigest['files'], after: PolicyDigest['files']): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    if (before[name] === after[name]) return [];
    if (!Object.hasOwn(after, name)) return [`${name} is gone`];
    return [Object.hasOwn(before, name) ? `${name} has changed` : `${name} is new`];
  });
}

function settingChanges(recorded: PolicyDigest, now: PolicyDigest): string[] {
  const names = [...new Set([...Object.keys(recorded.settings), ...Object.keys(now.settings)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [recorded.settings[name], now.settings[name]].map((value) => text(value));
    return before === after ? [] : [`the setting ${name} was ${before}, is ${after}`];
  });
}

/** Hooks that come from no file: a program registered others, or this program makes something else of the same files. */
function hookChanges(recorded: PolicyDigest, now: PolicyDigest): string[] {
  const before = new Set(recorded.hooks.map(text));
  const after = new Set(now.hooks.map(text));
  const gone = recorded.hooks.filter((hook) => hook.digest !== null && !after.has(text(hook)));
  const fresh = now.hooks.filter((hook) => hook.digest !== null && !before.has(text(hook)));
  return [
    ...gone.map((hook) => `hook "${hook.name}" of ${hook.source} is gone or has changed`),
    ...fresh.map((hook) => `hook "${hook.name}" of ${hook.source} is new or has changed`),
  ];
}

function text(value: unknown): string {
  return value === undefined ? 'absent' : canonicalJson(value);
}
