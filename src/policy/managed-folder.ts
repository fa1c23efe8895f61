/** Where the policy of a machine stands. No environment variable changes it. In a file of its own: the launcher asks first of all. */
export const MANAGED_FOLDER = '/etc/harness';
