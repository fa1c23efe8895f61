import { describe, expect, it } from 'vitest';
import { hook } from '../../test/support/plain-hook.ts';
import { entriesOf, taped, textOf } from '../../test/support/taped.ts';
import type { DecisionRecord, Fired } from './entry.ts';

describe('what is read of a tape', () => {
  it('is whole: payloads, and where hooks come from', async () => {
    const hooks = [hook({ name: 'h', event: 'completion.pre', source: 'hooks/h.md', body: () => undefined })];
    const { path, tape, engine } = taped(hooks);
    const messages = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
    const requests = [1, 2, 3].map((count) => ({ model: 'm', messages: messages.slice(0, count) }));
    for (const request of requests) await engine.decide('completion.pre', request);
    tape.close();
    expect(textOf(path).split('"one"')).toHaveLength(2);
    expect(textOf(path).match(/"source":"hooks\/h\.md"/g)).toHaveLength(1);
    const made = entriesOf(path).flatMap(({ record }) => (record.type === 'decision' ? [record] : []));
    expect(made.map(({ in: fired }) => (fired as Fired).payload)).toEqual(requests);
    expect(made.map(({ in: fired }) => Object.keys(fired))).not.toContain('same');
    expect(made.map((one: DecisionRecord) => one.out.hooks![0]!.source)).toEqual(Array(3).fill('hooks/h.md'));
  });
});
