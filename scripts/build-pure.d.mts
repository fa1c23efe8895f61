export const PURE_BUILD: {
  readonly entryPoints: string[];
  readonly bundle: true;
  readonly platform: 'browser';
};
export function buildPure(): Promise<void>;
