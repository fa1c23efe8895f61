import { describe, expect, it } from 'vitest';
import type { Adapter } from './adapter.ts';
import { adapter as claudeCode } from './claude-code/index.ts';
import { adapter as cline } from './cline/index.ts';
import { adapter as codex } from './codex/index.ts';
import { adapter as goose } from './goose/index.ts';
import { type Action, targetSupport } from './on-target.ts';
import { adapter as opencode } from './opencode/index.ts';
import { adapter as pi } from './pi/index.ts';
import { adapter as qwen } from './qwen-code/index.ts';

const ALL: readonly Action[] = ['block', 'ask', 'modify'];
const said = (adapter: Adapter, event: string, actions = ALL) => targetSupport(adapter, { event, actions });

describe('what becomes of a hook in an agent', () => {
  it('what the agent carries is not worth a word', () => {
    expect(said(codex, 'tool.pre', ['block', 'modify'])).toEqual({
      natives: ['PreToolUse'],
      degrades: [],
      lost: [],
    });
  });

  it('an ask that nobody hears becomes a block', () => {
    expect(said(codex, 'tool.pre').degrades).toEqual(['ask becomes a block']);
  });

  it('a rewrite that cannot be made becomes a block that says what was wanted', () => {
    expect(said(qwen, 'tool.pre')).toMatchObject({
      degrades: ['modify becomes a block that says what was wanted'],
      lost: [],
    });
  });

  it('what the agent ignores does not hold, at each of its events', () => {
    expect(said(qwen, 'tool.post', ['modify'])).toEqual({
      natives: ['PostToolUse', 'PostToolUseFailure'],
      degrades: [],
      lost: [
        'PostToolUse: modify is ignored by the agent',
        'PostToolUseFailure: modify is ignored by the agent',
      ],
    });
  });

  it('what is lost at one event and made good at a later one holds', () => {
    expect(said(claudeCode, 'tool.post', ['modify'])).toMatchObject({
      degrades: expect.arrayContaining(['PostToolUseFailure: modify ends the run at PostToolBatch']),
      lost: [],
    });
  });

  it('an event that the agent does not have is said', () => {
    expect(said(codex, 'completion.pre')).toEqual({
      natives: [],
      degrades: [],
      lost: ['completion.pre does not fire here'],
    });
  });

  it('a delegation is a call of the tool that starts one: it can be stopped, not rewritten', () => {
    expect(said(codex, 'delegation.pre', ['block', 'modify'])).toEqual({
      natives: ['PreToolUse'],
      degrades: ['modify becomes a block'],
      lost: [],
    });
    expect(said(goose, 'delegation.pre').lost).toEqual(['delegation.pre does not fire here']);
  });

  it('context that an event does not take is lost, unless a later event gives it to the model', () => {
    const start = (adapter: Adapter) => said(adapter, 'session.start', ['context']);
    expect(start(claudeCode)).toMatchObject({ degrades: [], lost: [] });
    for (const [adapter, at] of [
      [pi, 'input'],
      [opencode, 'chat.message'],
      [cline, 'PreToolUse'],
    ] as const)
      expect(start(adapter)).toMatchObject({ degrades: [`context is read at ${at}`], lost: [] });
    expect(start(goose)).toMatchObject({ degrades: [], lost: ['context is not shown to the model'] });
    expect(said(qwen, 'tool.pre', ['context']).lost).toEqual(['context is not shown to the model']);
  });

  it('a hook that only watches holds wherever its event fires', () => {
    expect(said(goose, 'tool.pre', [])).toEqual({ natives: ['PreToolUse'], degrades: [], lost: [] });
  });

  it('in an agent that cannot be stopped nothing holds', () => {
    expect(said(goose, 'tool.pre').lost).toHaveLength(3);
  });
});
