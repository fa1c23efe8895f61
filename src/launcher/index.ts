/** The guard that agents run, its client, daemon/: the daemon. */
export { askFirst } from './ask-daemon.ts';
export { askDaemon } from './daemon/client.ts';
export { entryIdentity, mountSpace } from './daemon/entry-identity.ts';
export { daemonFolder, daemonLock, hasSocket } from './daemon/place.ts';
export type { Request } from './daemon/protocol.ts';
export { type DaemonState, type DaemonStatus, daemonStatus, sendOperation } from './daemon/reach.ts';
export { type ServeOptions, serve } from './daemon/serve.ts';
export { decideOutside, type OutsideDecider } from './decide-outside.ts';
export { parseHookOptions } from './hook-options.ts';
export { loadPolicyCopy, savePolicyCopy } from './keep-policy.ts';
export { faultKey } from './launch-session.ts';
export { runHook } from './run-hook.ts';
export { policyNow } from './session-policy.ts';
export { printAnswer, readInput } from './standard-streams.ts';
export { clearSocket, daemonEnvironment, spawnDaemon } from './start-daemon.ts';
export { type TrialDecision, TrialSession } from './trial.ts';
export { copyEngine, copyProblem, engineFolder, placeEngine, removeCopies, userCopy } from './user-copy.ts';
