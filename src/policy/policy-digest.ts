/**
 * The policy by its content: what a tape names in its header, and what a replay holds against the project it is given.
 * Two policies with the same digest decide alike.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../base/canonical-json.ts';
import type { Host } from '../base/host.ts';
import type { JsonObject } from '../base/json.ts';
import { sha256Hex } from '../base/sha256.ts';
import type { Mode } from '../events/decision.ts';
import { OPERATOR_VARIABLES } from '../frontends/profile/operator.ts';
import type { Project } from '../frontends/project.ts';
import type { Hook } from '../hooks/hook.ts';
import { LIMITS } from '../hooks/hook-limits.ts';
import { layerOf } from '../hooks/layer.ts';
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
  /** Each layer by its content, so that a replay can name the one that differs. */
  readonly layers?: readonly LayerDigest[];
}

export interface LayerDigest {
  readonly name: string;
  readonly digest: string;
}

/** One hook as far as it shapes what a chain says. */
export interface PolicyHook {
  readonly name: string;
  readonly event: string;
  readonly source: string;
  readonly position: number;
  readonly frontEnd: string;
  /** Absent on tapes of version 1, like `rank`. */
  readonly layer?: string;
  /** Authority of the layer: the smaller, the higher. */
  readonly rank?: number;
  readonly priority: number;
  readonly mode: Mode;
  readonly onError: 'block' | 'allow' | 'throw';
  /** The expression that says what a failure means, if it is not a word. */
  readonly failureMode?: string;
  readonly onWhenError: 'skip' | 'block';
  readonly timeoutMs: number;
  /** What its front end lets it do to its event. */
  readonly modifies: boolean;
  readonly blocks: boolean;
  /** SHA-256 of the file, or null for a closure: such a hook can only be replayed from its recorded returns. */
  readonly digest: string | null;
}

/** A folder that policy was read from. */
export interface DigestedLayer {
  readonly name: string;
  readonly dir: string;
  readonly files: readonly string[];
  /** Of those files, if they were taken when they were read. */
  readonly digests?: Readonly<Record<string, string>>;
}

export interface PolicySource {
  /** Of the policy and of the program around it; in any order. */
  readonly hooks: Iterable<Hook>;
  /** The folders the hooks were read from; absent if all of them are code. */
  readonly layers?: readonly DigestedLayer[];
  /** What else shapes a decision; defaults left out, so that a new setting does not make an old policy another one. */
  readonly settings?: JsonObject;
  /** Instead of `layers` and `settings`, for one folder. */
  readonly project?: Pick<Project, 'dir' | 'files' | 'settings'>;
  readonly host: Pick<Host, 'env'>;
}

export function policyDigest({ hooks, host, ...source }: PolicySource): PolicyDigest {
  const { project } = source;
  // Only these: what else a loaded project holds is of another shape.
  const whole = project && [{ name: 'project', dir: project.dir, files: project.files }];
  const layers = source.layers ?? whole ?? [];
  const own = source.settings ?? { allowedDomains: [...(project?.settings.allowedDomains ?? [])] };
  const digested = layers.map((layer: DigestedLayer) => ({
    layer,
    files: layer.digests ?? fileDigests(layer.dir, layer.files),
  }));
  const files = Object.fromEntries(
    digested.flatMap(({ layer, files }) =>
      Object.entries(files).map(([file, digest]) => [inLayer(layer.name, file), digest] as const),
    ),
  );
  const policy = {
    files,
    hooks: inOrder(hooks).map((hook, rank) => placed(describeHook(hook, files), rank)),
    layers: digested.map(({ layer: { name }, files }) => ({ digest: digestOf(files), name })),
    settings: settingsOf(own, host),
  };
  return { digest: digestOf(policy), ...policy };
}

/** Files of the outermost project folder keep their plain path; others say whose they are. */
function inLayer(layer: string, file: string): string {
  return layer === 'project' || layer === 'code' ? file : `${layer}/${file}`;
}

function digestOf(data: unknown): string {
  return sha256Hex(canonicalJson(data));
}

/** A closure's position counts registrations in its process: its place among the others is what matters. */
function placed(hook: PolicyHook, rank: number): PolicyHook {
  return hook.digest === null ? { ...hook, position: rank } : hook;
}

/** Keys in sorted order, as in every record. */
export function describeHook(hook: Hook, files: PolicyDigest['files']): PolicyHook {
  const { name, event, source, position, frontEnd, priority, mode, onError, onWhenError, timeoutMs } = hook;
  const { name: layer, rank } = layerOf(hook);
  const file = inLayer(layer, source);
  return {
    blocks: frontEnd.powers.block?.(event) !== false,
    digest: Object.hasOwn(files, file) ? files[file]! : null,
    event,
    ...(hook.failureMode !== undefined && { failureMode: hook.failureMode.text }),
    frontEnd: frontEnd.name,
    layer,
    mode,
    modifies: frontEnd.powers.modify,
    name,
    onError,
    onWhenError,
    position,
    priority,
    rank,
    source,
    // JSON has no word for no limit.
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : 0,
  };
}

const NONE_KNOWN: ReadonlyMap<string, string> = new Map();

/**
 * SHA-256 of each file, `unreadable` for one that cannot be read: that too is part of what was loaded. A pipe or a device, or a
 * link to one, has no end that could be waited for.
 */
export function fileDigests(
  dir: string,
  files: readonly string[],
  known: ReadonlyMap<string, string> = NONE_KNOWN,
): Record<string, string> {
  const digests: [string, string][] = [...new Set(files)].sort().map((file) => {
    const before = known.get(file);
    if (before !== undefined) return [file, before];
    try {
      const path = join(dir, file);
      if (!statSync(path).isFile()) return [file, 'unreadable'];
      return [file, sha256Hex(readFileSync(path))];
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
function settingsOf(own: JsonObject, { env }: Pick<Host, 'env'>): JsonObject {
  const { steps, memory, depth, intBits, metricNames, storedKeys, redirects } = SCRIPT_LIMITS;
  const switches = OPERATOR_VARIABLES.flatMap((name) => {
    const value = env(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...own,
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

/** What a replay says of the two policies before anything else; empty where they are the same, whatever digest a tape claims. */
export function policyChanges(recorded: PolicyDigest, now: PolicyDigest): string[] {
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
  // A tape of version 1 does not know of layers.
  const key =
    recorded.layers === undefined ? ({ layer: _, rank: __, ...hook }: PolicyHook) => text(hook) : text;
  const before = new Set(recorded.hooks.map(key));
  const after = new Set(now.hooks.map(key));
  const gone = recorded.hooks.filter((hook) => hook.digest !== null && !after.has(key(hook)));
  const fresh = now.hooks.filter((hook) => hook.digest !== null && !before.has(key(hook)));
  return [
    ...gone.map((hook) => `hook "${hook.name}" of ${hook.source} is gone or has changed`),
    ...fresh.map((hook) => `hook "${hook.name}" of ${hook.source} is new or has changed`),
  ];
}

function text(value: unknown): string {
  return value === undefined ? 'absent' : canonicalJson(value);
}
