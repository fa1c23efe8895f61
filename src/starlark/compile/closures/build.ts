/**
 * The closure back end: the tree of the program as a tree of closures. It generates no code, so it works
 * where that is forbidden, and it is short enough to be the oracle for the other one.
 */
import type { FileNode } from '../../syntax/ast.ts';
import type { BackEnd, Globals, TranslationInput } from '../back-end.ts';
import { codeOf } from '../code.ts';
import { ASYNC_RUNTIME, SYNC_RUNTIME } from '../runtime.ts';
import { type Context, Frame } from './frame.ts';
import { guarded, standaloneFunction } from './functions.ts';

export const closures: BackEnd = {
  file(input, file) {
    const { top } = input.analysis;
    const { globals, locals } = file.scope!;
    const run = guarded(contextOf(input, file.scope!), file.body, top, codeOf(top, input.source));
    return (thread, loaded) => {
      const module = { globals: new Array(globals.length).fill(undefined), loaded };
      thread.globals = () => module.globals;
      const done = run(thread, new Frame(locals.length, null, module, file.start));
      const result: Globals = module.globals;
      return done instanceof Promise ? done.then(() => result) : result;
    };
  },
  expression(input, fn) {
    return standaloneFunction(contextOf(input, fn.scope!), fn);
  },
};

function contextOf(input: TranslationInput, scope: NonNullable<FileNode['scope']>): Context {
  return { ...input, runtime: input.analysis.async ? ASYNC_RUNTIME : SYNC_RUNTIME, scope };
}
