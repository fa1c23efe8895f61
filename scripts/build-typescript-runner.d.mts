export function buildTypeScriptRunner(outdir?: string): Promise<void>;
