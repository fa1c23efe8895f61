// Where the packages of the agents are: installed once, and stored outside the checkout. By the account, since tests have a HOME of their own.
import { userInfo } from 'node:os';
import { join } from 'node:path';

export const CACHE =
  process.env.HARNESS_AGENTS_CACHE ||
  join(process.env.XDG_CACHE_HOME || join(userInfo().homedir, '.cache'), 'harness', 'agents');

/** `NAME@VERSION` of each package of a recipe. */
export function versionsOf({ packages }) {
  return Object.entries(packages).map(([name, version]) => `${name}@${version}`);
}

/** The folder of a recipe's packages, whether it is there or not. */
export function placeOf(recipe) {
  return join(CACHE, versionsOf(recipe).join('+').replaceAll('/', '_'));
}
