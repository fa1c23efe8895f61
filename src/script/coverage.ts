/**
 * What of a script has run: how often each line, and where it can say something. Only scripts that were compiled for it are
 * counted.
 */
import type { CoveredScript } from '../engine/index.ts';
import type { Program } from '../starlark/index.ts';

const ACTIONS: ReadonlySet<string> = new Set(['allow', 'block', 'ask', 'modify', 'delegate', 'permit']);

export function coverageOf(program: Program): CoveredScript {
  return { lines: () => program.coverage(), decisions: sitesIn(program) };
}

type Tree = Readonly<Record<string, unknown>>;

function sitesIn({ file, source }: Program): CoveredScript['decisions'][number][] {
  const sites: CoveredScript['decisions'][number][] = [];
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { kind, callee, start } = node as Tree & { callee?: Tree; start?: number };
    if (kind === 'call' && callee?.kind === 'ident' && ACTIONS.has(callee.name as string)) {
      sites.push({ action: callee.name as string, line: source.position(start!).line });
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(file.body);
  return sites.sort((a, b) => a.line - b.line);
}
