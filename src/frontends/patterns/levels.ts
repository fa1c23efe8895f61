/**
 * The levels of patterns.yaml: what each guards, what a match comes to, and the line it leaves in the audit file.
 */

import type { PathAccess } from '../../engine/index.ts';

export interface Level {
  readonly section: 'commands' | 'paths';
  readonly name: string;
  readonly action: 'block' | 'ask' | 'allow';
  /** The kind of the audit line. */
  readonly audit: 'tool_blocked' | 'confirm_prompted' | 'alert_logged' | 'path_access_denied';
  /** Of paths: the uses it guards against. */
  readonly uses: readonly PathAccess[];
  readonly priority: number;
  readonly says: string;
}

const NO_USES: readonly PathAccess[] = [];

export const LEVELS: readonly Level[] = [
  {
    section: 'commands',
    name: 'alert',
    action: 'allow',
    audit: 'alert_logged',
    uses: NO_USES,
    priority: 5,
    says: 'is to be noted',
  },
  {
    section: 'commands',
    name: 'blocked',
    action: 'block',
    audit: 'tool_blocked',
    uses: NO_USES,
    priority: 10,
    says: 'is blocked',
  },
  {
    section: 'paths',
    name: 'zeroAccess',
    action: 'block',
    audit: 'path_access_denied',
    uses: ['read', 'write', 'delete'],
    priority: 10,
    says: 'must not be touched',
  },
  {
    section: 'paths',
    name: 'readOnly',
    action: 'block',
    audit: 'path_access_denied',
    uses: ['write', 'delete'],
    priority: 10,
    says: 'is read-only',
  },
  {
    section: 'paths',
    name: 'noDelete',
    action: 'block',
    audit: 'path_access_denied',
    uses: ['delete'],
    priority: 10,
    says: 'must not be deleted',
  },
  {
    section: 'commands',
    name: 'confirm',
    action: 'ask',
    audit: 'confirm_prompted',
    uses: NO_USES,
    priority: 20,
    says: 'needs confirmation',
  },
  {
    section: 'paths',
    name: 'confirmWrite',
    action: 'ask',
    audit: 'confirm_prompted',
    uses: ['write', 'delete'],
    priority: 20,
    says: 'needs confirmation before it is written',
  },
];
