/**
 * What of a script has run: how often each line, and where it can say something. Only scripts that were compiled for it are
 * counted.
 */
import type { CoveredScript } from '../engine/index.ts';
import type { Program } from '../starlark/index.ts';

const ACTIONS: ReadonlySet<string> = new Set(['allow', 'block', 'ask', 'modify', 'delegate', 'permit']);

export function coverageOf(program: Program): CoveredScript {
  return { lines: () => program.coverage(), ...sitesIn(program) };
}

type Tree = Readonly<Record<string, unknown>>;

function sitesIn({ file, source }: Program): Pick<CoveredScript, 'decisions' | 'addsContext'> {
  const sites: CoveredScript['decisions'][number][] = [];
  let addsContext = false;
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { kind, callee, args, start } = node as Tree & { callee?: Tree; args?: Tree[]; start?: number };
    if (kind === 'call' && callee?.kind === 'ident') {
      const name = callee.name as string;
      if (ACTIONS.has(name)) sites.push({ action: name, line: source.position(start!).line });
      addsContext ||= name === 'remind' || (ACTIONS.has(name) && args!.some((arg) => arg.name === 'context'));
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(file.body);
  return { decisions: sites.sort((a, b) => a.line - b.line), addsContext };
}
