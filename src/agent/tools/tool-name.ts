/**
 * What a tool may be called. The rule is the narrowest of the model providers', so that a tool works with all of them.
 */

export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const TOOL_NAME_RULE = 'want 1 to 64 letters, digits, _ and -';

const LONGEST = 64;

/** The name an MCP tool is offered under. Characters providers refuse become `_`; a name that is taken gets a number. */
export function offeredName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const clean = `${server}__${tool}`.replace(/[^A-Za-z0-9_-]/g, '_');
  let name = clean.slice(0, LONGEST);
  for (let count = 2; taken.has(name); count++) name = `${clean.slice(0, LONGEST - 4)}_${count}`;
  return name;
}
