/** Returns the files that went in, seen from the root. */
export function buildTypeScriptRunner(outdir?: string): Promise<string[]>;
