/**
 * The policy by its content: what a tape names in its header, and what a replay holds against the project it is given.
 * Two policies with the same digest decide alike.
 */

import { canonicalJson, digestOf, type JsonObject } from '../base/index.ts';
import { type Hook, LIMITS, layerOf, type Mode, sort } from '../engine/index.ts';
import { OPERATOR_VARIABLES, type Project } from '../frontends/index.ts';
import type { Host } from '../machine/index.ts';
import { SCRIPT_LIMITS } from '../script/index.ts';

/** The policy by content: every hook file and every setting that changes a decision. */
export interface PolicyDigest {
  /** SHA-256 over the canonical JSON of the rest. */
  readonly digest: string;
  /** In the order they run, event by event. */
  readonly hooks: readonly PolicyHook[];
  /** SHA-256 of every file the policy was read from, by its path in the project; `unreadable` for one that could not be. */
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
  readonly project: ReadFiles;
}

type ReadFiles = Pick<Project, 'files' | 'snapshot'>;

export interface PolicySource {
  /** Of the policy and of the program around it; in any order. */
  readonly hooks: Iterable<Hook>;
  /** The folders the hooks were read from; absent if all of them are code. */
  readonly layers?: readonly DigestedLayer[];
  /** What else shapes a decision; defaults left out, so that a new setting does not make an old policy another one. */
  readonly settings?: JsonObject;
  /** Instead of `layers` and `settings`, for one folder. */
  readonly project?: ReadFiles & Pick<Project, 'settings'>;
  readonly host: Pick<Host, 'env'>;
}

export function policyDigest({ hooks, host, ...source }: PolicySource): PolicyDigest {
  const { project } = source;
  const whole = project && [{ name: 'project', project }];
  const layers = source.layers ?? whole ?? [];
  const own = source.settings ?? { allowedDomains: [...(project?.settings.allowedDomains ?? [])] };
  const digested = layers.map((layer) => ({
    layer,
    files: layer.project.snapshot.digests(layer.project.files),
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
export function inLayer(layer: string, file: string): string {
  return layer === 'project' || layer === 'code' ? file : `${layer}/${file}`;
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

function inOrder(hooks: Iterable<Hook>): Hook[] {
  const events = new Map<string, Hook[]>();
  for (const hook of hooks) events.set(hook.event, [...(events.get(hook.event) ?? []), hook]);
  return [...events.keys()].sort().flatMap((event) => sort(events.get(event)!));
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
    const [was, is] = [recorded.settings[name], now.settings[name]];
    const [before, after] = [text(was), text(is)];
    if (before === after) return [];
    if (Array.isArray(was) || Array.isArray(is)) return listChanges(name, listOf(was), listOf(is));
    return [`the setting ${name} was ${before}, is ${after}`];
  });
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? each : text(each))) : [];
}

/** A line for each entry that differs, by its words: a digest says no more than that it is another. */
function listChanges(name: string, before: readonly string[], after: readonly string[]): string[] {
  const words = (entry: string) => entry.replace(/ [0-9a-f]{64}$/, '');
  const [were, are] = [new Set(before.map(words)), new Set(after.map(words))];
  const said = [
    ...[...were].filter((entry) => !are.has(entry)).map((entry) => `${entry} is gone`),
    ...[...are].filter((entry) => !were.has(entry)).map((entry) => `${entry} is new`),
    ...[...are]
      .filter(
        (entry) =>
          were.has(entry) &&
          before.find((each) => words(each) === entry) !== after.find((each) => words(each) === entry),
      )
      .map((entry) => `${entry} has changed`),
  ];
  return said.length === 0
    ? [`the setting ${name} is in another order`]
    : said.map((each) => `${name}: ${each}`);
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
