/**
 * User and password in base64, as basic authentication and the files of registries hold them.
 */
import { isPlaceholder } from './placeholders.ts';

/** Whether it is a `user:password` in base64 that means someone; null if it is no such pair. */
export function isCredentialPair(value: string): boolean | null {
  if (value.length < 8 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const [, user, password] =
    /^([ -~]{1,100}?):([ -~]{1,1000})$/.exec(Buffer.from(value, 'base64').toString('latin1')) ?? [];
  return user === undefined ? null : !isPlaceholder(password!);
}
