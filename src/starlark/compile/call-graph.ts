/**
 * Questions about which function calls which, answered in time proportional to the graph: what is part of a
 * cycle, and what leads to something.
 */

/** The nodes that can be reached from themselves. Tarjan's algorithm, with a stack of its own. */
export function inCycles<T>(nodes: Iterable<T>, callees: (node: T) => Iterable<T>): Set<T> {
  const cyclic = new Set<T>();
  const order = new Map<T, number>();
  /** The earliest node, by order, that each one is known to lead back to. */
  const low = new Map<T, number>();
  const open: T[] = [];
  const isOpen = new Set<T>();
  const lower = (node: T, to: number) => {
    if (to < low.get(node)!) low.set(node, to);
  };

  for (const root of nodes) {
    if (order.has(root)) continue;
    const path: { readonly node: T; readonly rest: Iterator<T> }[] = [];
    const enter = (node: T) => {
      order.set(node, order.size);
      low.set(node, order.get(node)!);
      open.push(node);
      isOpen.add(node);
      path.push({ node, rest: callees(node)[Symbol.iterator]() });
    };
    enter(root);
    while (path.length > 0) {
      const { node, rest } = path.at(-1)!;
      const next = rest.next();
      if (next.done !== true) {
        if (next.value === node) cyclic.add(node);
        if (!order.has(next.value)) enter(next.value);
        else if (isOpen.has(next.value)) lower(node, order.get(next.value)!);
        continue;
      }
      path.pop();
      if (path.length > 0) lower(path.at(-1)!.node, low.get(node)!);
      if (low.get(node) !== order.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const member of component) {
        isOpen.delete(member);
        if (component.length > 1) cyclic.add(member);
      }
    }
  }
  return cyclic;
}

/** `from` and everything that leads there. */
export function leadingTo<T>(from: Iterable<T>, callers: ReadonlyMap<T, readonly T[]>): Set<T> {
  const found = new Set(from);
  const queue = [...found];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const caller of callers.get(node) ?? []) {
      if (found.has(caller)) continue;
      found.add(caller);
      queue.push(caller);
    }
  }
  return found;
}

/** The graph turned round. */
export function callersOf<T>(nodes: Iterable<T>, callees: (node: T) => Iterable<T>): Map<T, T[]> {
  const callers = new Map<T, T[]>();
  for (const node of nodes) {
    for (const callee of callees(node)) {
      const known = callers.get(callee);
      if (known === undefined) callers.set(callee, [node]);
      else known.push(node);
    }
  }
  return callers;
}
