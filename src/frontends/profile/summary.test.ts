import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { RunState } from '../../engine/run-state.ts';
import { contextOf } from '../code/registry/context.ts';
import { summary } from './summary.ts';

const summaryOf = (event: string, payload: Json) => summary(contextOf(event, payload, new RunState())!);

describe('the summary of an event', () => {
  it('[C134] names the tool and the sizes of what it gets, never what is in it', () => {
    const line = summaryOf('tool.pre', {
      name: 'send_email',
      args: { to: 'someone@example.com', body: 'hello', options: { a: 1, b: 2 }, list: [1, 2, 3] },
      turn: 2,
    });
    expect(line).toBe(
      'tool.pre turnIndex=2 toolName=send_email toolInput: {to (19 characters), body (5 characters), options (2 keys), list (3 items)}',
    );
  });

  it('[C134] results, prompts and messages of errors are told by their size', () => {
    const result = summaryOf('tool.post', { name: 'x', args: {}, content: 'password=1', is_error: true });
    expect(result).toBe('tool.post turnIndex=0 toolName=x toolInput: {} result: 10 characters isError=true');
    expect(summaryOf('error', { code: 'E401', message: 'key sk-1234 refused' })).toBe(
      'error turnIndex=0 code=E401 message: 19 characters',
    );
  });

  it('is one line of bounded length, whatever a model calls a tool', () => {
    const line = summaryOf('tool.pre', {
      name: `a\n\u001b[31m${'x'.repeat(500)}`,
      args: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'v'])),
    });
    expect(line).not.toMatch(/[\n\u001b]/);
    expect(line).toContain('and 38 more');
    expect(line.length).toBeLessThan(500);
  });
});
