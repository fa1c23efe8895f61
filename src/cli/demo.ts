/**
 * `harness demo`: the governed-agent example from beginning to end, offline, in a copy of its own. It shows a new user
 * what the product is for, and leaves the copy to be played with.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Provider } from '../agent/provider.ts';
import { machineHost } from '../base/host.ts';
import { announce, displayFor, finish, openScreen } from './agent/display.ts';
import { watchInterrupts } from './agent/interrupt.ts';
import { prepareAgent, startAgent } from './agent/open-agent.ts';
import type { Run } from './command.ts';
import type { Output } from './output.ts';
import { ownName } from './own-name.ts';
import { trustWritten } from './trusting.ts';

/** Put in by the build: the files of examples/01-governed-agent, path to text, as JSON. */
declare const HARNESS_DEMO: string;

/** On a terminal the model takes its time, so that the story can be read as it happens. */
const PACE_MS = 350;

export const run: Run = async (args, plain) => {
  const json = args.has('json');
  const screen = json ? null : openScreen();
  const output = screen?.over(plain) ?? plain;
  const story = args.has('sandbox') ? (await import('./demo/sandbox-story.ts')).sandboxStory() : null;
  const dir = story?.dir ?? unpack();
  const live = process.stdout.isTTY === true && !json;
  if (!json) introduce(dir, story !== null, output);
  // For a person who goes on with the copy; this run needs no record of it.
  if (machineHost.env('HOME') !== undefined)
    await trustWritten(dir, story?.files ?? Object.keys(files()), output);
  const prepared = await prepareAgent(dir, {}, output, undefined, { trust: 'all' });
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
  finish(agent, display, json, output);
  const held = story === null || story.tell(json ? quiet(output) : output);
  if (!json && story === null) suggest(dir, output);
  return interrupts.interrupted() || !held ? 1 : 0;
};

/** What is for people goes to stderr beside a stream of JSON. */
function quiet(output: Output): Output {
  return { ...output, line: (text = '') => output.note(text), paint: output.paintNote };
}

function files(): Record<string, string> {
  return JSON.parse(HARNESS_DEMO) as Record<string, string>;
}

function unpack(): string {
  const dir = mkdtempSync(join(tmpdir(), 'harness-demo-'));
  for (const [path, text] of Object.entries(files())) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

function paced(provider: Provider): Provider {
  return {
    ...provider,
    complete: async (request, options) => {
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
      return provider.complete(request, options);
    },
  };
}

function introduce(dir: string, walls: boolean, output: Output): void {
  if (walls) {
    output.line(output.paint('bold', 'An agent whose hooks say yes to everything meets the sandbox.'));
    output.line('What it tries runs for real, inside walls of the operating system.');
    output.line(`It works in a copy of its own, ${dir}.`);
    output.line();
    return;
  }
  output.line(output.paint('bold', 'A governed agent gets a release ready.'));
  output.line('The model is a script that cuts corners. The hooks, the tools and every decision are real.');
  output.line(`It works in a copy of its own, ${dir}, and needs no network.`);
  output.line();
}

function suggest(dir: string, output: Output): void {
  const me = ownName();
  const steps = [
    [`${me} hooks ${dir}`, 'the policy you just watched, hook by hook'],
    [`${me} replay ${dir}`, 'every decision once more, held against the tape'],
    [`${me} run ${dir}`, 'the same again: change a hook in .harness/hooks first'],
    [`${me} demo --json`, 'every event and decision as data'],
    [`${me} init my-agent`, 'these guards and packs of rules for a project of yours'],
    [`${me} ui --dir ${dir}`, 'this run in a browser: what was stopped, by which line of which file'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  output.line();
  output.line(output.paint('bold', 'Try next'));
  for (const [command, about] of steps) {
    output.line(`  ${command.padEnd(width)}  ${output.paint('dim', about)}`);
  }
}
