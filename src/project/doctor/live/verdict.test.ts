import { describe, expect, it } from 'vitest';
import type { OrdinaryStop } from './tape-facts.ts';
import { judgeLive, type LiveFacts, wantsControl } from './verdict.ts';

const HELD: LiveFacts = {
  toolRan: false,
  decisions: [
    { event: 'turn.start', action: 'allow', canary: false, stop: null },
    { event: 'tool.pre', action: 'block', canary: true, stop: null },
    { event: 'tool.pre', action: 'allow', canary: false, stop: null },
  ],
  ordinaryRan: true,
  requests: 3,
  reasonSeen: true,
  timedOut: false,
  exitCode: 0,
  said: '',
};
const OWN = '.harness/hooks/path_guard.md';
const OPTIONS = { problems: [], refusalEndsRun: false, control: null, shipped: new Set([OWN]) };
const other = (facts: Partial<LiveFacts>) => judgeLive({ ...HELD, ...facts }, OPTIONS);

describe('what a run of an agent proves', () => {
  it('is proof if the tool did not run, the tape has the block and the model read the reason', () => {
    expect(judgeLive(HELD, OPTIONS)).toEqual({ verdict: 'proved', causes: [], notes: [] });
  });

  it.each<[string, Partial<LiveFacts>, string]>([
    ['the tool ran', { toolRan: true }, 'did not obey'],
    ['the tool ran and nothing was asked', { toolRan: true, decisions: [] }, 'no hook of ours'],
    ['only other events were asked about', { toolRan: true, decisions: [HELD.decisions[0]!] }, 'matcher'],
    [
      'the policy allowed it',
      { toolRan: true, decisions: [{ event: 'tool.pre', action: 'allow', canary: false, stop: null }] },
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
    expect(judgeLive(HELD, { ...OPTIONS, problems })).toEqual({
      verdict: 'broken',
      causes: problems,
      notes: [],
    });
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

  const stopped = (stop: Partial<OrdinaryStop>) =>
    other({
      ordinaryRan: false,
      decisions: [
        HELD.decisions[1]!,
        {
          ...{ event: 'tool.pre', action: 'block', canary: false },
          stop: {
            hook: 'h',
            source: 'h.md',
            action: 'block',
            reason: 'no',
            failed: false,
            speaks: false,
            ...stop,
          },
        },
      ],
    });

  it.each<[string, Partial<OrdinaryStop>]>([
    ['a hook that init writes', { source: OWN }],
    ['a pack', { hook: 'pack:core', source: '<packs>' }],
    ['a hook that fails, such as one whose program is not there', { failed: true }],
  ])('is none if %s stops ordinary work', (_title, stop) => {
    const { verdict, causes } = stopped(stop);
    expect(verdict).toBe('broken');
    expect(causes.join()).toContain('ordinary work, run a command: hook "');
  });

  it.each<[string, Partial<OrdinaryStop>, string]>([
    ['a hook of the person that stops it', {}, 'hook "h" (h.md) said block: no'],
    ['a hook that fails for want of a network', { failed: true, speaks: true }, 'the run has no network'],
  ])('stands beside %s, which is a note', (_title, stop, note) => {
    const { verdict, notes } = stopped(stop);
    expect(verdict).toBe('proved');
    expect(notes.join()).toContain(note);
  });

  it('notes that an agent did not run what the policy let pass', () => {
    expect(other({ ordinaryRan: false })).toMatchObject({
      verdict: 'proved',
      notes: [expect.stringContaining('look at the agent')],
    });
  });
});
