/** The version of this package: one number for the command, tape headers and texts. */

/** Put in by the build. */
declare const HARNESS_VERSION: string | undefined;

/** Run from its sources, the package has no version of its own. */
export const VERSION = typeof HARNESS_VERSION === 'string' ? HARNESS_VERSION : 'source';

/** How the package names itself to others. */
export const ENGINE = `harness-hooks ${VERSION}`;
