/** Tests that want more than every machine has are skipped with a word elsewhere; as root in CI they have to run, so there a skip is a failure. */
export function canRun(able: boolean, wants: string): boolean {
  if (able) return true;
  if (process.env.CI === 'true' && process.getuid?.() === 0)
    throw new Error(`tests that have to run as root in CI cannot: they want ${wants}`);
  console.warn(`SKIPPED: ${wants} is missing`);
  return false;
}
