/**
 * `node:crypto`, loaded when first used: that takes longer than most commands run, and few need it.
 */
export function lateCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}
