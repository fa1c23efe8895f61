/** The fleet of three in `examples/`: one command from nothing to a hub that shows three machines and what their policy stopped. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { finish, project } from '../cli/harness.ts';

it('the example of a fleet of three shows one stopped push on each machine, and a hub that is whole', async () => {
  const script = fileURLToPath(new URL('../../examples/19-fleet/fleet.mjs', import.meta.url));
  const root = project();
  const env = {
    HOME: root,
    PATH: process.env.PATH!,
    TMPDIR: join(root),
    HARNESS: `${process.execPath} ${CLI_FILE}`,
  };
  const { code, stdout, stderr } = await finish([process.execPath, script], { env, cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const stopped = stdout
    .split('\n')
    .filter((line) => line.includes('no_force_push: history that others have'));
  expect(stopped).toHaveLength(3);
  expect(stdout).toMatch(/3 decisions on 3 tapes\nok/);
  expect(stdout.match(/active {2}policy 1/g)).toHaveLength(3);
});
