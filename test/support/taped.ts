/**
 * Tapes for tests: a folder that is gone after the test, a tape in it, and a replay of that tape.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import type { Hook } from '../../src/engine/hook.ts';
import { RunState } from '../../src/engine/run-state.ts';
import type { Project } from '../../src/frontends/project.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';
import type { Entry, TapeRecord } from '../../src/tape/entry.ts';
import { type OpenTape, type OpenTapeOptions, openTape } from '../../src/tape/open-tape.ts';
import { type StoryRecord, storyRecords } from '../../src/tape/stories.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { tempProject } from './temp-project.ts';

export interface Taped {
  readonly path: string;
  readonly tape: OpenTape;
  readonly engine: Engine;
}

export interface TapedOptions extends Partial<OpenTapeOptions> {
  readonly engineOptions?: Partial<EngineOptions>;
  readonly run?: RunState;
  /** Where the tape goes. */
  readonly path?: string;
}

/** An engine over these hooks whose every decision is on a tape. Close the tape before it is read. */
export function taped(hooks: Iterable<Hook>, options: TapedOptions = {}): Taped {
  const { engineOptions, run = new RunState(), path = join(tempProject(), 'tape.jsonl'), ...rest } = options;
  const host: Host = rest.host ?? machineHost;
  const list = [...hooks];
  const tape = openTape(path, { session: 's1', hooks: list, host, ...rest });
  const engine = new Engine({ hooks: list, host, run, recorder: tape.recorder, ...engineOptions });
  return { path: tape.path, tape, engine };
}

export function tapedProject(project: Project, options: TapedOptions = {}): Taped {
  return taped(project.hooks, { project, run: new RunState(project.settings), ...options });
}

export function entriesOf(path: string): Entry[] {
  return [...readTape(path).entries];
}

/** Decisions as the sequence they were: the call of each hook, how it ended, the outcome. */
export function recordsOf(path: string): (TapeRecord | StoryRecord)[] {
  const events = new Map<number, string>();
  const announced = new Set<number>();
  return entriesOf(path).flatMap(({ record }): (TapeRecord | StoryRecord)[] => {
    if (record.type === 'dispatch') {
      events.set(record.dispatch, record.event);
      announced.add(record.dispatch);
    }
    // What was said before a wait is said again with the decision.
    if (record.type === 'hook_call' && announced.has(record.dispatch)) return [];
    if (record.type !== 'decision') return [record];
    const { in: fired, out } = record;
    const begun: TapeRecord[] = 'event' in fired ? [{ ...fired, type: 'dispatch' }] : [];
    const event = 'event' in fired ? fired.event : events.get(fired.dispatch)!;
    return [...begun, ...storyRecords(fired.dispatch, event, out)];
  });
}

export function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
