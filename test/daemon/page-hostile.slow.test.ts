/** Tapes that somebody made to hurt whoever looks at them: they come out as JSON text, bounded, and keep nobody waiting. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashLine } from '../../src/tape/chain.ts';
import { project } from '../cli/harness.ts';
import { tapeHeader, writeTape } from '../support/tape.ts';
import { openPage, type Page } from './page.ts';

const EVIL = '<img src=x onerror=alert(1)>\u202e\u0000\u001b[2J</script>';

describe('a tape of a million entries', () => {
  it('is listed in parts, and others are answered meanwhile', { timeout: 600_000 }, async () => {
    const folder = project({});
    const records = function* () {
      for (let i = 1; i <= 1_000_000; i++) yield decision(i, { id: String(i), name: 'x', args: { n: i } });
    };
    writeTape(join(folder, 'many.jsonl'), records(), { header: tapeHeader() });
    const page = await openPage(project({}), '--runs', folder);
    // One screen is read from the end of the tape, or its beginning: nobody waits for the whole of it.
    expect(await screen(page, '/api/decisions?limit=100')).toEqual([false, 1_000_000]);
    expect(await screen(page, '/api/runs/many/rows?limit=100')).toEqual([false, 1]);
    expect((await page.get('/api/about')).status).toBe(200);
    const all = await page.done('/api/decisions?limit=100');
    expect([all.json.rows.length, all.json.total, all.json.capped]).toEqual([100, 1_000_000, false]);
    expect(all.json.rows[0].seq).toBe(1_000_000);
    expect(all.text.length).toBeLessThan(200_000);
    expect((await page.get('/api/runs/many/decisions/999999')).json.previous).toBe(999_998);
    const last = await page.done('/api/runs/many/rows?offset=999900&limit=100');
    expect(last.json.rows.at(-1).seq).toBe(1_000_000);
    // Nothing of a tape is kept but marks in it: with a million rows it was six hundred.
    const status = readFileSync(`/proc/${page.process.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024).toBeLessThan(400);
  });
});

describe('a hostile tape', () => {
  it('comes out as JSON text, bounded, whatever it holds', async () => {
    const folder = project({});
    const long = 'x'.repeat(50 * 1024 * 1024);
    writeTape(
      join(folder, 'evil.jsonl'),
      [
        decision(1, { id: '1', name: EVIL, args: { [EVIL]: EVIL } }),
        decision(2, { id: '2', name: 'x', args: { command: long } }),
        decision(3, { id: '3', name: 'x', args: { list: new Array(5000).fill(EVIL) } }),
      ],
      { header: tapeHeader({ session: EVIL, host: EVIL }) },
    );
    writeFileSync(join(folder, 'garbage.jsonl'), Buffer.from([0xff, 0xfe, 0x0a, 0x7b, 0xc3, 0x28]));
    const header = JSON.stringify(tapeHeader({ session: 'utf8' }));
    const line = `{"prev":"${hashLine(Buffer.from(header))}","record":{"data":"\u00ff","kind":"note","type":"session"},"seq":1}`;
    writeFileSync(join(folder, 'utf8.jsonl'), Buffer.from(`${header}\n${line}\n`, 'latin1'));
    const page = await openPage(project({}), '--runs', folder);
    const runs = await page.done('/api/runs');
    expect(runs.headers['content-type']).toMatch(/^application\/json/);
    expect(runs.json.runs).toHaveLength(3);
    expect(runs.json.runs.find(({ id }: { id: string }) => id === 'garbage')).toMatchObject({
      state: 'broken',
    });
    const rows = await page.done('/api/decisions');
    expect(rows.json.total).toBe(3);
    expect(rows.text.length).toBeLessThan(20_000);
    for (const { seq } of rows.json.rows as { seq: number }[]) {
      const one = await page.get(`/api/runs/evil/decisions/${seq}`);
      expect(one.status).toBe(200);
      expect(one.text.length).toBeLessThan(1_500_000);
    }
    expect((await page.done('/api/runs/utf8/rows')).status).toBe(200);
    expect((await page.get('/api/runs/evil/seal')).json.state).toBe('verified');
  });
});

/** Whether the whole is known when the first rows come, and the number of the first. */
async function screen(page: Page, path: string): Promise<[boolean, number]> {
  for (;;) {
    const { rows, done } = (await page.get(path)).json;
    if (rows.length > 0) return [done, rows[0].seq];
  }
}

function decision(dispatch: number, payload: Record<string, unknown>) {
  return {
    type: 'decision' as const,
    in: { dispatch, run: 1, event: 'tool.pre', payload: payload as never },
    out: {
      action: 'block' as const,
      hook: EVIL,
      reason: EVIL,
      hooks: [{ hook: EVIL, source: EVIL, result: 'block' as const, reason: EVIL }],
    },
  };
}
