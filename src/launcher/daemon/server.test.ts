import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { requestBytes } from './protocol.ts';
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

it('a client that reads slowly has its whole answer, also after the time at which others are greeted', async () => {
  const socket = join(tempProject(), 's');
  const stdout = 'x'.repeat(8_000_000);
  const server = new DaemonServer({
    ...{ socket, version: '1', idleMs: 1_000_000, onIdle: () => {} },
    answer: ({ payload }) =>
      payload.length === 0 ? new Promise(() => {}) : Promise.resolve({ stdout, stderr: '', exitCode: 0 }),
  });
  await server.listen();
  onTestFinished(() => server.close(0));
  const ask = (payload: string) => {
    const client = connect(socket);
    const plain = { operation: 'hook', entry: '-', words: [], environment: [] } as const;
    client.write(requestBytes({ ...plain, payload: Buffer.from(payload) }));
    return client;
  };
  const slow = ask('answered at once');
  await new Promise((resolve) => slow.once('readable', resolve));
  // One that comes later and is not answered: it is greeted when its time for that has come.
  const later = ask('');
  onTestFinished(() => void later.destroy());
  await new Promise((resolve) => later.once('data', resolve));
  let length = 0;
  for await (const piece of slow) length += (piece as Buffer).length;
  expect(length).toBeGreaterThan(stdout.length);
});
