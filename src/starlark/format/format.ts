/**
 * Starlark in one form: four spaces a block, one statement a line, one item a line in brackets that were broken, double quotes, one
 * empty line around functions. Lines are never joined or broken for their length, comments stay where they are, and what comes out
 * means what went in: both are parsed and compared, and a text that would differ is given back as it was.
 */
import { SourceFile } from '../../base/index.ts';
import { parse, parseExpression } from '../syntax/parse.ts';
import type { StaticError } from '../syntax/static-error.ts';
import { Printer } from './printer.ts';
import { sameTree } from './same-tree.ts';
import { tokensOf } from './tokens.ts';

export type Formatted =
  | { readonly ok: true; readonly text: string }
  /** It cannot be parsed, and stays as it is. */
  | { readonly ok: false; readonly errors: readonly StaticError[] };

export function formatFile(source: SourceFile): Formatted {
  return formatTwice(
    source,
    (each) => {
      const { file, errors } = parse(each);
      return { tree: file, errors };
    },
    false,
  );
}

/** An expression on one line, as a condition is. */
export function formatExpression(source: SourceFile): Formatted {
  return formatTwice(
    source,
    (each) => {
      const { expr, errors } = parseExpression(each);
      return { tree: expr, errors };
    },
    true,
  );
}

type Read = (source: SourceFile) => { readonly tree: unknown; readonly errors: readonly StaticError[] };

/** Twice at most: what a first round moves onto a line of its own, a second may put in its place. */
function formatTwice(source: SourceFile, read: Read, oneExpression: boolean): Formatted {
  const before = read(source);
  if (before.errors.length > 0) return { ok: false, errors: before.errors };
  let { text } = source;
  for (let round = 0; round < 3; round++) {
    const printed = new Printer(tokensOf(text, oneExpression)).print();
    const next = oneExpression ? printed.trimEnd() : printed;
    if (next === text) break;
    const after = read(new SourceFile(source.name, next));
    if (after.errors.length > 0 || !sameTree(before.tree, after.tree)) break;
    text = next;
  }
  return { ok: true, text };
}
