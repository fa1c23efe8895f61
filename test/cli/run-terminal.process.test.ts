/**
 * `harness run` as a place to work, in a real terminal: what a person types, pastes and sees. The model is a script that takes its
 * time, so that words can be seen to arrive before their line does.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasTmux, openTerminal, type TerminalOptions, type TerminalWindow } from '../support/terminal.ts';
import { hookFile, project } from './harness.ts';

const open: TerminalWindow[] = [];

afterEach(() => {
  for (const window of open.splice(0)) window.close();
});

function start(
  files: Readonly<Record<string, string>>,
  completions: string,
  options: Partial<TerminalOptions> & { readonly args?: readonly string[] } = {},
): TerminalWindow {
  const { args = [], ...more } = options;
  const cwd = more.cwd ?? project({ ...BASE, ...files, 'story.yaml': `completions:\n${completions}` });
  const window = openTerminal(['run', ...args], { ...more, cwd });
  open.push(window);
  return window;
}

const BASE = {
  'harness.md': '---\nmodel: scripted:story.yaml\n---\n\nBe brief.\n',
  '.harness/tools/say.md': hookFile(
    'parameters:\n  text: {type: string, required: true}\nscript: |\n  def run(args):\n      return args["text"]',
    'Says it again.\n',
  ),
};

const GUARD = hookFile(
  'event: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("nothing is removed here") if "rm" in payload["args"]["text"] else allow()',
);
const JUDGE = hookFile(
  'event: completion.post\npriority: 10\nscript: |\n  def handle(event, payload):\n      return allow()',
);
const ASK = hookFile(
  'event: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return ask("is that wanted?")',
);

const SLOW = '  - {text: "alpha beta gamma delta epsilon zeta eta theta iota kappa", pace_ms: 300}\n';
const ready = (window: TerminalWindow) => window.until(/\nyou/);

describe.skipIf(!hasTmux)('harness run in a terminal', () => {
  it('shows words before their line ends, with a status line below', async () => {
    const window = start({}, SLOW);
    await ready(window);
    window.type('go');
    window.press('Enter');
    const early = await window.until(/model {2}alpha beta/);
    expect(early).not.toContain('kappa');
    expect(early).toMatch(/\n\S \d+s · writing · \d+ chars · Ctrl-C stops\nnext/);
    const done = await window.until(/kappa\n {7}\d+s\n/);
    expect(done).not.toContain('writing');
  });

  it('takes five pasted lines, and lines after a backslash or Alt-Enter, as one prompt', async () => {
    const window = start({}, '  - text: first\n  - text: second\n');
    await ready(window);
    window.paste('one\ntwo\nthree\nfour\nfive\n');
    await window.until(/five/);
    window.press('Enter');
    await window.until(/first/);
    window.type('six\\');
    window.press('Enter');
    window.type('seven');
    window.press('M-Enter');
    window.type('eight');
    window.press('C-j');
    window.type('nine');
    window.press('Enter');
    const shown = await window.until(/second/);
    expect(shown).toContain('you    one\n       two\n       three\n       four\n       five\n\nmodel  first');
    expect(shown).toContain('you    six\n       seven\n       eight\n       nine\n\nmodel  second');
  });

  it('says for which hook an answer is held, and how much of it is there', async () => {
    const window = start({ '.harness/hooks/judge.md': JUDGE }, SLOW);
    await ready(window);
    window.type('go');
    window.press('Enter');
    const held = await window.until(/held for judge · [1-9]\d* chars/);
    expect(held).not.toContain('alpha');
    expect(await window.until(/kappa/)).toContain('model  alpha beta gamma');
  });

  it('/why tells of the block, an unknown command names the nearest, and no model hears of either', async () => {
    const window = start(
      { '.harness/hooks/guard.md': GUARD },
      '  - tool_calls: [{name: say, args: {text: rm -rf build}}]\n  - text: Then not.\n  - text: third\n',
      { columns: 100 },
    );
    await ready(window);
    window.type('go');
    window.press('Enter');
    await window.until(/Then not/);
    window.type('/why');
    window.press('Enter');
    const why = await window.until(/It is written in/);
    expect(why).toMatch(/say\(text="rm -rf build"\)\ntool\.pre {2}gate/);
    expect(why).toContain('Outcome: block by guard (.harness/hooks/guard.md');
    expect(why).toContain('.harness/hooks/guard.md');
    window.type('/hoks');
    window.press('Enter');
    await window.until(/there is no "\/hoks" \(did you mean \/hooks\?\)/);
    window.type('/etc is a path');
    window.press('Enter');
    await window.until(/there is no "\/etc"/);
    window.type(' /etc is a path');
    window.press('Enter');
    await window.until(/third/);
  });

  it('/model NAME lets another model go on with the conversation, and an unknown one changes nothing', async () => {
    const other = 'completions:\n  - text: from the other\n';
    const window = start({ 'other.yaml': other }, '  - text: from the first\n  - text: still the first\n');
    await ready(window);
    const typed = async (line: string, answer: RegExp) => {
      window.type(line);
      window.press('Enter');
      return window.until(answer);
    };
    await typed('go', /from the first/);
    await typed('/model nosuch', /nosuch[\s\S]*from a script answers/);
    await typed('go on', /still the first/);
    await typed(
      '/model scripted:other.yaml',
      /scripted, from a script answers[\s\S]*scripted, from a script answers/,
    );
    await typed('and on', /from the other/);
  });

  it('asks about a call in the loop, whole and with nothing hidden', async () => {
    const window = start(
      { '.harness/hooks/ask.md': ASK },
      '  - tool_calls: [{name: say, args: {text: "echo one two &&      touch a/file three four five\\u202e"}}]\n  - text: Done.\n',
      { columns: 40, rows: 40 },
    );
    await ready(window);
    window.type('go');
    window.press('Enter');
    const asked = await window.until(/always this \[t\]ool:/);
    expect(asked).toContain('  text: echo one two &&      touch');
    expect(asked.replaceAll(/\n {2}↪ /g, '')).toContain(
      'echo one two &&      touch a/file three four five\\u202e',
    );
    expect(asked).toContain('U+202E');
    window.type('y');
    window.press('Enter');
    expect(await window.until(/Done\./)).toMatch(/✓ approved/);
  });

  it('breaks at words in forty columns, keeps code, and is drawn anew when the terminal is resized', async () => {
    const text =
      'A sentence of several words, 漢字仮名交じり文 too.\\n```\\nx = [1,  2,  3,  4,  5,  6,  7,  8,  9]\\n```\\n';
    const window = start({}, `  - {text: "${text}"}\n${SLOW}`, { columns: 40 });
    await ready(window);
    window.type('go');
    window.press('Enter');
    const shown = await window.until(/\n {7}0s/);
    expect(shown).toContain(
      'model  A sentence of several words,\n       漢字仮名交じり文 too.\n       ```\n',
    );
    expect(shown).toContain('       x = [1,  2,  3,  4,  5,  6,  7,\n       ↪  8,  9]\n       ```');
    window.type('again');
    window.press('Enter');
    await window.until(/alpha beta/);
    window.resize(30, 24);
    await window.until(/gamma/);
    window.resize(60, 24);
    const last = await window.until(/kappa[\s\S]*\nyou$/);
    expect(last.match(/next/g)).toBeNull();
    expect(last.match(/chars/g)).toBeNull();
  });

  it('Ctrl-C stops the answer and what waits behind it, then takes back what is typed, then warns, then leaves', async () => {
    const window = start({}, `${SLOW}  - text: fine\n`);
    await ready(window);
    window.type('go');
    window.press('Enter');
    await window.until(/alpha/);
    window.type('later');
    window.press('Enter');
    await window.until(/\nqueued later\nnext/);
    window.press('C-c');
    await window.until(/end {4}aborted[\s\S]*\nyou {4}later$/);
    window.press('C-c');
    await window.until(/\nyou$/);
    window.press('C-c');
    await window.until(/Ctrl-C once more, or Ctrl-D, ends/);
    window.press('C-c');
    await window.until(/\[exit 0\]/);
  });

  it('a second Ctrl-C leaves at once, and the terminal is as it was', async () => {
    const window = start({}, '  - {text: never, delay_ms: 60000}\n', { args: ['--prompt', 'go'] });
    await window.until(/waiting for scripted/);
    window.press('C-c', 'C-c');
    await window.until(/\[exit 130\]|\[exit 1\]/);
    // Echo is on again: `cat` shows what is typed twice.
    window.type('echoed');
    window.press('Enter');
    await window.until(/echoed\nechoed/);
  });

  it('recalls what was typed in an earlier session, and keeps no secret of it', async () => {
    const state = project();
    const env = { XDG_STATE_HOME: state };
    const first = start({}, '  - text: ok\n', { env });
    await ready(first);
    const token = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`;
    first.type(`use ${token} now`);
    first.press('Enter');
    await first.until(/ok/);
    first.press('C-d');
    await first.until(/\[exit 0\]/);
    const file = join(state, 'harness', 'run-history.json');
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = start({}, '  - text: ok\n', { env });
    await ready(second);
    second.press('Up');
    await second.until(/you {4}use \S+ now/);
  });

  it('goes on with the latest session, and says so and whether the policy changed', async () => {
    const state = project();
    const cwd = project({
      ...BASE,
      '.harness/hooks/guard.md': GUARD,
      'story.yaml': 'completions:\n  - text: ok\n',
    });
    const options = { cwd, env: { XDG_STATE_HOME: state }, columns: 120 };
    const first = start({}, '', { ...options, args: ['--prompt', 'first'] });
    await first.until(/\[exit 0\]/);
    const second = start({}, '', { ...options, args: ['--continue'] });
    const shown = await second.until(/\nyou/);
    expect(shown).toMatch(/^going on with session \S+: 2 messages\nsession/);
  });

  it('nothing of a model, a hook or a prompt reaches it raw', async () => {
    const evil = '\\u001b]0;pwned\\u0007\\u001b[2J\\u009b31m\\u202e\\u200b\\r';
    const window = start({}, `  - {text: "said ${evil} end", pace_ms: 10}\n`, { columns: 100 });
    await ready(window);
    window.paste('typed \u001b[2J\u202e here');
    window.press('Enter');
    const shown = await window.until(/ end\n/);
    expect(shown).toContain('said \\u001b]0;pwned\\u0007\\u001b[2J\\u009b31m\\u202e\\u200b\\u000d end');
    expect(shown).toContain('\\u202e here');
  });

  it('on a dumb terminal is plain lines: no status, no moves of the cursor', async () => {
    const window = start({}, SLOW.replace('300', '20'), { env: { TERM: 'dumb' } });
    await ready(window);
    window.type('go');
    window.press('Enter');
    const shown = await window.until(/kappa/);
    expect(shown).not.toMatch(/writing|next/);
    window.press('C-d');
    await window.until(/\[exit 0\]/);
  });
});
