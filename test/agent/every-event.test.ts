import { describe, expect, it } from 'vitest';
import { SCENES } from './every-event-scenes.ts';
import { on, decisions } from '../support/agent.ts';
describe('scenes', () => {
  it.each(Object.entries(SCENES))('%s', async (_n, { play, order }) => {
    const s = await play([]);
    console.log(JSON.stringify(s.facts), '\n', s.fired.filter((f, i, a) => a.findIndex((g) => g.event === f.event) === i).map((f) => f.event + ' ' + JSON.stringify(f.payload).slice(0, 700)).join('\n'));
    for (const event of new Set(order)) {
      let n = 0;
      const b = await play([on(event, () => (n++ === 0 ? decisions.block('no') : undefined))]);
      if (JSON.stringify(b.facts) !== JSON.stringify(s.facts)) console.log('BLOCK', event, JSON.stringify(b.facts));
    }
    expect(s.fired.map((f) => f.event)).toEqual(order);
  });
});
