/** What a person types to run this command again. */
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * In a clone and where the package is installed `npx harness` runs this command. From npx's own cache it would run somebody
 * else's package of that name, so `npx harness-hooks` is the command there. (npm picks the first of two equal `bin`
 * entries, so the name of the running file does not tell which of them was typed.)
 */
export function ownName(): string {
  if (process.env.npm_command !== 'exec') return 'harness';
  const program = realpathSync(process.argv[1] ?? '.');
  return program.split(sep).includes('_npx') ? 'npx harness-hooks' : 'npx harness';
}
