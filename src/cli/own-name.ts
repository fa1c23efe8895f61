/** What somebody types to run this command again, as they did now. */
export function ownName(): string {
  return process.env.npm_command === 'exec' ? 'npx harness-hooks' : 'harness';
}
