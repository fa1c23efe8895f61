import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import {
  allow,
  answered,
  ask,
  block,
  readFixture,
  rewriteArgs,
  rewriteContent,
} from '../../../test/support/adapters.ts';
import type { JsonObject } from '../../base/json.ts';
import { adapter } from './index.ts';

const COMPARE = 'Compare https://a.example/x with https://b.example/y';

const READ: Readings = [
  ['SessionStart', 'session.start', [{ source: 'startup' }]],
  ['BeforeAgent', 'turn.start', ['Run the tests, please']],
  [
    'BeforeModel',
    'completion.pre',
    [{ model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'Run the tests, please' }] }],
  ],
  [
    'BeforeTool',
    'tool.pre',
    [{ name: 'run_command', args: { command: 'npm test -- --run', description: 'tests' } }],
  ],
  ['BeforeTool write', 'tool.pre', [{ name: 'write_file', args: { path: '/repo/a.txt', content: 'one\n' } }]],
  ['BeforeTool mcp', 'tool.pre', [{ name: 'mcp__tickets__close', args: { id: 7 } }]],
  [
    'BeforeTool fetch',
    'tool.pre',
    [
      { name: 'fetch_url', args: { prompt: COMPARE, url: 'https://a.example/x' } },
      { name: 'fetch_url', args: { prompt: COMPARE, url: 'https://b.example/y' } },
    ],
  ],
  [
    'AfterTool',
    'tool.post',
    [
      {
        name: 'run_command',
        args: { command: 'npm test -- --run', description: 'tests' },
        content: 'Output: 14 passed\nProcess Group PGID: 9',
        is_error: false,
      },
    ],
  ],
  [
    'AfterTool failed',
    'tool.post',
    [
      {
        name: 'run_command',
        args: { command: 'npm test -- --run', description: 'tests' },
        content: 'Output: 1 failed\nExit Code: 1\nProcess Group PGID: 9',
        is_error: true,
      },
    ],
  ],
  ['AfterAgent', 'agent.stop', [{ response: 'All tests pass.' }]],
  ['SessionEnd', 'session.end', [{ reason: 'exit' }]],
  [
    'Notification',
    'native.notification',
    [
      {
        notification_type: 'ToolPermission',
        message: 'Tool Shell requires execution',
        details: { type: 'exec', command: 'npm test' },
      },
    ],
  ],
];

readsWhatIsSent(adapter, READ);

describe('Gemini CLI: what it is answered', () => {
  it.each(['BeforeAgent', 'BeforeModel', 'BeforeTool', 'AfterTool', 'AfterAgent'])('%s is denied', (name) => {
    const answer = answered(adapter, readFixture(adapter, name), block('not here'));
    expect(answer).toEqual({ decision: 'deny', reason: 'not here' });
  });

  it('an ask would end the run in silence: it is a deny', () => {
    const answer = answered(adapter, readFixture(adapter, 'BeforeTool'), ask('sure?'));
    expect(answer).toEqual({ decision: 'deny', reason: 'sure?' });
  });

  it('a rewritten call is the whole input', () => {
    const call = readFixture(adapter, 'BeforeTool');
    expect(answered(adapter, call, rewriteArgs(call, { command: 'npm test' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'BeforeTool',
        tool_input: { command: 'npm test', description: 'tests' },
      },
    });
  });

  it.each([
    ['description', 'hookSpecificOutput'],
    ['dir_path', 'decision'],
  ])('an input is laid over the old one: without %s it is answered by %s', (gone, key) => {
    const input = { command: 'npm test -- --run', description: 'tests', dir_path: 'web' };
    const call = readFixture(adapter, 'BeforeTool', { tool_input: input });
    const [payload] = call.payloads as readonly JsonObject[];
    const { [gone === 'dir_path' ? 'cwd' : gone]: _, ...args } = payload!.args as JsonObject;
    const payloads = [{ ...payload!, args: { ...args, command: 'npm test' } }];
    const answer = answered(adapter, call, { action: 'modify', payloads, context: null, message: null });
    expect(answer).toHaveProperty(key);
  });

  it('a result is replaced by the reason of a deny', () => {
    const call = readFixture(adapter, 'AfterTool');
    const answer = answered(adapter, call, rewriteContent(call, '[redacted]'));
    expect(answer).toEqual({ decision: 'deny', reason: '[redacted]' });
  });

  it.each(['SessionStart', 'BeforeAgent', 'AfterTool'])('%s takes context', (name) => {
    expect(answered(adapter, readFixture(adapter, name), allow('mind the cap'))).toEqual({
      hookSpecificOutput: { hookEventName: name, additionalContext: 'mind the cap' },
    });
  });

  it.each(['BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent'])(
    '%s shows the person a message',
    (name) => {
      const verdict = { action: 'block', reason: 'not here', message: 'hook x' } as const;
      const answer = answered(adapter, readFixture(adapter, name), verdict);
      expect(answer).toEqual({ decision: 'deny', reason: 'not here', systemMessage: 'hook x' });
    },
  );

  it('the spelling of a tool of an MCP server is kept beside its name', () => {
    expect(readFixture(adapter, 'BeforeTool mcp').payloads[0]).toMatchObject({
      native: { name: 'mcp_tickets_close' },
    });
  });
});
