import { describe, expect, it } from 'vitest';
import { callersOf, inCycles, leadingTo } from './call-graph.ts';

/** `ab bc ca`: a calls b, b calls c, c calls a. */
function graph(edges: string): { nodes: string[]; callees: (node: string) => string[] } {
  const pairs = edges.split(' ').map((edge) => edge.split('') as [string, string?]);
  const nodes = [...new Set(pairs.flat().filter((node) => node !== undefined))];
  return { nodes, callees: (node) => pairs.flatMap(([from, to]) => (from === node && to ? [to] : [])) };
}

describe('a call graph', () => {
  it.each([
    ['a', ''],
    ['aa', 'a'],
    ['ab bc', ''],
    ['ab ba', 'ab'],
    ['ab bc cb cd', 'bc'],
    ['ab bc ca cd de ed ff', 'abcdef'],
    ['ab ac bd cd da', 'abcd'],
    ['ab ac bd cd de', ''],
    ['ab bc cd dd db', 'bcd'],
  ])('%s: in cycles are %s', (edges, cyclic) => {
    const { nodes, callees } = graph(edges);
    expect([...inCycles(nodes, callees)].sort().join('')).toBe(cyclic);
  });

  it('knows what leads to a node', () => {
    const { nodes, callees } = graph('ab bc dc ec fe g');
    expect([...leadingTo(['e'], callersOf(nodes, callees))].sort().join('')).toBe('ef');
    expect([...leadingTo(['c'], callersOf(nodes, callees))].sort().join('')).toBe('abcdef');
    expect(leadingTo([], callersOf(nodes, callees)).size).toBe(0);
  });

  it('takes a chain of a hundred thousand without nesting calls', () => {
    const nodes = Array.from({ length: 100_000 }, (_, i) => i);
    expect(inCycles(nodes, (i) => (i + 1 < nodes.length ? [i + 1] : [0])).size).toBe(nodes.length);
  });
});
