/** Clock, ids, environment, files, locks, processes, network behind one interface; walls/: sandboxes around programs. */
export {
  type AllowList,
  allows,
  intersectDomains,
  isLoopback,
  judgeSecureUrl,
  judgeUrl,
  judgeWebhookUrl,
  normaliseDomain,
  parseAllowList,
} from './addresses.ts';
export { type AppendRequest, pathProblem } from './append-file.ts';
export { askGit } from './ask-git.ts';
export { bareHost } from './bare-host.ts';
export { foldedPath, foldsCase } from './case-folding.ts';
export { startDetached } from './detached-process.ts';
export { startDuplex } from './duplex-process.ts';
export {
  type Attempt,
  isLocked,
  lockHolder,
  lockInfo,
  lockLater,
  lockWithin,
  type Release,
  reuseLockFiles,
  tryLock,
} from './file-lock.ts';
export { followHttp, type OutgoingRequest } from './follow-http.ts';
export { runInForeground } from './foreground-process.ts';
export {
  type Content,
  type Host,
  type HttpRequest,
  type HttpResponse,
  type MachineFacts,
  machineHost,
  NEVER_RAN,
  type ProcessRequest,
  type ProcessResult,
  type Program,
  systemUser,
  uptimeMs,
} from './host.ts';
export { type BytesRequest, type BytesResponse, exchangeBytes } from './http.ts';
export {
  type Admission,
  type HttpServer,
  hostnameIn,
  listenAt,
  readBody,
  refusedFor,
  urlHost,
} from './http-server.ts';
export { importModule, useImporter } from './import-module.ts';
export { inTurns } from './in-turns.ts';
export { isWithin } from './is-within.ts';
export {
  clearScratch,
  createFile,
  makeFile,
  makeFolder,
  openOwn,
  ownFolder,
  replaceFile,
  syncFile,
  syncFolder,
} from './own-file.ts';
export { isManaged, isRoot, ownedByMe, ownedByMeOrRoot, ownershipProblem, readOwnFile } from './ownership.ts';
export { homeFolder, MANAGED_FOLDER, userFolder } from './places.ts';
export { runProcess } from './process.ts';
export { matchesName, programEnvironment, searchFolders } from './program-environment.ts';
export { randomHex } from './random.ts';
export { readAt } from './read-at.ts';
export { realPathOrNull, realPathOrSame } from './real-path.ts';
export { type Machine, planScript, thisMachine, typeScriptRunner } from './script.ts';
export { bootId, bootMark, isOfEarlierBoot } from './this-machine.ts';
export { pause, within } from './timers.ts';
export { type Containment, containedHost } from './walls/contain.ts';
export { findSandbox, limitProblem, type SandboxSupport, sandboxProblem } from './walls/offer.ts';
export {
  clamped,
  DEFAULT_LIMITS,
  describeSandbox,
  loosens,
  type RequestedSandbox,
  type Sandbox,
  sandboxIn,
  TIGHTEST_SANDBOX,
  tightened,
  tighterOf,
} from './walls/sandbox.ts';
export { NETWORKS, SANDBOX, type WrittenSandbox } from './walls/shape.ts';
export { type Command, makeWalls, type Wrapped, wrapCommand } from './walls/walls.ts';
