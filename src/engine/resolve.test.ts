import { describe, expect, it } from 'vitest';
import { CATALOG, type CatalogName } from './catalog.ts';
import { aliasesOf, resolveEvent } from './resolve.ts';

const eventOf = (text: string) => {
  const resolved = resolveEvent(text);
  return resolved.ok ? resolved.event : null;
};

describe('resolving an event name', () => {
  it.each([
    ['tool.pre', 'PreToolUse', 'pre_tool_use', 'ToolPre', 'tool_pre'],
    ['tool.post', 'PostToolUse', 'post_tool_use'],
    ['turn.start', 'UserPromptSubmit', 'user_prompt_submit', 'user.prompt.submit'],
    ['turn.step', 'PostTurn', 'post_turn'],
    ['session.start', 'SessionStart', 'session_start'],
    ['session.end', 'SessionEnd', 'session_end'],
    ['completion.pre', 'model.pre', 'completion_pre'],
    ['delegation.pre', 'SubagentStart', 'delegate.pre'],
    ['delegation.post', 'SubagentStop', 'subagent_stop'],
    ['agent.stop', 'Stop', 'stop'],
    ['permission.asked', 'PermissionAsked', 'permission_asked'],
    ['compact.pre', 'PreCompact', 'pre_compact'],
    ['file.edited', 'FileEdited', 'file_edited'],
    ['error', 'SessionError', 'session_error'],
    ['finish.pre', 'pre_finish', 'PreFinish'],
    ['finish.unsettled', 'on_unsettled_detected', 'OnUnsettledDetected'],
    ['step.post', 'PostStep'],
    ['budget.threshold', 'OnBudgetThreshold'],
    ['meta.register_tool', 'meta.tool_register'],
  ])('[C005] %s is known by its other spellings', (canonical, ...aliases) => {
    for (const alias of [canonical, ...aliases]) expect(eventOf(alias), alias).toBe(canonical);
  });

  it('[C005] gives every spelling to one event only', () => {
    const seen = new Map<string, string>();
    for (const event of Object.keys(CATALOG) as CatalogName[]) {
      for (const alias of aliasesOf(event)) {
        expect(seen.get(alias), alias).toBeUndefined();
        expect(alias in CATALOG, alias).toBe(false);
        seen.set(alias, event);
      }
    }
  });

  it('ignores white space around a name', () => {
    expect(eventOf('  tool.pre ')).toBe('tool.pre');
  });

  it('[C001] refuses an unknown name with the text of the schema and the nearest name', () => {
    expect(resolveEvent('tool.prr')).toEqual({
      ok: false,
      message: 'event "tool.prr" is invalid',
      hint: ' (did you mean tool.pre?)',
    });
    expect(resolveEvent('zzzzzz')).toEqual({ ok: false, message: 'event "zzzzzz" is invalid', hint: '' });
  });

  it('[C002] takes custom.* by its suffix rule and says what is wrong with another', () => {
    expect(eventOf('custom.deploy_1')).toBe('custom.deploy_1');
    expect(resolveEvent('custom.My-Event')).toMatchObject({
      ok: false,
      message: 'event "custom.My-Event" is invalid',
      hint: '; after "custom." only a-z, 0-9 and _ are allowed',
    });
  });

  it('[C096] reads the percentage of a budget threshold', () => {
    const parameter = { key: 'percentage', value: 80 };
    expect(resolveEvent('OnBudgetThreshold(80)')).toEqual({ ok: true, event: 'budget.threshold', parameter });
    expect(resolveEvent('budget.threshold( 12.5 )')).toMatchObject({ parameter: { value: 12.5 } });
    for (const bad of ['OnBudgetThreshold(x)', 'OnBudgetThreshold()', 'OnBudgetThreshold(-1)']) {
      expect(resolveEvent(bad)).toMatchObject({ ok: false, hint: '; want a number in the parentheses' });
    }
    expect(resolveEvent('tool.pre(3)')).toMatchObject({
      ok: false,
      hint: '; tool.pre takes no number in parentheses',
    });
  });
});
