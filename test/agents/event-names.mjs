// The names of the events that an installed agent fires, read from its own files. No agent is run for it, but for Copilot, whose
// program unpacks itself when it is asked for its version.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** By agent: the names, from the folder of its packages. What is in no list of the program, though it fires, stands in `UNLISTED`. */
export const EVENT_NAMES = {
  'claude-code': (modules) =>
    longest(
      listsIn(
        readFileSync(join(modules, '@anthropic-ai/claude-code-linux-x64/claude')),
        '"PreToolUse","PostToolUse"',
        ']',
      ),
    ),
  // The schemas of what its hooks are sent.
  codex: (modules) =>
    listsIn(
      readFileSync(join(modules, '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex')),
      '"hook_event_name": {',
      '}',
    ).flatMap((words) => words.filter((word) => /^[A-Z]/.test(word))),
  'gemini-cli': (modules) => enumIn(join(modules, '@google/gemini-cli/bundle')),
  'qwen-code': (modules) => enumIn(join(modules, '@qwen-code/qwen-code')),
  copilot: copilotEvents,
  cline: (modules) => {
    const program = readFileSync(join(modules, '@cline/cli-linux-x64/bin/cline'));
    return longest(listsIn(program, '.TaskStart="TaskStart"', ')'));
  },
  opencode: (modules) => [
    ...matches(join(modules, '@opencode-ai/plugin/dist/index.d.ts'), /^ {4}"([a-z.]+)"\?: /gm),
    ...matches(
      join(modules, '@opencode-ai/sdk/dist/gen/types.gen.d.ts'),
      /^ {4}type: "([a-z]+\.[a-z.]+)";$/gm,
    ),
  ],
  pi: (modules) =>
    matches(
      join(modules, '@mariozechner/pi-coding-agent/dist/core/extensions/types.d.ts'),
      /\bon\(event: "([a-z_]+)"/g,
    ),
  goose: (modules) => {
    const program = readFileSync(join(modules, '@aaif/goose-binary-linux-x64/bin/goose'));
    // Names run together, as a compiler of Rust leaves them.
    const at = program.indexOf('PreToolUsePostToolUse');
    const [text] = /^[A-Za-z]+/.exec(program.toString('latin1', at, at + 1000));
    return text.match(
      /(?:Pre|Post|Session|Before|After|User|Sub|Stop)[A-Z].*?(?=(?:Pre|Post|Session|Before|After|User|Sub|Stop)[A-Z]|$)/g,
    );
  },
};

export const UNLISTED = { goose: ['UserPromptSubmit'] };

/** Each name once, in order; null if the folder is not there. */
export function eventNames(agent, modules) {
  if (!existsSync(modules)) return null;
  const names = EVENT_NAMES[agent](modules);
  if (names.length === 0)
    throw new Error(`no names of events were found in ${modules}: look into test/agents/event-names.mjs`);
  return [...new Set([...names, ...(UNLISTED[agent] ?? [])])].sort();
}

/** The quoted words between each `start` and the next `end`. */
function listsIn(bytes, start, end) {
  const lists = [];
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const text = bytes.toString('latin1', at, Math.min(bytes.indexOf(end, at), at + 4000));
    lists.push([...text.matchAll(/"([A-Za-z]+)"/g)].map(([, word]) => word));
  }
  return lists;
}

function longest(lists) {
  return lists.reduce((best, list) => (list.length > best.length ? list : best), []);
}

function matches(file, pattern) {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name]) => name);
}

/** An enum called HookEventName, as compiled from TypeScript, in any of the scripts of a folder. */
function enumIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => matches(join(folder, name), /HookEventName\d*\["\w+"\] = "(\w+)"/g));
}

/** The settings that its files of hooks may have. */
function copilotEvents(modules) {
  const home = mkdtempSync(join(tmpdir(), 'harness-copilot-'));
  try {
    const program = join(modules, '@github/copilot-linux-x64/copilot');
    const env = { PATH: '/usr/bin:/bin', HOME: home };
    const isolated = [...(process.getuid() === 0 ? [] : ['--map-root-user']), '--net'];
    const { status, stderr } = spawnSync('unshare', [...isolated, program, '--version'], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`copilot --version: ${stderr}`);
    return readdirSync(home, { recursive: true })
      .filter((name) => name.endsWith('/runtime.node'))
      .flatMap((name) => [...readFileSync(join(home, name), 'latin1').matchAll(/"path":"hooks\.(\w+)"/g)])
      .map(([, name]) => name);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
