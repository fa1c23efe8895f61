/**
 * A project folder with a `.harness/settings.json` and scripts, made for one test and removed after it. Its hooks run as
 * real processes.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import type { Outcome } from '../../src/engine/decision.ts';
import { Engine } from '../../src/engine/engine.ts';
import { RunState, type SessionInfo } from '../../src/engine/run-state.ts';
import { loadProject, type Project } from '../../src/frontends/project.ts';
import { settingsReader } from '../../src/frontends/settings/settings-reader.ts';
import { machineHost } from '../../src/machine/host.ts';

/** A script that reads its input and says the rest in shell. */
export const sh = (lines: string) => `#!/bin/sh\n${lines}\n`;

export const SESSION: SessionInfo = {
  id: 'abc123-def456',
  transcriptPath: '/tmp/transcript.jsonl',
  cwd: '/tmp',
};

export class SettingsProject {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'harness-settings-')));

  constructor(settings: unknown, scripts: Readonly<Record<string, string>> = {}) {
    onTestFinished(() => rmSync(this.dir, { recursive: true, force: true }));
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2);
    this.write('.harness/settings.json', text, 0o644);
    for (const [path, script] of Object.entries(scripts)) this.write(path, script);
  }

  write(path: string, text: string, mode = 0o755): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text, { mode });
  }

  load(): Promise<Project> {
    return loadProject(this.dir, { readers: [settingsReader] });
  }

  /** Each problem as `line:col CODE message`. */
  async problems(): Promise<string[]> {
    const { problems } = await this.load();
    return problems.map(
      ({ position, code, message }) => `${position?.line}:${position?.col} ${code} ${message}`,
    );
  }

  async decide(event: string, payload: Json, signal: AbortSignal | null = null): Promise<Outcome> {
    const { hooks } = await this.load();
    const run = new RunState(undefined, SESSION);
    return new Engine({ hooks, host: machineHost, run, canAsk: true }).decide(event, payload, { signal });
  }
}
