/** What commands print stays short and says nothing twice. */
import { describe, expect, it } from 'vitest';
import { guard, one } from '../support/planted-differences.ts';
import { hasTmux, openTerminal } from '../support/terminal.ts';
import { harness, hookFile, project } from './harness.ts';

const says = (answer: string, condition = 'payload["name"] != ""', priority = 10) =>
  hookFile(
    `event: tool.pre\npriority: ${priority}\nwhen: ${condition}\nscript: |\n  def handle(event, payload):\n      return ${answer}`,
  );

describe('what a command prints', () => {
  it('validate: that a folder is not trusted is a note, and no warning beside "0 warnings"', async () => {
    const dir = project({
      '.harness/hooks/a.md': says('allow()'),
      '.harness/settings.json':
        '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"sh x.sh","on_error":"block"}]}]}}',
      'x.sh': '#!/bin/sh\n',
    });
    const { code, stdout, stderr } = await harness(['validate', dir], { env: { HARNESS_TRUST: '' } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ 0 errors, 0 warnings$/m)]);
    expect(stderr).toContain('is not trusted');
    expect(stdout + stderr).not.toMatch(/warning\[|TRUST_MISSING/);
  });

  it('decide --explain: a long condition is cut, and a hook that was not reached is named once', async () => {
    const long = `payload["name"] in [${Array.from({ length: 60 }, (_, n) => `"tool_${n}"`).join(', ')}]`;
    const dir = project({
      '.harness/hooks/long.md': says('allow()', long, 1),
      '.harness/hooks/stops.md': says('block("no")', undefined, 2),
      '.harness/hooks/unreached.md': says('allow()', undefined, 3),
    });
    const { stdout } = await harness(['decide', 'tool.pre', '--dir', dir, '--explain'], {
      input: '{"name":"tool_1","args":{}}',
    });
    const told = stdout.split('\n');
    expect(told.filter((line) => /\blong\b/.test(line) && line.length > 200)).toEqual([]);
    expect(stdout).toContain('…');
    expect(stdout.match(/\bunreached\b/g)).toHaveLength(1);
  });

  it.skipIf(!hasTmux)('diff: how far it is, on a terminal', async () => {
    const slow = 'len([n for n in range(20000) if n % 7 == 0]) > 0 and "drop" in command';
    const [old, next] = [project(one(guard(slow))), project(one(guard(slow)))];
    const window = openTerminal(['diff', old, next], { cwd: old });
    try {
      expect(await window.until(/\d+ of 10000 tries, \d+ differences/)).not.toContain('[exit');
    } finally {
      window.close();
    }
  });
});
