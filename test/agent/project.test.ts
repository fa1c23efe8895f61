/**
 * A whole session under hooks that are files: what the Markdown front end's hooks can do to each event of the loop.
 */
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/frontends/project.ts';
import { call, echo, on, payloadsOf, play, tool, toolMessages } from '../support/agent.ts';
import { hookFile, tempProject } from '../support/temp-project.ts';

const HOOKS = {
  stamp: hookFile(
    'def handle(event, payload):\n    return modify(payload + " [trace 7]")',
    'event: turn.start\npriority: 10',
  ),
  no_exec: hookFile(
    'def handle(event, payload):\n    return modify({"tools": [t for t in payload["tools"] if t["name"] != "exec"]})',
    'event: completion.pre\npriority: 10',
  ),
  calm: hookFile(
    [
      'def handle(event, payload):',
      '    message = payload["choices"][0]["message"]',
      '    if len(message["tool_calls"]) > 2:',
      '        return modify({"choices": [{"message": {"role": "assistant", "content": message["content"], "tool_calls": message["tool_calls"][:2]}}]})',
      '    return allow()',
    ].join('\n'),
    'event: completion.post\npriority: 10',
  ),
  guard: hookFile(
    [
      'def handle(event, payload):',
      '    log.info("saw " + payload["args"]["text"])',
      '    metrics.incr("seen")',
      '    if "rm -rf" in payload["args"]["text"]:',
      '        return block("dangerous")',
      '    return allow()',
    ].join('\n'),
    'event: tool.pre\npriority: 10\nwhen: payload["name"] == "echo"',
  ),
  redact: hookFile(
    'def handle(event, payload):\n    return modify({"content": re.replace("k-[0-9]+", "[gone]", payload["content"])})',
    'event: tool.post\npriority: 40',
  ),
  verify: hookFile(
    'def handle(event, payload):\n    if "tests" in payload["response"]:\n        return allow()\n    return block("run the tests first")',
    'event: agent.stop\npriority: 10',
  ),
  sign: hookFile(
    'def handle(event, payload):\n    return modify({"text": payload["text"] + " (%d log lines)" % len(payload["logs"])})',
    'event: turn.end\npriority: 10',
  ),
};

describe('a session under hooks that are files', () => {
  it('[C074] [C079] [C101] obeys all of them', async () => {
    const files = Object.entries(HOOKS).map(([name, text]) => [`.harness/hooks/${name}.md`, text]);
    const project = await loadProject(tempProject(Object.fromEntries(files)));
    expect(project.problems).toEqual([]);
    const played = await play({
      hooks: project.hooks,
      tools: [echo, tool('exec', () => 'ran')],
      completions: [
        {
          text: 'Three.',
          tool_calls: [
            call('echo', { text: 'key k-123' }),
            call('echo', { text: 'rm -rf /' }),
            call('echo', { text: 'third' }),
          ],
        },
        { text: 'Done.' },
        { text: 'The tests pass.' },
      ],
    });
    expect(played.result.message).toBeNull();
    expect(played.result).toMatchObject({
      reason: 'end_turn',
      text: 'The tests pass. (2 log lines)',
      turns: 3,
    });
    expect(played.provider.requests[0]?.messages[0]?.content).toBe('go [trace 7]');
    expect(played.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(toolMessages(played).map(({ content }) => content)).toEqual([
      '{"said":"key [gone]"}',
      'tool blocked: blocked by hook "guard": dangerous',
    ]);
    expect(played.provider.requests[2]?.messages.at(-1)?.content).toBe('run the tests first');
    expect(played.session.runState.metrics.get('seen')).toBe(2);
    expect(payloadsOf(played, 'turn.end')[0]?.logs).toMatchObject([
      { hook: 'guard', message: 'saw key k-123' },
      { hook: 'guard', message: 'saw rm -rf /' },
    ]);
  });

  it('command hooks are told the session, its folder and its transcript', async () => {
    const seen: unknown[] = [];
    await play({
      completions: [{ text: 'Done.' }],
      config: { sessionId: 's9', transcriptPath: '/t/run.jsonl' },
      workspace: '/w',
      hooks: [on('session.start', (_seen, { run }) => void seen.push(run.session))],
    });
    expect(seen).toEqual([{ id: 's9', transcriptPath: '/t/run.jsonl', cwd: '/w', workspace: '/w' }]);
  });
});
