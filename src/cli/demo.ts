/**
 * `harness demo`: the governed-agent example from beginning to end, offline, in a copy of its own. Without a folder the copy is
 * temporary and nothing of it stays; with one it stays there, to be changed and run again.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Provider } from '../agent/index.ts';
import { MemoryRunStore } from '../engine/index.ts';
import { machineHost, pause } from '../machine/index.ts';
import {
  announce,
  displayFor,
  finish,
  openScreen,
  prepareAgent,
  startAgent,
  watchInterrupts,
} from '../run/index.ts';
import { type Arguments, type Output, quote, type Run, trustWritten, UsageError } from '../terminal/index.ts';
import { TEMPLATES } from './init/scaffold.ts';
import { ownName } from './own-name.ts';

/** Put in by the build: the files of examples/01-governed-agent, path to text, as JSON; null for the text of the template of that path. */
declare const HARNESS_DEMO: string;

/** On a terminal the model takes its time, so that the story can be read as it happens. */
const PACE_MS = 350;

export const run: Run = async (args, plain) => {
  const stays = args.positionals[0] ?? null;
  if (stays !== null && args.has('sandbox')) throw new UsageError('--sandbox takes no folder');
  const dir = stays ?? mkdtempSync(join(tmpdir(), 'harness-demo-'));
  try {
    return await play(dir, stays !== null, args, plain);
  } finally {
    if (stays === null) rmSync(dir, { recursive: true, force: true });
  }
};

async function play(folder: string, stays: boolean, args: Arguments, plain: Output): Promise<number> {
  const json = args.has('json');
  const screen = json ? null : openScreen();
  const output = screen?.over(plain) ?? plain;
  const story = args.has('sandbox') ? (await import('./demo/sandbox-story.ts')).sandboxStory(folder) : null;
  if (story === null) unpack(folder);
  const dir = story?.dir ?? folder;
  const live = process.stdout.isTTY === true && !json;
  if (!json) introduce(stays ? dir : null, story !== null, output);
  // For a person who goes on with the copy; this run needs no record of it.
  if (stays && machineHost.env('HOME') !== undefined) await trustWritten(dir, Object.keys(files()), output);
  const prepared = await prepareAgent(dir, {}, output, undefined, {
    trust: 'all',
    ...(!stays && { store: new MemoryRunStore() }),
  });
  if (prepared === null) return 1;
  const display = displayFor(output, { json, echo: true, model: () => prepared.model.name, screen });
  const agent = await startAgent(
    prepared,
    {
      firedBy: 'harness demo',
      sign: args.value('sign'),
      onEvent: (event) => {
        story?.watch(event);
        display.onEvent(event);
      },
      ...(live && { around: paced }),
    },
    output,
  );
  if (!json) announce(agent, output);
  const interrupts = watchInterrupts(display.stopping);
  try {
    for (const prompt of agent.model().prompts) {
      await display.during(agent.session.run(prompt, { signal: interrupts.next() }).result);
      if (interrupts.interrupted() || agent.recordFault() !== null) break;
    }
  } finally {
    await agent.close();
    interrupts.release();
  }
  finish(agent, display, { json, recordsStay: stays }, output);
  const held = story === null || story.tell(json ? quiet(output) : output);
  if (!json && story === null) suggest(stays ? dir : null, output);
  return interrupts.interrupted() || !held ? 1 : 0;
}

/** What is for people goes to stderr beside a stream of JSON. */
function quiet(output: Output): Output {
  return { ...output, line: (text = '') => output.note(text), paint: output.paintNote };
}

function files(): Record<string, string> {
  const texts = JSON.parse(HARNESS_DEMO) as Record<string, string | null>;
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [path, text ?? TEMPLATES.get(path)!]),
  );
}

function unpack(dir: string): void {
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new UsageError(`${quote(dir)} is not empty: name a new folder for the copy`);
  for (const [path, text] of Object.entries(files())) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

function paced(provider: Provider): Provider {
  return {
    ...provider,
    complete: async (request, options) => {
      await pause(PACE_MS);
      return provider.complete(request, options);
    },
  };
}

function introduce(dir: string | null, walls: boolean, output: Output): void {
  const where = dir === null ? 'a temporary copy' : `a copy of its own, ${dir},`;
  if (walls) {
    output.line(output.paint('bold', 'An agent whose hooks say yes to everything meets the sandbox.'));
    output.line('What it tries runs for real, inside walls of the operating system.');
    output.line(`It works in ${where} and needs no network.`);
    output.line();
    return;
  }
  output.line(output.paint('bold', 'A governed agent gets a release ready.'));
  output.line('The model is a script that cuts corners. The hooks, the tools and every decision are real.');
  output.line(`It works in ${where} and needs no network.`);
  output.line();
}

function suggest(dir: string | null, output: Output): void {
  const me = ownName();
  const folder = dir ?? 'my-demo';
  const first =
    dir === null
      ? [
          `${me} demo ${folder}`,
          `the same in a folder that stays; change a hook, then \`${me} run ${folder}\``,
        ]
      : [`${me} run ${folder}`, 'the same again: change a hook in .harness/hooks first'];
  const steps = [
    first,
    [`${me} hooks ${folder}`, 'the policy you just watched, hook by hook'],
    [`${me} replay ${folder}`, 'every decision once more, compared with the tape'],
    [`${me} ui --dir ${folder}`, 'this run in a browser: what was stopped, by which line of which file'],
    [`${me} init my-agent`, 'these guards and packs of rules for a project of yours'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command!.length));
  output.line();
  output.line(output.paint('bold', 'Try next'));
  for (const [command, about] of steps) {
    output.line(`  ${command!.padEnd(width)}  ${output.paint('dim', about!)}`);
  }
}
