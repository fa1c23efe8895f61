/** Path of the built command. */
export const CLI_FILE: string;
/** Path of the built launcher. */
export const HOOK_FILE: string;
/** Path of the script that starts them, of what package managers link, and of what makes heap snapshots. */
export const START_FILE: string;
export const BIN_FILE: string;
export const HOLD_FILE: string;
/** The example `harness demo` runs. */
export const DEMO_FOLDER: string;
/** Returns the files that went in, seen from the root. */
export function buildCli(): Promise<string[]>;
