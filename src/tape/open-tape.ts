/**
 * Opens a tape for a session: its header names the policy, its recorder goes into an engine, and what else happens is noted
 * beside it.
 *
 * ```ts
 * const tape = openTape('.harness/runs/a.jsonl', { session, hooks, project, host: machineHost });
 * const engine = new Engine({ hooks, host: machineHost, run, recorder: tape.recorder });
 * …
 * tape.close();
 * ```
 */
import type { KeyObject } from 'node:crypto';
import type { HarnessError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { Project } from '../frontends/project.ts';
import type { Hook } from '../hooks/hook.ts';
import type { Recorder } from '../hooks/recorder.ts';
import { secretVariables } from '../match/secrets/variables.ts';
import { describeHook, fileDigests, policyDigest } from '../policy/policy-digest.ts';
import { type Header, type SessionRecord, TAPE_VERSION } from './entry.ts';
import { TapeRecorder } from './record.ts';
import { createRedactor, type RedactionRule } from './redact.ts';
import { type Acknowledge, TapeWriter } from './writer.ts';

export interface OpenTapeOptions {
  readonly session: string;
  /** All hooks of the engine as it begins. Those that come later are put on the tape when they do. */
  readonly hooks: Iterable<Hook>;
  /** The files they were read from. */
  readonly project?: Pick<Project, 'dir' | 'files' | 'settings'>;
  readonly host: Host;
  /** Name and version of the program that decides. */
  readonly engine?: string;
  /** Who fires the events. */
  readonly firedBy?: string;
  readonly acknowledge?: Acknowledge;
  /** Beside the usual ones. */
  readonly redact?: readonly RedactionRule[];
  readonly sign?: { readonly key: KeyObject; readonly every?: number };
  /** Told once when the tape cannot be written any more. Without it the engine does not decide unrecorded: it throws. */
  readonly onBroken?: (error: HarnessError) => void;
}

export interface OpenTape {
  readonly path: string;
  /** For the `recorder` of one engine or several. */
  readonly recorder: Recorder;
  /** Data without the secrets that this tape takes out, for other records of the same session. */
  readonly hide: (data: Json) => Json;
  /** Something that happened beside the hooks. `ms` is kept and never compared. */
  readonly note: (kind: string, data: Json, ms?: number) => void;
  readonly close: () => void;
}

/** Goes on with a tape of the same session. Throws TAPE_LOCKED, TAPE_INVALID or TAPE_WRITE_FAILED. */
export function openTape(path: string, options: OpenTapeOptions): OpenTape {
  const { host, project, acknowledge, sign, onBroken } = options;
  const hooks = [...options.hooks];
  const policy = policyDigest({ hooks, host, ...(project !== undefined && { project }) });
  const header: Header = {
    engine: options.engine ?? 'harness-hooks',
    host: options.firedBy ?? 'harness',
    policy,
    session: options.session,
    started: new Date(host.now()).toISOString(),
    tape: TAPE_VERSION,
  };
  const redact = createRedactor({ rules: options.redact ?? [], values: secretVariables(host) });
  const writer = TapeWriter.open(path, {
    header,
    redact,
    ...(acknowledge !== undefined && { acknowledge }),
    ...(sign !== undefined && { sign }),
    ...(onBroken !== undefined && { onBroken }),
  });
  return {
    path: writer.path,
    hide: (data) => (redact({ data, kind: '', type: 'session' }) as SessionRecord).data,
    recorder: new TapeRecorder(writer, {
      known: hooks,
      describe: (hook) => describeHook(hook, filesOf(hook, project)),
    }),
    note: (kind, data, ms) => {
      writer.add({ data, kind, type: 'session' }, ms);
      writer.commit();
    },
    close: () => writer.close(),
  };
}

/** Of a hook that came later: its file as it is now, or none where it is code. */
function filesOf({ source }: Hook, project: OpenTapeOptions['project']): Readonly<Record<string, string>> {
  const files = project === undefined ? {} : fileDigests(project.dir, [source]);
  return files[source] === 'unreadable' ? {} : files;
}
