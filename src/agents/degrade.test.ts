import { describe, expect, it } from 'vitest';
import type { EventRow, Honours, Verdict } from './adapter.ts';
import { degradation, degrade } from './degrade.ts';

const ALL: Honours = { block: true, ask: true, modify: true, context: true, message: true };
const row = (honours: Partial<Honours>, event = 'tool.pre'): EventRow => ({
  native: 'Before',
  event,
  honours: { ...ALL, ...honours },
});

const PAYLOAD = { id: '1', name: 'run_command', args: { command: 'pwd' } };
const ASK: Verdict = { action: 'ask', reason: 'sure?', message: 'sure?' };
const BLOCK: Verdict = { action: 'block', reason: 'no', message: 'no' };
const MODIFY: Verdict = { action: 'modify', payloads: [PAYLOAD], context: null, message: null };

describe('what an agent cannot carry', () => {
  it('is carried as it is where the agent honours it', () => {
    for (const verdict of [ASK, BLOCK, MODIFY]) {
      expect(degrade(verdict, row({}))).toEqual({ verdict, notes: [], lost: false });
    }
  });

  it('gives context to the model at a later event, if the agent takes some there', () => {
    const verdict: Verdict = { action: 'allow', context: 'Use pnpm.', message: null };
    const at = { ...row({ context: false }, 'session.start'), contextAt: 'Later' };
    expect(degrade(verdict, at)).toEqual({
      verdict: { ...verdict, context: null },
      notes: [],
      lost: false,
      contextLater: 'Use pnpm.',
    });
    expect(degradation('context', at)).toBe('is read at Later');
  });

  it('turns ask into a block', () => {
    expect(degrade(ASK, row({ ask: false }))).toMatchObject({
      verdict: { action: 'block', reason: expect.stringContaining('sure?') },
      lost: false,
    });
  });

  it('turns an ask about a rewritten call into a block where nothing can be rewritten', () => {
    const asked: Verdict = { ...ASK, payloads: [PAYLOAD] };
    expect(degrade(asked, row({ modify: false })).verdict.action).toBe('block');
    expect(degrade(asked, row({})).verdict.action).toBe('ask');
  });

  it('turns a rewrite into a block that says what to do instead', () => {
    const { verdict } = degrade(MODIFY, row({ modify: false }));
    expect(verdict).toMatchObject({ action: 'block', reason: expect.stringContaining('{"command":"pwd"}') });
  });

  it('puts a redacted result into the reason where results can only be blocked', () => {
    const redacted: Verdict = { ...MODIFY, payloads: [{ call_id: '1', name: 'x', content: 'clean' }] };
    expect(degrade(redacted, row({ modify: false }, 'tool.post')).verdict).toMatchObject({
      action: 'block',
      reason: expect.stringContaining('clean'),
    });
  });

  it.each([ASK, BLOCK, MODIFY])('says that $action is lost where not even a block holds', (verdict) => {
    const none = degrade(verdict, row({ block: false, ask: false, modify: false }));
    expect(none).toMatchObject({ verdict: { action: 'allow' }, lost: true });
    expect(none.notes).toHaveLength(1);
  });

  it('says of a block that is lost, to the person and to the model, that nothing was blocked', () => {
    const blocked: Verdict = { action: 'block', reason: 'Blocked by hook "x": no', message: null };
    const text = 'Nothing was blocked here; hook "x": no';
    expect(degrade(blocked, row({ block: false })).verdict).toMatchObject({ context: text, message: text });
  });

  it('drops context and messages the agent has no place for, and says so of context', () => {
    const allow: Verdict = { action: 'allow', context: 'c', message: 'm' };
    expect(degrade(allow, row({ context: false, message: false }))).toEqual({
      verdict: { action: 'allow', context: null, message: null },
      notes: ['Before takes no context for the model'],
      lost: false,
    });
  });

  it('can be asked beforehand', () => {
    expect(degradation('ask', row({}))).toBeNull();
    expect(degradation('ask', row({ ask: false }))).toBe('becomes a block');
    expect(degradation('modify', row({ modify: false, block: false }))).toBe('ignored by the agent');
  });
});
