/**
 * All rules as one table, and what finds them: an index of keywords, and for each keyword the looks to take where it
 * stands. Made when the first text is looked at, since most runs of the command line look at none.
 */
import { indexKeywords, type KeywordIndex } from './keyword-index.ts';
import { assignedLook, type Keyed, type Look, namedLook, placeLook, tokenLook } from './looks.ts';
import type { NamedRow, PlaceRule, TokenRow } from './rule.ts';
import { aiNamed, aiTokens } from './rules/ai.ts';
import { cloudNamed, cloudTokens } from './rules/cloud.ts';
import { codeNamed, codeTokens } from './rules/code.ts';
import { FILE_RULES } from './rules/credential-files.ts';
import { KEY_RULES } from './rules/key-blocks.ts';
import { PLACE_RULES } from './rules/places.ts';
import { PROGRAM_RULES } from './rules/programs.ts';
import { chatTokens, paymentTokens, serviceNamed, serviceTokens } from './rules/services.ts';

/** Made when they are asked for: hundreds of rows that most runs never need. */
export const tokenRows = (): readonly TokenRow[] => [
  ...aiTokens(),
  ...cloudTokens(),
  ...codeTokens(),
  ...chatTokens(),
  ...paymentTokens(),
  ...serviceTokens(),
];

export const namedRows = (): readonly NamedRow[] => [
  ...aiNamed(),
  ...cloudNamed(),
  ...codeNamed(),
  ...serviceNamed(),
];

export const PLACES: readonly PlaceRule[] = [...PLACE_RULES, ...KEY_RULES, ...FILE_RULES, ...PROGRAM_RULES];

/** Every name of a secret holds one of these. */
const NAME_KEYWORDS: readonly string[] =
  `pass pwd pswd passwd kennwort senha contrase secret token key auth credential creds jwt cookie session sid= sig= sig"
   mnemonic phrase bearer psk requirepass masterauth salt otp dsn webhook license sessid csrf _pw -pw bindpw rootpw _pat -pat`.split(
    /\s+/,
  );

export interface SecretTable {
  readonly index: KeywordIndex;
  /** By the number of the keyword. */
  readonly looks: readonly (readonly Look[])[];
}

let made: SecretTable | null = null;

export function secretTable(): SecretTable {
  made ??= makeTable();
  return made;
}

function makeTable(): SecretTable {
  const looks = new Map<string, Look[]>();
  const all: Keyed[] = [
    ...tokenRows().map(tokenLook),
    ...namedRows().map(namedLook),
    ...PLACES.map(placeLook),
    { keywords: NAME_KEYWORDS, look: assignedLook },
  ];
  for (const { keywords, look } of all) {
    for (const written of keywords) {
      const keyword = written.toLowerCase();
      const known = looks.get(keyword);
      if (known === undefined) looks.set(keyword, [look]);
      else if (known.at(-1) !== look) known.push(look);
    }
  }
  return { index: indexKeywords([...looks.keys()]), looks: [...looks.values()] };
}
