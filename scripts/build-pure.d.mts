export const PURE_BUILD: {
  readonly entryPoints: string[];
  readonly bundle: true;
  readonly platform: 'browser';
};
/** Returns the files that went in, seen from the root. */
export function buildPure(): Promise<string[]>;
