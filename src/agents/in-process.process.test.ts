/** The files that are placed in agents with in-process hooks, loaded as the agents load them, with real guards behind. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { quoted } from './guard-line.ts';
import type { InProcessOptions } from './in-process.ts';
import { openCodePlugin } from './opencode/plugin.ts';
import { piExtension } from './pi/extension.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-in-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a guard does, as the text of a program. */
const answers = (answer: object | '') => {
  const text = answer === '' ? '' : JSON.stringify(answer);
  return `process.exitCode = 9; process.stdin.resume().on('end', () => process.stdout.write(${JSON.stringify(text)}));`;
};

const NO_ANSWER: Readonly<Record<string, string>> = {
  killed: "process.kill(process.pid, 'SIGKILL');",
  'killed after half an answer': `process.stdout.write('{"con', () => process.kill(process.pid, 'SIGKILL'));`,
  stopped: "process.kill(process.pid, 'SIGSTOP');",
  hanging: 'setInterval(() => {}, 1000);',
  'ending with an error': 'process.exit(1);',
  'printing something else': `process.exitCode = 9; process.stdout.write('hello');`,
  'answering and then failing': `process.stdout.write('{}'); process.exitCode = 1;`,
  'closing its input': `require('node:fs').closeSync(0); setTimeout(() => process.exit(2), 50);`,
};

let count = 0;

function guard(program: string, more: Partial<InProcessOptions> = {}): InProcessOptions {
  const file = join(folder, `program-${count++}.cjs`);
  writeFileSync(file, program);
  const path = join(folder, `guard-${count++}`);
  writeFileSync(path, `exec ${quoted(process.execPath)} ${quoted(file)} "$2"\n`);
  return { agent: 'a', guard: { path }, deadlineMs: 60_000, ...more };
}

async function loaded(source: string): Promise<Record<string, unknown>> {
  const file = join(folder, `file-${count++}.mjs`);
  writeFileSync(file, source);
  return import(pathToFileURL(file).href);
}

type Hook = (input: unknown, output: Record<string, unknown>) => Promise<void>;

async function openCode(program: string, more?: Partial<InProcessOptions>): Promise<Record<string, Hook>> {
  const { Harness } = await loaded(openCodePlugin(guard(program, more)));
  return (Harness as (given: unknown) => Promise<Record<string, Hook>>)({ directory: '/repo' });
}

type PiHandler = (
  event: Record<string, unknown>,
  ctx: unknown,
) => Promise<Record<string, unknown> | undefined>;

async function pi(program: string, more?: Partial<InProcessOptions>) {
  const handlers: Record<string, PiHandler> = {};
  const sent: unknown[] = [];
  const { default: extend } = await loaded(piExtension(guard(program, more)));
  (extend as (given: unknown) => void)({
    on: (name: string, handler: PiHandler) => {
      handlers[name] = handler;
    },
    sendUserMessage: (...message: unknown[]) => sent.push(message),
  });
  return { handlers, sent };
}

const CALL = { tool: 'bash', sessionID: 's', callID: 'c' };
const CTX = { cwd: '/repo', hasUI: false, sessionManager: { getSessionId: () => 's' } };
/** Waits shorter for those that never answer. */
const SHORT = { deadlineMs: 700 };
const deadline = (what: string) => (/stopped|hanging/.test(what) ? SHORT : {});

describe('the plugin for OpenCode', () => {
  it('lets a call run if the guard is silent', async () => {
    const hooks = await openCode(answers(''));
    const output = { args: { command: 'ls' } };
    await hooks['tool.execute.before']!(CALL, output);
    expect(output).toEqual({ args: { command: 'ls' } });
  });

  it('sends the two objects of the hook and the folder', async () => {
    const echo = `process.exitCode = 9; let text = ''; process.stdin.on('data', (d) => { text += d; }).on('end', () =>
      process.stdout.write(JSON.stringify({ block: process.argv[2] + ' ' + text })));`;
    const hooks = await openCode(echo);
    const sent = JSON.stringify({ input: CALL, output: { args: { a: 1 } }, directory: '/repo' });
    await expect(hooks['tool.execute.before']!(CALL, { args: { a: 1 } })).rejects.toThrow(
      `tool.execute.before ${sent}`,
    );
  });

  it.each(['chat.message', 'tool.execute.before', 'tool.execute.after'])(
    '%s throws a block',
    async (name) => {
      const hooks = await openCode(answers({ block: 'not here' }));
      await expect(hooks[name]!(CALL, { args: {}, parts: [], output: 'x' })).rejects.toThrow('not here');
    },
  );

  it('rewrites arguments in the object it was given, and takes away what is gone', async () => {
    const hooks = await openCode(answers({ args: { command: 'pwd' } }));
    const args: Record<string, unknown> = { command: 'ls', description: 'look' };
    await hooks['tool.execute.before']!(CALL, { args });
    expect(args).toEqual({ command: 'pwd' });
  });

  it('replaces a result, also where the screen shows it, and adds context', async () => {
    const hooks = await openCode(answers({ output: '[redacted]', context: 'mind the cap' }));
    const output = { title: 't', output: 'secret', metadata: { output: 'secret', exit: 0 } };
    await hooks['tool.execute.after']!(CALL, output);
    expect(output).toEqual({
      title: 't',
      output: '[redacted]\n\nmind the cap',
      metadata: { output: '[redacted]', exit: 0 },
    });
  });

  it('replaces a prompt and adds context as a part of its own', async () => {
    const hooks = await openCode(answers({ prompt: 'Run them', context: 'mind the cap' }));
    const part = { type: 'text', messageID: 'm', sessionID: 's' };
    const output = {
      parts: [
        { ...part, id: 'p1', text: 'a' },
        { ...part, id: 'p2', text: 'b' },
      ],
    };
    await hooks['chat.message']!({ sessionID: 's' }, output);
    expect(output.parts).toEqual([
      { ...part, id: 'p1', text: 'Run them' },
      { ...part, id: 'p2', text: '' },
      { ...part, id: 'p1h', text: 'mind the cap', synthetic: true },
    ]);
  });

  it.each(Object.entries(NO_ANSWER))('a guard %s: everything is refused', async (what, program) => {
    const hooks = await openCode(program, deadline(what));
    for (const name of ['chat.message', 'tool.execute.before', 'tool.execute.after']) {
      const output = { args: {}, parts: [], output: 'secret' };
      await expect(hooks[name]!(CALL, output)).rejects.toThrow(
        /^Harness gave no answer .* Run: harness doctor$/,
      );
    }
  });

  it('a guard that is missing or empty: everything is refused', async () => {
    const gone = await openCode('', { guard: { path: join(folder, 'gone') } });
    await expect(gone['tool.execute.before']!(CALL, { args: {} })).rejects.toThrow('exit code');
    const path = join(folder, 'empty');
    writeFileSync(path, '');
    const empty = await openCode('', { guard: { path } });
    await expect(empty['tool.execute.before']!(CALL, { args: {} })).rejects.toThrow('exit code 0');
  });

  it('finds the guard from the folder it stands in', async () => {
    const { guard: at } = guard(answers({ block: 'found' }));
    const hooks = await openCode('', { guard: { beside: `./${basename((at as { path: string }).path)}` } });
    await expect(hooks['tool.execute.before']!(CALL, { args: {} })).rejects.toThrow('found');
  });

  it('an input that is no JSON is refused', async () => {
    const hooks = await openCode(answers(''));
    await expect(hooks['tool.execute.before']!(CALL, { args: { n: 1n } })).rejects.toThrow(
      'Harness gave no answer',
    );
  });

  it('events that nothing can be answered to stop nothing', async () => {
    const hooks = await openCode(NO_ANSWER.killed!);
    const told = (type: string) =>
      (hooks.event as unknown as (given: unknown) => Promise<void>)({ event: { type } });
    await expect(told('session.idle')).resolves.toBeUndefined();
    await expect(told('message.updated')).resolves.toBeUndefined();
  });
});

describe('the extension for pi', () => {
  const event = (type: string, more: Record<string, unknown> = {}) => ({ type, ...more });
  const call = () => event('tool_call', { toolName: 'bash', input: { command: 'ls', timeout: 5 } });
  const result = () =>
    event('tool_result', { toolName: 'bash', content: [{ type: 'text', text: 'secret' }] });

  it('lets a call run if the guard is silent', async () => {
    const { handlers } = await pi(answers(''));
    await expect(handlers.tool_call!(call(), CTX)).resolves.toBeUndefined();
    await expect(handlers.tool_result!(result(), CTX)).resolves.toBeUndefined();
    await expect(handlers.input!(event('input', { text: 'a' }), CTX)).resolves.toEqual({
      action: 'continue',
    });
  });

  it('refuses a call, hides a result, drops a prompt', async () => {
    const { handlers } = await pi(answers({ block: 'not here' }));
    await expect(handlers.tool_call!(call(), CTX)).resolves.toEqual({ block: true, reason: 'not here' });
    const hidden = { content: [{ type: 'text', text: 'not here' }], isError: true };
    await expect(handlers.tool_result!(result(), CTX)).resolves.toEqual(hidden);
    await expect(handlers.input!(event('input', { text: 'a' }), CTX)).resolves.toEqual({ action: 'handled' });
  });

  it('rewrites arguments in place', async () => {
    const { handlers } = await pi(answers({ args: { command: 'pwd' } }));
    const changed = call();
    await handlers.tool_call!(changed, CTX);
    expect(changed).toMatchObject({ input: { command: 'pwd' } });
    expect((changed as Record<string, unknown>).input).not.toHaveProperty('timeout');
  });

  it('replaces a result and a prompt, and adds context to either', async () => {
    const answered = await pi(answers({ output: '[redacted]', prompt: 'Run them', context: 'mind the cap' }));
    const { handlers } = answered;
    await expect(handlers.tool_result!(result(), CTX)).resolves.toEqual({
      content: [
        { type: 'text', text: '[redacted]' },
        { type: 'text', text: 'mind the cap' },
      ],
    });
    const prompted = await handlers.input!(event('input', { text: 'a' }), CTX);
    expect(prompted).toMatchObject({ action: 'transform', text: 'Run them' });
    const message = { customType: 'harness', content: 'mind the cap', display: true };
    await expect(handlers.before_agent_start!(event('before_agent_start'), CTX)).resolves.toEqual({
      message,
    });
    await expect(handlers.before_agent_start!(event('before_agent_start'), CTX)).resolves.toBeUndefined();
  });

  it('sends a stop back as a follow-up, and only a stop', async () => {
    const { handlers, sent } = await pi(answers({ block: 'tests are red' }));
    await handlers.turn_end!(event('turn_end', { toolResults: [{}] }), CTX);
    expect(sent).toEqual([]);
    await handlers.turn_end!(event('turn_end', { toolResults: [] }), CTX);
    expect(sent).toEqual([['tests are red', { deliverAs: 'followUp' }]]);
  });

  it('the end of a session without a person waits until the stop is judged, and what follows is over', async () => {
    const { handlers, sent } = await pi(answers({ block: 'tests are red' }));
    const told: string[] = [];
    const alone = { ...CTX, hasUI: false };
    const judged = handlers.turn_end!(event('turn_end', { toolResults: [] }), alone);
    const ended = handlers.session_shutdown!(event('session_shutdown'), alone).then(() => told.push('ended'));
    await judged;
    expect(sent).toHaveLength(1);
    // The end of the turn that was sent back is no end of what follows.
    await handlers.agent_end!(event('agent_end'), alone);
    await handlers.turn_start!(event('turn_start'), alone);
    await new Promise((done) => setTimeout(done, 300));
    told.push('goes on');
    await handlers.agent_end!(event('agent_end'), alone);
    await ended;
    expect(told).toEqual(['goes on', 'ended']);
  });

  it('a stop that was sent back and refused as a prompt, or never taken up, holds no end up for ever', async () => {
    const refusing = await pi(answers({ block: 'no' }));
    const alone = { ...CTX, hasUI: false };
    await refusing.handlers.turn_end!(event('turn_end', { toolResults: [] }), alone);
    await refusing.handlers.input!(event('input', { text: 'no', source: 'extension' }), alone);
    await refusing.handlers.session_shutdown!(event('session_shutdown'), alone);
    const lost = await pi(answers({ block: 'no' }), { deadlineMs: 1000 });
    await lost.handlers.turn_end!(event('turn_end', { toolResults: [] }), alone);
    await lost.handlers.session_shutdown!(event('session_shutdown'), alone);
  });

  it.each(Object.entries(NO_ANSWER))('a guard %s: everything is refused', async (what, program) => {
    const { handlers } = await pi(program, deadline(what));
    const refused = { block: true, reason: expect.stringMatching(/^Harness gave no answer /) };
    await expect(handlers.tool_call!(call(), CTX)).resolves.toEqual(refused);
    const hidden = await handlers.tool_result!(result(), CTX);
    expect(hidden).toMatchObject({ isError: true });
    expect(JSON.stringify(hidden)).not.toContain('secret');
    await expect(handlers.input!(event('input', { text: 'a' }), CTX)).resolves.toEqual({ action: 'handled' });
  });

  it('what nothing can be answered to stops nothing', async () => {
    const { handlers, sent } = await pi(NO_ANSWER.killed!);
    await expect(handlers.session_start!(event('session_start'), CTX)).resolves.toBeUndefined();
    await expect(handlers.turn_end!(event('turn_end', { toolResults: [] }), CTX)).resolves.toBeUndefined();
    expect(sent).toEqual([]);
  });
});
