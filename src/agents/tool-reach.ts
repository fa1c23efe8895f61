/**
 * Whether a condition can hold for a tool of an agent, as far as its names say. What names only tools that the agent does not
 * have is certain; a name that stands in no table may be that of a tool the table leaves out.
 */
import { compileGlob, isLiteral, isSlip } from '../base/index.ts';
import { type IndexableTest, isNameOfAgents, knownNames, wholeTool } from '../engine/index.ts';
import type { Adapter } from './adapter.ts';

export interface ToolMatchability {
  /** Why the condition holds for no tool of the agent, in words. */
  readonly never: string | null;
  /** Names that stand in no table, in words: the agent may have such tools. */
  readonly unknown: string | null;
}

const REACHED: ToolMatchability = { never: null, unknown: null };

/** `others`: names of tools that are not the agent's, such as those of the policy. */
export function toolMatchability(
  { title, tools }: Adapter,
  indexable: IndexableTest | undefined,
  others: ReadonlySet<string>,
): ToolMatchability {
  return matchabilityOfNames({ title, tools }, requiredNames(indexable), others);
}

/** The same for a list of names or globs, as tables of permissions have it; null names every tool. */
export function matchabilityOfNames(
  { title, tools }: Pick<Adapter, 'title' | 'tools'>,
  missed: readonly string[] | null,
  others: ReadonlySet<string>,
): ToolMatchability {
  const own = new Set(tools.flatMap(({ native, name }) => [native, name]));
  const isPossible = (name: string) =>
    own.has(name) || own.has(wholeTool(name)) || others.has(name) || name.startsWith('mcp__');
  if (missed === null || missed.some(isPossible)) return REACHED;
  const globs = missed.filter((name) => !isLiteral(name)).map(compileGlob);
  if ([...own, ...others].some((name) => globs.some((glob) => glob(name)))) return REACHED;
  const said = missed.map((name) => JSON.stringify(name)).join(' or ');
  const strange = missed.filter((name) => !isNameOfAgents(name));
  const meant = strange
    .filter(isLiteral)
    .map((name) => misspelledName(name, [...own, ...knownNames()]))
    .find((name) => name !== undefined);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  if (strange.length === 0 || meant !== undefined)
    return { never: `no tool of ${title} is called ${said}${hint}`, unknown: null };
  return { never: null, unknown: `no tool that Harness knows of ${title} is called ${said}` };
}

/** The names of which one must be the tool's for the condition to hold; null if the condition asks for no name. */
export function requiredNames(indexable: IndexableTest | undefined): readonly string[] | null {
  if (indexable?.key !== 'name' || indexable.values.length === 0) return null;
  return indexable.prefixes === undefined && indexable.suffixes === undefined ? indexable.values : null;
}

/** The name that was meant. A short word in small letters is near to many others, and may well be what it says. */
export function misspelledName(name: string, names: Iterable<string>): string | undefined {
  for (const known of names) {
    if (known.toLowerCase() === name.toLowerCase()) return known;
    if (/[A-Z_]/.test(known) && known[0] === name[0] && isSlip(name, known)) return known;
  }
  return undefined;
}
