import { describe, expect, it } from 'vitest';
import { judgeLive, type LiveFacts, wantsControl } from './verdict.ts';

const HELD: LiveFacts = {
  toolRan: false,
  decisions: [
    { event: 'turn.start', action: 'allow', canary: false },
    { event: 'tool.pre', action: 'block', canary: true },
  ],
  requests: 2,
  reasonSeen: true,
  timedOut: false,
  exitCode: 0,
  said: '',
};
const OPTIONS = { problems: [], refusalEndsRun: false, control: null };
const other = (facts: Partial<LiveFacts>) => judgeLive({ ...HELD, ...facts }, OPTIONS);

describe('what a run of an agent proves', () => {
  it('is proof if the tool did not run, the tape has the block and the model read the reason', () => {
    expect(judgeLive(HELD, OPTIONS)).toEqual({ verdict: 'proved', causes: [] });
  });

  it.each<[string, Partial<LiveFacts>, string]>([
    ['the tool ran', { toolRan: true }, 'did not obey'],
    ['the tool ran and nothing was asked', { toolRan: true, decisions: [] }, 'no hook of ours'],
    ['only other events were asked about', { toolRan: true, decisions: [HELD.decisions[0]!] }, 'matcher'],
    [
      'the policy allowed it',
      { toolRan: true, decisions: [{ event: 'tool.pre', action: 'allow', canary: false }] },
      'said allow',
    ],
    [
      'somebody else blocked it',
      { decisions: [{ ...HELD.decisions[1]!, canary: false }] },
      'not by the policy',
    ],
    ['the tape has nothing', { decisions: [] }, 'never judged'],
    ['the reason was lost', { reasonSeen: false }, 'did not reach the model'],
    ['no prompt got through', { requests: 0, decisions: [] }, 'refuses every prompt'],
    ['it did not end', { timedOut: true }, 'come to an end'],
  ])('is none if %s', (_title, facts, cause) => {
    const { verdict, causes } = other(facts);
    expect(verdict).toBe('broken');
    expect(causes.join()).toContain(cause);
  });

  it('is none with a problem that was seen without running anything', () => {
    const problems = ['registered with --fail open'];
    expect(judgeLive(HELD, { ...OPTIONS, problems })).toEqual({ verdict: 'broken', causes: problems });
  });

  it('takes an agent that ends at a refusal at its word', () => {
    const facts = { ...HELD, requests: 1, reasonSeen: false };
    expect(judgeLive(facts, { ...OPTIONS, refusalEndsRun: true }).verdict).toBe('proved');
  });

  it('asks an agent that said nothing to the model once more without hooks, and tells who is at fault', () => {
    const silent = { ...HELD, requests: 0, decisions: [] };
    expect(wantsControl(silent)).toBe(true);
    expect(judgeLive(silent, { ...OPTIONS, control: { ...silent, toolRan: true } }).verdict).toBe('broken');
    expect(judgeLive(silent, { ...OPTIONS, control: silent }).verdict).toBe('unproved');
  });

  it('shows the words of the registered line, wherever the agent put them', () => {
    const said = '{"result":"x: Blocked: the policy engine did not answer. It is in /a.\\n"}';
    expect(other({ requests: 0, decisions: [], said }).causes[0]).toMatch(
      /: Blocked: the policy engine did not answer\. It is in \/a\.$/,
    );
  });
});
