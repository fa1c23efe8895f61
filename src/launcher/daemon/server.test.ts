import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { DaemonServer } from './server.ts';

it('a client that sends one byte now and then is cut off when its time is over, and others have its place', async () => {
  const socket = join(tempProject(), 's');
  const server = new DaemonServer({
    ...{ socket, version: '1', most: 1, requestMs: 200, idleMs: 1_000_000, onIdle: () => {} },
    answer: async () => ({ refused: 'never asked' }),
  });
  await server.listen();
  onTestFinished(() => server.close(0));
  const client = connect(socket);
  const drip = setInterval(() => client.write('{'), 20);
  client.on('error', () => {});
  await new Promise((resolve) => client.on('close', resolve));
  clearInterval(drip);
  await expect.poll(() => server.connections).toBe(0);
});
