/**
 * A daemon that has just begun takes four times as long for a decision as one that has made some hundred: nothing of it is
 * machine code yet. So it practises. While nobody asks it anything, it decides harmless calls by the policy that `harness init`
 * writes, in a session and a folder of its own that are thrown away. No hook of anybody else runs, no program is started, nobody is
 * asked, and nothing is counted outside of that folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mountSpace } from '../../daemon/entry-identity.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { lookAt } from '../../policy/policy-look.ts';
import { SCAFFOLD } from '../init/scaffold.ts';
import { requestHost } from './request-host.ts';
import { WarmDecider, type WarmDeciderOptions } from './warm-decider.ts';

/** Calls with their results. After so many another hundred gains little. */
const ROUNDS = 300;

/** It begins when nobody has come for so long: to begin takes longest, and cannot be interrupted. */
const QUIET_MS = 2000;

/** Between two of them waiting clients are answered. */
const PAUSE_MS = 1;
const BUSY_PAUSE_MS = 50;

export interface Practice extends Pick<WarmDeciderOptions, 'entry' | 'identity'> {
  /** Nobody is waiting to be answered. */
  readonly isFree: () => boolean;
  /** How many have come so far. */
  readonly seen: () => number;
  /** The daemon ends. */
  readonly over: AbortSignal;
}

/**
 * Resolves when it is over, with the policy it was done by: machine code lasts as long as there are objects it was made for. Never
 * rejects.
 */
export async function practise({ entry, identity, isFree, seen, over }: Practice): Promise<Policy | null> {
  let dir: string | null = null;
  const wait = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => {});
  const pause = async (ms: number) => {
    await wait(ms);
    while (!isFree() && !over.aborted) await wait(BUSY_PAUSE_MS);
  };
  for (let before = -1; before !== seen() && !over.aborted; ) {
    before = seen();
    await pause(QUIET_MS);
  }
  if (over.aborted) return null;
  try {
    dir = mkdtempSync(join(tmpdir(), 'harness-practice-'));
    const policy = await ownPolicy(dir);
    const open = async () => (lookAt(policy, policy.host) === '' ? { problem: 'gone' } : policy);
    // The same objects in the same places as for everybody: what is learned with others is thrown away at the first real call.
    const decider = new WarmDecider({ entry, identity, onStale: () => {}, policies: { size: 1, open } });
    for (let round = 0; round < ROUNDS && !over.aborted; round++) {
      for (const text of callAndResult(dir, round)) {
        const words = [dir, mountSpace(), 'claude-code', text.hook_event_name, '--dir', dir];
        const payload = Buffer.from(JSON.stringify(text));
        const answer = await decider.answer({
          operation: 'hook',
          entry: identity,
          words,
          environment: ENVIRONMENT,
          payload,
        });
        if ('refused' in answer) return null;
      }
      await pause(PAUSE_MS);
    }
    return policy;
  } catch {
    // A disk that is full: it decides as well without.
    return null;
  } finally {
    if (dir !== null) rmSync(dir, { recursive: true, force: true });
  }
}

/** Without a home there is neither a queue of questions nor a place where all sessions count. */
const ENVIRONMENT = ['PATH=/usr/bin:/bin', 'LANG=C'];

/** Of these files and no others, whatever stands in the folders above. */
async function ownPolicy(dir: string): Promise<Policy> {
  for (const [path, text] of SCAFFOLD) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const layer = { kind: 'project', name: 'project', rank: 3, dir, insides: ['.harness'], copy: dir } as const;
  const places = { managed: null, user: null };
  return openPolicy(dir, { host: requestHost(ENVIRONMENT), places, kept: [layer] });
}

const COMMANDS = ['npm test -- --run src/app', 'git status && git diff --stat | head -20', 'ls -la src'];

function callAndResult(cwd: string, round: number) {
  const call = {
    session_id: 'practice',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: COMMANDS[round % COMMANDS.length], description: 'practice' },
    tool_use_id: `call-${round}`,
  };
  const tool_response = { stdout: 'ok', stderr: '' };
  return [call, { ...call, hook_event_name: 'PostToolUse', tool_response }];
}
