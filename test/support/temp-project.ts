/**
 * Projects in temporary folders, for tests that read real files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import { Engine } from '../../src/engine/engine.ts';
import { RunState } from '../../src/engine/run-state.ts';
import { loadProject, type Project } from '../../src/frontends/project.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';

const made: string[] = [];

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A folder with these files in it; it is gone after the test. */
export function tempProject(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'harness-'));
  made.push(dir);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

/** A hook file with this script. Further fields are lines of YAML. */
export function hookFile(script: string, fields = 'event: tool.pre\npriority: 10'): string {
  const indented = script
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
  return `---\n${fields}\nscript: |\n${indented}\n---\n`;
}

/** Loads a project whose hook files these are: name to content. */
export async function loadHooks(hooks: Readonly<Record<string, string>>): Promise<Project> {
  const files = Object.entries(hooks).map(([name, text]) => [`.harness/hooks/${name}.md`, text]);
  return loadProject(tempProject(Object.fromEntries(files)));
}

export interface Fired {
  readonly outcome: Outcome;
  readonly run: RunState;
}

/** Fires one event through a project's chain. */
export async function fire(
  project: Project,
  event: string,
  payload: Json,
  { host = machineHost, run = new RunState(project.settings) }: { host?: Host; run?: RunState } = {},
): Promise<Fired> {
  const engine = new Engine({ hooks: project.hooks, host, run });
  return { outcome: await engine.decide(event, payload), run };
}

/** What one script, alone in its project, makes of an event. A script that does not load fails the test. */
export async function decideScript(
  script: string,
  { event = 'tool.pre', payload = { id: '1', name: 'x', args: {} } as Json, fields = '', ...more } = {} as {
    event?: string;
    payload?: Json;
    fields?: string;
    host?: Host;
    run?: RunState;
  },
): Promise<Fired> {
  const project = await loadHooks({
    sample: hookFile(script, `event: ${event}\npriority: 10\n${fields}`.trimEnd()),
  });
  const errors = project.problems.filter((problem) => problem.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((problem) => problem.message).join('\n'));
  return fire(project, event, payload, more);
}
