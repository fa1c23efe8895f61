/** What holds for the payloads of every agent: each one seen is in the adapter's own table, and is read as that says. */
import { describe, expect, it } from 'vitest';
import type { Adapter } from '../../src/agents/adapter.ts';
import { fixturesOf, judged, readFixture } from './adapters.ts';

/** The name of a payload, its canonical event, and what is judged. */
export type Readings = readonly (readonly [name: string, event: string, payloads: readonly unknown[]])[];

export function readsWhatIsSent(adapter: Adapter, readings: Readings): void {
  describe(`${adapter.agent}: what it sends`, () => {
    it('every payload seen is read here', () => {
      expect(readings.map(([name]) => name)).toEqual(Object.keys(fixturesOf(adapter.agent)));
    });

    it.each(readings)('%s is %s', (name, event, payloads) => {
      const call = readFixture(adapter, name);
      expect(call.row.event).toBe(event);
      expect(judged(call)).toEqual(payloads);
    });
  });
}
