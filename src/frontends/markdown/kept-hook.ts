/**
 * A hook as data: what its file says, checked, with its script and condition translated. From that and the text of the file the
 * same hook is made again, without reading YAML or Starlark.
 */
import type { JsonObject } from '../../base/json.ts';
import { SourceFile } from '../../base/source.ts';
import { type MapNode, type ScalarNode, type ScalarStyle, toData } from '../../base/tree.ts';
import { embeddedExpression, embeddedSource } from '../../files/embedded-source.ts';
import { parseArtifact } from '../../files/parse-artifact.ts';
import type { Hook } from '../../hooks/hook.ts';
import type { EventNames } from '../../script/event-names.ts';
import {
  type KeptCondition,
  type KeptScript,
  keepCondition,
  keptBody,
  keptCondition,
} from '../../script/kept-script.ts';
import type { KeptCode } from '../../starlark/compile/kept.ts';
import { markdownFrontEnd } from './markdown-front-end.ts';

/** What is plain data in a hook. */
const PLAIN = [
  'name',
  'event',
  'writtenEvent',
  'threshold',
  'priority',
  'source',
  'position',
  'line',
  'description',
  'readsPolicy',
  'origin',
  'stateGroup',
  'mode',
  'onError',
  'onWhenError',
  'explicit',
  'timeoutMs',
] as const;

type PlainHook = Pick<Hook, (typeof PLAIN)[number]>;

/** Where a text stands in the file, and its value. */
interface Place {
  readonly start: number;
  readonly end: number | null;
  readonly style: ScalarStyle | null;
  readonly value: string;
}

export interface KeptHook {
  readonly hook: PlainHook;
  readonly names: EventNames;
  /** As written; null if none is. */
  readonly priority: number | null;
  readonly when: (KeptCondition & { readonly place: Place }) | null;
  readonly script: (KeptScript & { readonly place: Place }) | null;
}

interface Parts {
  /** Absent if the hook has no condition, or one that is more than its `when`. */
  readonly code: (() => KeptCode | null) | null;
  readonly script: (() => KeptScript | null) | null;
  readonly names: EventNames;
}

interface Written {
  readonly map: MapNode;
  scalar(name: 'when' | 'script'): ScalarNode | undefined;
}

/** Null if something of it cannot be kept: then it is read from its file each time. */
export function keepHook(hook: Hook, fields: Written, { code, script, names }: Parts): KeptHook | null {
  const { condition, body, event } = hook;
  if (hook.covered !== undefined || !Number.isFinite(hook.timeoutMs)) return null;
  const kept = script?.() ?? null;
  const test = condition === null ? null : keepCondition(condition, code?.() ?? null, event);
  if ((kept === null) !== (body === null) || (test === null) !== (condition === null)) return null;
  const plain = Object.fromEntries(PLAIN.map((key) => [key, hook[key]])) as unknown as PlainHook;
  const written = fields.map.entries.get('priority')?.value;
  const place = (name: 'when' | 'script'): Place => {
    const { start, end = null, style = null, value } = fields.scalar(name)!;
    return { start, end, style, value: String(value) };
  };
  return {
    hook: plain,
    names,
    priority: written?.kind === 'scalar' && typeof written.value === 'number' ? written.value : null,
    when: test === null ? null : { ...test, place: place('when') },
    script: kept === null ? null : { ...kept, place: place('script') },
  };
}

/** `text` is that of its file. */
export function keptHook({ hook, names, priority, when, script }: KeptHook, text: () => string): Hook {
  return {
    ...hook,
    frontEnd: markdownFrontEnd,
    written: () => writtenIn(new SourceFile(hook.source, text()), priority)(),
    condition:
      when === null ? null : keptCondition(when, embedded(hook.source, text, when.place, true), names),
    body: script === null ? null : keptBody(script, embedded(hook.source, text, script.place, false), names),
  };
}

/** What its author wrote, read again when somebody asks: a tree takes many times the room of its text. */
export function writtenIn({ name, text }: SourceFile, priority: number | null): NonNullable<Hook['written']> {
  return () => {
    const { map, body } = parseArtifact(name, { ok: true, text }, { noun: 'hook' });
    return { priority, frontMatter: map === null ? {} : (toData(map) as JsonObject), body: body.trim() };
  };
}

/** The file around it is looked at only if somebody asks for a position. */
function embedded(path: string, text: () => string, place: Place, isExpression: boolean): SourceFile {
  const node = nodeOf(place);
  let source: SourceFile | null = null;
  const value = isExpression ? place.value.trimEnd() : place.value;
  return new SourceFile(path, value, (line, col) => {
    source ??= (isExpression ? embeddedExpression : embeddedSource)(new SourceFile(path, text()), node);
    return source.mapped(line, col);
  });
}

function nodeOf({ start, end, style, value }: Place): ScalarNode {
  return { kind: 'scalar', value, start, ...(end !== null && { end }), ...(style !== null && { style }) };
}
