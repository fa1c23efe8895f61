/**
 * Passwords in the files programs keep them in, told by the form of the file: netrc, pgpass, registries, devices.
 */
import { isCredentialPair } from '../credential-pair.ts';
import { lastGroup } from '../pattern-look.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';

const NETRC =
  /machine\s{1,4}\S{1,100}\s{1,12}(?:(?:login|user|account)\s{1,4}\S{1,100}\s{1,12}){0,2}(?:password|passwd)\s{1,4}([^\s"'{}]{3,300})(?=\s|$|\\n)/iy;
const KAGGLE =
  /"username"\s{0,4}:\s{0,4}"[^"\n]{1,60}"\s{0,4},\s{0,4}"key"\s{0,4}:\s{0,4}"([0-9a-f]{32})(?=")/y;
const DEVICE = /(?:password|secret) [5789] ([^\s"']{8,200})/iy;
const PGPASS = /:5432:[\w*-]{1,63}:[\w*.-]{1,63}:([^\s:"']{3,100})(?=\s|$)/y;

export const FILE_RULES: readonly PlaceRule[] = [
  { id: 'netrc', what: 'Password in a netrc file', keywords: ['machine '], look: lastGroup(NETRC) },
  { id: 'pgpass', what: 'Password in a pgpass file', keywords: [':5432:'], look: lastGroup(PGPASS) },
  { id: 'kaggle-key', what: 'Kaggle API key', keywords: ['"username"'], look: lastGroup(KAGGLE) },
  {
    id: 'device-password',
    what: 'Password in the configuration of a network device',
    keywords: ['password 7 ', 'password 5 ', 'secret 5 ', 'secret 8 ', 'secret 9 '],
    look: lastGroup(DEVICE, /\d/),
  },
  {
    id: 'registry-auth',
    what: 'User and password in base64',
    keywords: ['auth"', 'auth='],
    look: registryAuth,
  },
];

const REGISTRY_AUTH = /auth\\?"?\s{0,4}[:=]\s{0,4}\\?"?([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/=])/iy;

function registryAuth(text: string, at: number): readonly Span[] {
  REGISTRY_AUTH.lastIndex = at;
  const found = REGISTRY_AUTH.exec(text);
  if (found === null || isCredentialPair(found[1]!) !== true) return NOTHING;
  return [[REGISTRY_AUTH.lastIndex - found[1]!.length, REGISTRY_AUTH.lastIndex]];
}
