/** The fleet, machine side: joining a hub, sending tapes, proving that the hub has them. */
export {
  isAcknowledged,
  outboxOf,
  type TapeProblem,
  type UnsentEntries,
  unsentEntries,
} from './acknowledged.ts';
export {
  type AgentOptions,
  type AgentStatus,
  type RunOptions,
  runAgent,
  type ShipResult,
  STATUS,
  shipOnce,
} from './agent.ts';
export { type ClientOptions, errorOf, HubClient, hubAddress, joinFleet, type PolicyRoot } from './client.ts';
export { Enrolled, type Enrolment, enrolled, findEnrolled } from './enrolment.ts';
export { type LeftFleet, leaveFleet, markedPlaces, orphanedMark } from './membership.ts';
export { type OutboxTape, tapesOfFolder } from './outbox.ts';
export {
  BATCH_BYTES,
  CHALLENGE_MS,
  DEFAULT_PORT,
  FOLDER_HEADER,
  type HubTape,
  type JoinAnswer,
  type JoinRequest,
  MAX_BATCH_BYTES,
  MAX_BATCH_LINES,
  MAX_BRANCHES,
  MAX_WAIT_MS,
  type MachineState,
  OWNER_HEADER,
  POLICY_PATH,
  placeOf,
  SIGNED_HEADER,
  type Statement,
  sessionName,
  statementBytes,
  type TapeState,
  TIMESTAMP_HEADER,
  TOKEN_MS,
  type TokenAnswer,
  tapePath,
} from './protocol.ts';
export { type Shipped, shipPass } from './ship.ts';
export { type PackedFiles, packedBytes, packFolder, readPacked, unpackTo } from './signed/archive.ts';
export { type AuthorStatement, authorOf, type PublishedPolicy, type Rollout } from './signed/author.ts';
export { type CandidateCheck, checkCandidate, findLoosening, packPolicy } from './signed/candidate.ts';
export { isIntact, readMarker, readTrust } from './signed/install-policy.ts';
export {
  type FileMeta,
  keyId,
  type Metadata,
  metadataDigest,
  type PublicKey,
  parseMetadata,
  publicKeyOf,
  type RoleName,
  type Root,
  type Signature,
  type Signed,
  type Snapshot,
  SPEC_VERSION,
  signed,
  signersOf,
  type Targets,
  type Timestamp,
} from './signed/metadata.ts';
export {
  type Proposal,
  publishedAt,
  publishProposal,
  type RootKeys,
  readProposal,
  rollOutOnHub,
  rootDocument,
  targetsFor,
} from './signed/publish.ts';
export { type Pulled, policyPlace, pullPolicy } from './signed/pull-policy.ts';
export { FIRST_TERMS, type StaleTerms, type Terms, weakensTerms } from './signed/terms.ts';
export { followRoots, type ServedPolicy, verifyServed, verifyTargets } from './signed/verify-policy.ts';
export { type FleetVerification, verifyTapes } from './verify.ts';
export {
  HubView,
  type MachineOnHub,
  type MachineStatus,
  NEWEST,
  STATUS_PATH,
  type TapeOnHub,
  type TapeQuery,
  VIEW_PAGE,
  warningsOf,
} from './view.ts';
