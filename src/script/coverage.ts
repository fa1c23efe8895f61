/**
 * What of a script has run: how often each line, and where it can say something. Only scripts that were compiled for it are
 * counted.
 */
import type { CoveredScript } from '../engine/index.ts';
import { type Call, nodesIn, type Program } from '../starlark/index.ts';

const ACTIONS: ReadonlySet<string> = new Set(['allow', 'block', 'ask', 'modify', 'delegate', 'permit']);

export function coverageOf(program: Program): CoveredScript {
  return { lines: () => program.coverage(), ...sitesIn(program) };
}

function sitesIn({ file, source }: Program): Pick<CoveredScript, 'decisions' | 'addsContext'> {
  const sites: CoveredScript['decisions'][number][] = [];
  let addsContext = false;
  for (const node of file.body.flatMap(nodesIn)) {
    const { callee, args, start } = node as unknown as Call;
    if (node.kind !== 'call' || callee.kind !== 'ident') continue;
    const { name } = callee;
    if (ACTIONS.has(name)) sites.push({ action: name, line: source.position(start).line });
    addsContext ||= name === 'remind' || (ACTIONS.has(name) && args.some((arg) => arg.name === 'context'));
  }
  return { decisions: sites.sort((a, b) => a.line - b.line), addsContext };
}
