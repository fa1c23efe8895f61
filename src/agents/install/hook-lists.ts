/**
 * The shape that most agents share: `{"hooks": {EVENT: [entry, …]}}` in a JSON file. An agent's table says what an entry
 * looks like; finding and reading entries is the same for all.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EventRow } from '../adapter.ts';
import {
  entry,
  type Installer,
  type InstallTarget,
  type ReadText,
  type Registration,
  rootOf,
  type WantedFile,
} from './installer.ts';
import { jsonAt } from './json-edit.ts';
import { isMarked, type Operation } from './operation.ts';

const CONTAINER = ['hooks'];

export interface HookLists {
  readonly agent: string;
  /** `file` gives one for a machine too. */
  readonly hasSystemPlace?: true;
  file(place: InstallTarget): string;
  /** The entry of an event. */
  entry(registration: Registration): JsonObject;
  /** Settings that the format demands. */
  defaults?(place: InstallTarget): readonly { readonly path: readonly string[]; readonly value: Json }[];
  /** Further files: trust, a manifest. */
  more?(place: InstallTarget, registrations: readonly Registration[]): readonly WantedFile[];
  steps?(place: InstallTarget, textOf: ReadText): readonly string[];
  advice?(place: InstallTarget): readonly string[];
  timeoutMs?(row: EventRow): number;
}

export function hookListInstaller(table: HookLists): Installer {
  const { agent } = table;
  return {
    agent,
    ...(table.hasSystemPlace && { hasSystemPlace: true }),
    settingsFile: table.file,
    files: (place, registrations) => [
      {
        file: table.file(place),
        within: rootOf(place),
        container: CONTAINER,
        operations: () => (registrations.length === 0 ? [] : operationsOf(table, place, registrations)),
      },
      ...(table.more?.(place, registrations) ?? []),
    ],
    registered: (place, textOf) => {
      const file = table.file(place);
      return markedLines(textOf(file) ?? '', agent).map(({ event, line }) => ({
        event,
        file,
        run: { shell: line },
      }));
    },
    steps: (place, textOf) => table.steps?.(place, textOf) ?? [],
    ...(table.advice !== undefined && { advice: table.advice }),
    ...(table.timeoutMs !== undefined && { timeoutMs: table.timeoutMs }),
  };
}

function operationsOf(
  table: HookLists,
  place: InstallTarget,
  registrations: readonly Registration[],
): Operation[] {
  return [
    ...(table.defaults?.(place) ?? []).map(
      ({ path, value }): Operation => ({ kind: 'default', path, value }),
    ),
    ...registrations.map((registration) =>
      entry([...CONTAINER, registration.row.native], table.entry(registration)),
    ),
  ];
}

/** Claude Code's group: a matcher and its handlers. */
export function group(handler: JsonObject, matcher: string | null): JsonObject {
  return { ...(matcher !== null && { matcher }), hooks: [handler] };
}

/** Of an entry, or of the handlers inside a group, the line with our marker. */
export function markedLines(text: string, agent: string): { event: string; line: string }[] {
  const lists = jsonAt(text, CONTAINER);
  if (lists === undefined || !isJsonObject(lists)) return [];
  return Object.entries(lists).flatMap(([event, items]) =>
    (Array.isArray(items) ? items : []).flatMap((item) =>
      textsIn(item)
        .filter((line) => isMarked(line, agent))
        .map((line) => ({ event, line })),
    ),
  );
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap((inner) => textsIn(inner as Json)) : [];
}

/** Events about a tool: those take a matcher. */
export function isToolEvent({ event }: EventRow): boolean {
  return event.startsWith('tool.') || event.startsWith('permission.');
}
