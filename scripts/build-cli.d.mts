/** Path of the built command. */
export const CLI_FILE: string;
/** Path of the built launcher. */
export const HOOK_FILE: string;
/** The example `harness demo` runs. */
export const DEMO_FOLDER: string;
export function buildCli(): Promise<void>;
