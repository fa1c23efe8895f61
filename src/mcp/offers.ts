/**
 * What a server offers besides answers: tools, prompts, resources, templates of resources, skills and its instructions. A model reads
 * each of these texts before anything is called, so each is judged as `meta.register_tool` and pinned. One table.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { policyName } from './gates.ts';

export interface OfferKind {
  /** In the lock, and in names: `prompts/greeting`. */
  readonly kind: string;
  /** The member of a result that lists them. */
  readonly member: string;
  /** The members of an item that may name it, the first one present counts. */
  readonly namedBy: readonly string[];
  /** What is judged and pinned of an item. */
  readonly definition: (item: JsonObject) => JsonObject;
  /** False: items come and go with the data of the server; they are judged at every list. */
  readonly isPinned: boolean;
  /** An item that needs approval is listed, and its calls are asked about. Otherwise nobody can be asked, and it is left out. */
  readonly isCalled: boolean;
  /** The notification that the list is another one; null: there is none. */
  readonly changed: string | null;
  /** Why something that was never accepted is not used. Absent: what is offered first is agreed to. */
  readonly unaccepted?: string;
}

/** Everything of a tool that the model or the client acts on. */
const TOOL_PARTS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'execution',
] as const;

function toolDefinition(tool: JsonObject): JsonObject {
  return Object.fromEntries(TOOL_PARTS.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key]]])));
}

/** Images are shown to people, and `_meta` to programs. */
function allButImages({ icons, _meta, ...rest }: JsonObject): JsonObject {
  return rest;
}

const kindOf = (kind: string, namedBy: readonly string[], more: Partial<OfferKind> = {}): OfferKind => ({
  kind,
  member: kind,
  namedBy,
  definition: allButImages,
  isPinned: true,
  isCalled: false,
  changed: `notifications/${kind}/list_changed`,
  ...more,
});

export const TOOLS = kindOf('tools', ['name'], { definition: toolDefinition, isCalled: true });

/** By the method that lists them. */
export const LISTS: Readonly<Record<string, OfferKind>> = {
  'tools/list': TOOLS,
  'prompts/list': kindOf('prompts', ['name']),
  'resources/list': kindOf('resources', ['uri'], { isPinned: false }),
  'resources/templates/list': kindOf('resourceTemplates', ['uriTemplate'], {
    changed: 'notifications/resources/list_changed',
  }),
  'skills/list': kindOf('skills', ['uri', 'name']),
};

/** Methods that no era of the protocol has: nothing lists them, and a person accepts each when it is first used. */
const unknownMethods = (kind: string): OfferKind =>
  kindOf(kind, ['name'], {
    isCalled: true,
    changed: null,
    unaccepted: 'an unknown protocol method that no person has accepted',
  });
export const CLIENT_EXTRAS = unknownMethods('methods');
export const SERVER_EXTRAS = unknownMethods('methods of the server');

/** Part of the answers to these methods. */
export const INSTRUCTIONS = kindOf('server', ['name'], { changed: null });
export const INTRODUCTIONS: readonly string[] = ['initialize', 'server/discover'];

/** The instructions in an introduction, as items of their kind. */
export function instructionsIn({ instructions }: JsonObject): JsonObject[] {
  return instructions === undefined || instructions === null || instructions === ''
    ? []
    : [{ name: 'instructions', description: instructions }];
}

/** Empty for an item that nothing names. */
export function nameIn({ namedBy }: OfferKind, item: JsonObject): string {
  const name = namedBy.map((key) => item[key]).find((value) => typeof value === 'string');
  return name === undefined ? '' : (name as string);
}

export function itemsIn({ member }: OfferKind, result: JsonObject): readonly Json[] | null {
  const items = result[member];
  return Array.isArray(items) ? items : null;
}

/** How people and policies know it: tools by their own name, all else behind its kind. */
export function offerLabel(kind: OfferKind, name: string): string {
  return kind === TOOLS ? name : `${kind.kind}/${name}`;
}

/** The payload of `meta.register_tool`. */
export function offerOf(server: string, kind: OfferKind, item: JsonObject): JsonObject {
  const { description } = item;
  return {
    name: policyName(server, offerLabel(kind, nameIn(kind, item))),
    ...(typeof description === 'string' && { description }),
    server,
    definition: kind.definition(item),
  };
}

/** The items of a list by name; what is no object is no item. */
export function byName(kind: OfferKind, items: readonly Json[]): Map<string, JsonObject> {
  return new Map(items.filter(isJsonObject).map((item) => [nameIn(kind, item), item]));
}
