import { describe, expect, it } from 'vitest';
import { machineHost } from '../../machine/host.ts';
import { pathWithoutKeys, type RecordedRequest, RequestRecord } from './record.ts';

const ENTRY: RecordedRequest = {
  number: 1,
  at: 0,
  method: 'POST',
  path: '/',
  headers: {},
  body: null,
  request: null,
  answeredBy: { kind: 'service' },
  status: 200,
  delivery: null,
};

describe('the record of requests', () => {
  it('lets the oldest go when all together are too large, and keeps the last in any case', async () => {
    const record = new RequestRecord(undefined, machineHost, 100);
    const numbers = () => record.requests().map(({ number }) => number);
    for (const number of [1, 2, 3]) await record.add({ ...ENTRY, number }, 40);
    expect(numbers()).toEqual([2, 3]);
    await record.add({ ...ENTRY, number: 4 }, 1000);
    expect(numbers()).toEqual([4]);
    await record.add({ ...ENTRY, number: 5 }, 10);
    expect(numbers()).toEqual([5]);
  });

  it.each([
    ['/v1/messages?beta=true', '/v1/messages?beta=true'],
    ['/m:generateContent?key=secret&alt=sse', '/m:generateContent?key=removed&alt=sse'],
    ['/m?api_key=secret&access_token=secret', '/m?api_key=removed&access_token=removed'],
    ['/m?key=secret&key=secret', '/m?key=removed'],
  ])('%s is kept as %s', (path, kept) => {
    expect(pathWithoutKeys(new URL(path, 'http://127.0.0.1'))).toBe(kept);
  });
});
