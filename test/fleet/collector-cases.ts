/** What a collector of OpenTelemetry gets from a hub, whichever store has the record. The collector is a server on loopback. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Archive, type Database, migrate, sendToCollector } from '../../src/hub/index.ts';
import { machineHost } from '../../src/machine/index.ts';
import { batchOf, PLACE, sampleLines } from './tapes.ts';

interface Sent {
  readonly path: string;
  readonly records: readonly LogRecord[];
}
interface LogRecord {
  readonly body: { readonly stringValue: string };
  readonly severityText: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

/** `open` gives a database with nothing in it. */
export function collectorCases(name: string, open: () => Promise<Database>): void {
  describe(`a collector behind a hub on ${name}`, () => {
    let database: Database;
    let archive: Archive;
    let server: Server;
    let address: URL;
    let status = 200;
    let sent: Sent[] = [];

    beforeAll(async () => {
      vi.stubGlobal('HARNESS_VERSION', 'of a test');
      database = await open();
      await migrate(database);
      await database.all(
        `INSERT INTO machines (id, name, labels, public_key, generation, nonce, state, joined_at, seen_at)
         VALUES ('m1', 'ada', '{}', 'k', 0, '', 'active', 0, 0)`,
      );
      archive = new Archive(database, () => Date.now());
      server = createServer(async (request, response) => {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        if (status === 200) {
          const body = JSON.parse(text) as { resourceLogs?: { scopeLogs: { logRecords: LogRecord[] }[] }[] };
          sent.push({ path: request.url!, records: body.resourceLogs?.[0]?.scopeLogs[0]?.logRecords ?? [] });
        }
        response.writeHead(status).end('{}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    afterAll(async () => {
      vi.unstubAllGlobals();
      server.close();
      await database.close();
    });

    const deliver = async (session: string, count: number) => {
      const batch = batchOf(session, sampleLines(session, count), 0);
      const delivery = { machine: 'm1', place: PLACE, session, owner: '', folder: '', branch: null, batch };
      expect((await archive.accept(delivery)).kind).toBe('stored');
    };
    /** Hubs that send until `enough`. */
    const sending = async (
      enough: () => boolean,
      hubs = 1,
      onChange: (problem: string | null) => void = () => {},
    ) => {
      const ending = new AbortController();
      const options = { database, host: machineHost, address, onChange };
      const all = Array.from({ length: hubs }, () => sendToCollector(options, ending.signal));
      try {
        await vi.waitFor(() => expect(enough()).toBe(true), { timeout: 100_000 });
      } finally {
        ending.abort();
        await Promise.all(all);
      }
    };
    const records = () => sent.flatMap((each) => each.records);
    const counted = () => sent.some(({ path }) => path === '/v1/metrics');

    it('has nothing of what was received before it was named, and counts from the first minute on', async () => {
      await deliver('before', 5);
      await sending(counted);
      expect(records()).toEqual([]);
    });

    it('gets each decision once, with the machine, the session and the number of the entry, and no reason or payload', async () => {
      sent = [];
      await deliver('many', 1203);
      await sending(() => records().length >= 1203);
      expect(new Set(records().map(({ spanId }) => spanId)).size).toBe(1203);
      expect(records()).toHaveLength(1203);
      const [first] = records();
      expect(first).toMatchObject({
        body: { stringValue: 'tool.pre run_command: block by hook_0' },
        severityText: 'WARN',
      });
      expect(first!.traceId).toMatch(/^[0-9a-f]{32}$/);
      const attributes = first!.attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
      expect(Object.fromEntries(attributes)).toEqual({
        'gen_ai.conversation.id': 'many',
        'gen_ai.tool.name': 'run_command',
        'harness.event': 'tool.pre',
        'harness.action': 'block',
        'harness.hook': 'hook_0',
        'harness.machine': 'm1',
        'harness.tape.seq': '1',
        'host.name': 'ada',
      });
    });

    it('that fails loses nothing: the hub says so once, and sends everything when it answers again', async () => {
      sent = [];
      status = 400;
      await deliver('outage', 7);
      const changes: (string | null)[] = [];
      await sending(
        () => {
          if (changes.length === 1) status = 200;
          return records().length >= 7 && changes.length === 2;
        },
        1,
        (problem) => changes.push(problem),
      );
      expect(records()).toHaveLength(7);
      expect(changes).toEqual([expect.stringContaining('answered 400'), null]);
    });

    it('of several hubs gets each decision from one of them', async () => {
      sent = [];
      for (let i = 0; i < 6; i++) await deliver(`shared-${i}`, 50);
      await sending(() => records().length >= 300, 3);
      expect(records()).toHaveLength(300);
    });
  });
}
