export const WEB_FOLDER: string;
/** Returns the files that went in, seen from the root. */
export function buildWeb(): Promise<string[]>;
