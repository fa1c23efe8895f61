/** Title, model, person, calls, tokens and cost of a run, taken from its chapters. */
import { expect, it } from 'vitest';
import type { Json } from '../base/json.ts';
import type { Chapter } from '../tape/index.ts';
import { RunFacts } from './run-facts.ts';

function factsOf(...chapters: readonly (readonly [kind: string, data: Json])[]): RunFacts {
  const facts = new RunFacts();
  for (const [kind, data] of chapters) {
    const chapter = kind.includes('.')
      ? { kind: 'decision', story: { dispatch: { record: { event: kind, payload: data } } } }
      : { kind: 'session', entry: { record: { kind, data } } };
    facts.add(chapter as unknown as Chapter);
  }
  return facts;
}

it('takes the first prompt as the title: its first line that says something, cut where it is long', () => {
  expect(
    factsOf(['turn.start', '\n---\n Fix  the test\nin checkout'], ['turn.start', 'Then lint']).title,
  ).toBe('Fix the test');
  expect(factsOf(['turn.start', 'x'.repeat(5000)]).title!.length).toBeLessThan(200);
  expect(factsOf(['turn.start', ' \n ']).title).toBeNull();
});

it('sums the tokens of every answer and the cost of every turn of the session itself', () => {
  const answer = { model: 'm', choices: [], usage: { input_tokens: 100, output_tokens: 20 } };
  const facts = factsOf(
    ['completion.post', answer],
    ['completion.post', answer],
    ['end', { costUsd: 0.25 }],
    ['end', { costUsd: 0.5 }],
    ['end', { costUsd: 9, agent_id: 'child' }],
  );
  expect([facts.tokens, facts.costUsd, facts.model]).toEqual([{ sent: 200, received: 40 }, 0.75, 'm']);
});

it('says null, and no zero, where the tape has no tokens and no cost', () => {
  const facts = factsOf(['turn.start', 'Hi'], ['completion.post', { usage: { input_tokens: 'many' } }]);
  expect([facts.tokens, facts.costUsd, facts.model, facts.person]).toEqual([null, null, null, null]);
});

it('counts the tool calls that were tried, and names the folder and the person of the run', () => {
  const facts = factsOf(
    ['run', { run: 1, actor: { id: 'ann' }, settings: { session: { cwd: '/srv/app' } } }],
    ['run', { run: 2, caller: { depth: 1 }, actor: { id: 'child' }, settings: { session: { cwd: '/tmp' } } }],
    ['tool.pre', { name: 'a' }],
    ['tool.post', { name: 'a' }],
    ['tool.pre', { name: 'b' }],
  );
  expect([facts.calls, facts.folder, facts.person]).toEqual([2, '/srv/app', 'ann']);
});

it('takes what an imported transcript spent from the note of the import', () => {
  const facts = factsOf(['spent', { model: 'm', sent: 1200, received: 30 }]);
  expect([facts.tokens, facts.model]).toEqual([{ sent: 1200, received: 30 }, 'm']);
});

it('names the person and the folder of a session that launchers record, whose numbers of runs are not small', () => {
  const facts = factsOf([
    'run',
    { run: 3_565_046_604, caller: null, actor: { id: 'ann' }, settings: { session: { cwd: '/srv/app' } } },
  ]);
  expect([facts.folder, facts.person]).toEqual(['/srv/app', 'ann']);
});
