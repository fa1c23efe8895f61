/**
 * Permissions and approvals: which calls run by themselves, which wait for a person, and how the person is asked.
 */
export type { Approval, ApprovalRequest, Approvals } from '../../hooks/approvals.ts';
export { ApprovalDesk, callDigest, type DeskOptions, type Question } from '../approvals/desk.ts';
export { type AnswerReceipt, type IgnoredAnswer, PendingApprovals } from '../approvals/pending.ts';
export { ZONES, type Zone } from './layer.ts';
export {
  CLOSED_TABLE,
  OPEN_TABLE,
  type PermissionRule,
  type PermissionTable,
  permissionPolicy,
} from './policy.ts';
export type { ShellGuard } from './shell-guard.ts';
