/**
 * What can be wrong with a process whatever it was meant to say: each fault has a code of its own, so that a trace tells
 * a hook that crashed from one that is not there.
 */
import { ERRORS, type ErrorCode } from '../../base/index.ts';
import type { Failure } from '../../engine/index.ts';
import type { ProcessResult } from '../../machine/index.ts';

const START_CODES: Readonly<Record<string, { code: ErrorCode; why: string }>> = {
  ENOENT: { code: 'COMMAND_MISSING', why: 'the program or the folder to run it in does not exist' },
  EACCES: { code: 'COMMAND_NOT_EXECUTABLE', why: 'permission denied; is it executable (chmod +x)?' },
};

/** Why the process gave no answer, or null if it ended by itself and its exit code and output are all there is. */
export function faultOf(result: ProcessResult): Failure | null {
  const { startError, signal, stdoutBytes, stderrBytes } = result;
  if (startError !== null) {
    const { code, message } = startError;
    // What was found before starting has a code and a message of its own.
    if (Object.hasOwn(ERRORS, code)) return fault(code as ErrorCode, message);
    const known = START_CODES[code] ?? { code: 'COMMAND_NOT_STARTED', why: message };
    return fault(known.code, `could not be started: ${known.why}`);
  }
  if (result.aborted) {
    return { kind: 'aborted', code: 'HOOK_ABORTED', message: 'the operation was aborted' };
  }
  if (result.timedOut) {
    return { kind: 'timeout', code: 'HOOK_TIMEOUT', message: `timed out after ${Math.round(result.ms)} ms` };
  }
  if (result.flooded) {
    const bytes = Math.max(stdoutBytes, stderrBytes);
    return fault('COMMAND_OUTPUT_TOO_LARGE', `was ended after writing ${bytes} bytes`);
  }
  if (signal !== null) return fault('COMMAND_SIGNAL', `was killed by ${signal}${lastStderr(result)}`);
  return null;
}

/** An exit code that is no answer. 126 and 127 are how shells and `env` say that they could not run something. */
export function exitFault(result: ProcessResult): Failure {
  const code: ErrorCode =
    result.exitCode === 126
      ? 'COMMAND_NOT_EXECUTABLE'
      : result.exitCode === 127
        ? 'COMMAND_MISSING'
        : 'COMMAND_EXIT';
  return fault(code, `exited with code ${result.exitCode}${lastStderr(result)}`);
}

/** Why stdout cannot be an answer, or null. */
export function outputFault(result: ProcessResult): Failure | null {
  if (result.truncated.includes('stdout')) {
    return fault('COMMAND_OUTPUT_TOO_LARGE', `wrote ${result.stdoutBytes} bytes to stdout: too many to keep`);
  }
  if (result.invalidUtf8.includes('stdout')) {
    return { kind: 'invalid_return', code: 'COMMAND_BAD_UTF8', message: 'stdout is not UTF-8' };
  }
  return null;
}

/** What a reader of the trace should know of the process beside its answer. */
export function remarksOf({ exitCode, leftBehind }: ProcessResult): string[] {
  const remarks: string[] = [];
  if (exitCode !== null && exitCode !== 0) remarks.push(`exit code ${exitCode}`);
  if (leftBehind > 0) {
    const what =
      leftBehind === 1 ? 'a process running, which was' : `${leftBehind} processes running, which were`;
    remarks.push(`left ${what} ended with it`);
  }
  return remarks;
}

const MOST_STDERR = 300;

/** The last words on stderr are where programs put why they died. */
function lastStderr({ stderr }: ProcessResult): string {
  const text = stderr.trim();
  if (text === '') return '';
  return `: ${text.length > MOST_STDERR ? `…${text.slice(-MOST_STDERR)}` : text}`;
}

function fault(code: ErrorCode, message: string): Failure {
  return { kind: 'error', code, message };
}
