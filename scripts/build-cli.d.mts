/** Path of the built command. */
export const CLI_FILE: string;
export function buildCli(): Promise<void>;
