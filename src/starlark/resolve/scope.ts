/**
 * Where names live while a tree is resolved: blocks of names inside each other, each within one function's scope.
 */
import type { Binding, FunctionScope } from './binding.ts';

/** One lexical block: the file, a function, or a comprehension inside either. */
export interface Block {
  readonly parent: Block | null;
  readonly scope: FunctionScope;
  /** Filled before anything inside the block is resolved: a name bound anywhere in it means that binding throughout. */
  readonly names: Map<string, Binding>;
}

export function newScope(parent: FunctionScope | null): FunctionScope {
  return { parent, locals: [], free: [], globals: [] };
}

export function newBlock(parent: Block | null, scope: FunctionScope): Block {
  return { parent, scope, names: new Map() };
}

/** Binds `name` in the block as a local of its function, or counts one more binding of it. */
export function bindLocal(block: Block, name: string): Binding {
  let binding = block.names.get(name);
  if (binding === undefined) {
    const owner = block.scope;
    binding = newBinding(name, 'local', owner.locals.length, owner);
    owner.locals.push(binding);
    block.names.set(name, binding);
  }
  return boundAgain(binding);
}

/** The same for a global of the module. */
export function bindGlobal(block: Block, name: string): Binding {
  let binding = block.names.get(name);
  if (binding === undefined) {
    const { globals } = block.scope;
    binding = newBinding(name, 'global', globals.length, null);
    globals.push(binding);
    block.names.set(name, binding);
  }
  return boundAgain(binding);
}

/** Counts a binding. One more than a single `def` means that the variable may change. */
function boundAgain(binding: Binding): Binding {
  binding.bindings++;
  binding.definedBy = null;
  return binding;
}

export function newBinding(
  name: string,
  kind: Binding['kind'],
  index: number,
  owner: FunctionScope | null,
): Binding {
  return { name, kind, index, owner, captured: false, bindings: 0, definedBy: null };
}

/**
 * What `name` means inside `block`, or undefined where no block around binds it. A local of an outer function becomes
 * captured, and free in every function between.
 */
export function lookUp(block: Block, name: string): Binding | undefined {
  for (let around: Block | null = block; around !== null; around = around.parent) {
    const binding = around.names.get(name);
    if (binding === undefined) continue;
    if (binding.kind === 'local' && around.scope !== block.scope) capture(block, around.scope, binding);
    return binding;
  }
  return undefined;
}

/** Makes `binding`, found in the scope `found`, free in every function from `block` outwards to there. */
function capture(block: Block, found: FunctionScope, binding: Binding): void {
  binding.captured = true;
  for (let inner: Block | null = block; inner !== null && inner.scope !== found; inner = inner.parent) {
    const isFunctionBlock = inner.parent?.scope !== inner.scope;
    if (!isFunctionBlock) continue;
    inner.scope.free.push(binding);
    // From now on the name is found here at once, so each function lists a variable once.
    inner.names.set(binding.name, binding);
  }
}
