/**
 * How large and how deep things may be; budget.ts has what a host may set. The same numbers hold for source text and for values, so that no recursive
 * function of the language can exhaust the host's stack.
 */

/**
 * Levels of nesting: of values in repr, ==, <, hash, freeze and json, and of the syntax tree from the file down to its
 * deepest leaf. In the tree a chain such as `a + b + c` or `x.f().g()` counts one level for each link, because it
 * is a tree leaning left, and a comprehension one for each clause; later phases may therefore recurse over any tree the
 * parser accepts.
 */
export const MAX_NESTING = 500;

/** Static errors after which the rest of a file is not looked at. */
export const MAX_ERRORS = 50;

/** Digits of an integer literal; reading one takes time quadratic in its length. */
export const MAX_INT_DIGITS = 300_000;

/** Arguments of one call and parameters of one function: the host's own calls end somewhere beyond. */
export const MAX_ARGUMENTS = 1000;
