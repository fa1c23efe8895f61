/** Path of the built command, which package managers link. */
export const CLI_FILE: string;
/** Path of the built launcher. */
export const HOOK_FILE: string;
/** The example `harness demo` runs. */
export const DEMO_FOLDER: string;
/** Returns the files that went in, seen from the root. */
export function buildCli(): Promise<string[]>;
