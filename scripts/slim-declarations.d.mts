/** Rewrites the declarations in the folder `dist`; `entries` are the files of its entry points. */
export function slimDeclarations(dist: string, entries: readonly string[]): void;
