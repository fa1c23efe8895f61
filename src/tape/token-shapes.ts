/**
 * Credentials that can be told by their looks alone. Fixed here, and linear in the text: every part is either bounded or runs
 * to the end of what it has found.
 */

/** Model providers, code hosts, clouds, chat, package registries; signed web tokens; private keys as PEM. */
export const TOKEN_SHAPES =
  /\b(?:sk-[\w-]{20,400}|gh[pousr]_\w{20,400}|github_pat_\w{20,400}|glpat-[\w-]{20,400}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|xox[abeprs]-[\w-]{10,400}|npm_\w{36}|eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000})|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g;
