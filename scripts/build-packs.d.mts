/** Writes the text of the packs that ship, if it changed. */
export function buildPacks(): Promise<void>;
