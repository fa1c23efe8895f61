/**
 * What an MCP server answered, as text for the model. What is no text is named, with its kind and size.
 */

/** The parts of an answer, as far as they are read here. */
export interface McpResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
}

export function resultText({ content = [], structuredContent }: McpResult): string {
  const parts = content.map(partText);
  // Servers repeat structured content as text for clients that cannot read it; only where they do not, it is shown.
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.join('\n');
}

type Part = Readonly<Record<string, unknown>>;

const PARTS: Readonly<Record<string, (part: Part) => string>> = {
  text: (part) => textOf(part.text),
  image: (part) => binary('image', part),
  audio: (part) => binary('audio', part),
  resource: (part) => resource(isPart(part.resource) ? part.resource : {}),
  resource_link: (part) => `[resource ${textOf(part.uri)}]`,
};

function partText(part: unknown): string {
  if (!isPart(part)) return '';
  const type = textOf(part.type);
  return Object.hasOwn(PARTS, type) ? PARTS[type]!(part) : `[${type}]`;
}

function resource(held: Part): string {
  return typeof held.text === 'string' ? held.text : `[resource ${textOf(held.uri)}]`;
}

function binary(kind: string, part: Part): string {
  const bytes = Math.floor((textOf(part.data).length * 3) / 4);
  return `[${kind} ${textOf(part.mimeType)}, ${bytes} bytes]`;
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
