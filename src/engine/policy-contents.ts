/**
 * What a policy consists of, as data for scripts: `policy.hooks()` and `policy.tools()`. A function of the files the policy was
 * read from, all of them in its digest, so that a replay over the same policy reads the same.
 */
import type { Json, JsonObject } from '../base/index.ts';
import type { Hook } from './hook.ts';
import { isBuiltIn, layerOf } from './layer.ts';
import { sort } from './pipeline.ts';

export interface PolicyContents {
  /** Every hook somebody wrote, event by event in the order they run. */
  readonly hooks: () => readonly JsonObject[];
  /** Every tool of the folders the policy was read from. */
  readonly tools: () => readonly JsonObject[];
}

/** A hook as its author wrote it. */
export interface WrittenHook {
  /** Null if none is stated. */
  readonly priority: number | null;
  readonly frontMatter: JsonObject;
  readonly body: string;
}

/** The same hooks; those whose script asks for it know the policy they are part of. */
export function withContents(hooks: readonly Hook[], tools: readonly JsonObject[]): readonly Hook[] {
  if (!hooks.some(({ readsPolicy }) => readsPolicy === true)) return hooks;
  let listed: readonly JsonObject[] | null = null;
  const contents: PolicyContents = {
    hooks: () => (listed ??= listOf(hooks)),
    tools: () => tools,
  };
  return hooks.map((hook) => (hook.readsPolicy === true ? { ...hook, contents } : hook));
}

function listOf(hooks: readonly Hook[]): readonly JsonObject[] {
  const authored = hooks.filter((hook) => !isBuiltIn(hook));
  const events = [...new Set(authored.map(({ event }) => event))].sort();
  return events.flatMap((event) => sort(authored.filter((hook) => hook.event === event)).map(described));
}

function described(hook: Hook): JsonObject {
  const { name, event, writtenEvent, source, mode, frontEnd, condition, description } = hook;
  const written = hook.written?.() ?? { priority: hook.priority, frontMatter: {}, body: description ?? '' };
  return {
    name,
    event,
    written_event: writtenEvent ?? event,
    priority: written.priority,
    source,
    layer: layerOf(hook).name,
    front_end: frontEnd.name,
    mode,
    when: (condition?.text ?? null) as Json,
    loaded: hook.standIn !== true,
    front_matter: written.frontMatter,
    body: written.body,
  };
}
