/**
 * All rules as one table: for each keyword the looks to take where it stands.
 */
import {
  assignmentDetector,
  type Detector,
  type Keyed,
  namedDetector,
  placeDetector,
  tokenDetector,
} from './detectors.ts';
import type { PlaceRule, TokenByNameRow, TokenRow } from './rule.ts';
import { aiNamed, aiTokens } from './rules/ai.ts';
import { cloudNamed, cloudTokens } from './rules/cloud.ts';
import { codeNamed, codeTokens } from './rules/code.ts';
import { FILE_RULES } from './rules/credential-files.ts';
import { KEY_RULES } from './rules/key-blocks.ts';
import { KUBERNETES_RULES } from './rules/kubernetes.ts';
import { PLACE_RULES } from './rules/places.ts';
import { PROGRAM_RULES } from './rules/programs.ts';
import { chatTokens, paymentTokens, serviceNamed, serviceTokens } from './rules/services.ts';

/** Made when they are asked for: hundreds of rows that most runs never need. */
export function tokenRows(): readonly TokenRow[] {
  return [
    ...aiTokens(),
    ...cloudTokens(),
    ...codeTokens(),
    ...chatTokens(),
    ...paymentTokens(),
    ...serviceTokens(),
  ];
}

export function namedRows(): readonly TokenByNameRow[] {
  return [...aiNamed(), ...cloudNamed(), ...codeNamed(), ...serviceNamed()];
}

export function placeRules(): readonly PlaceRule[] {
  return [...PLACE_RULES, ...KUBERNETES_RULES, ...KEY_RULES, ...FILE_RULES, ...PROGRAM_RULES];
}

/** Every name of a secret holds one of these. */
const NAME_KEYWORDS: readonly string[] =
  `pass pwd pswd passwd kennwort senha contrase secret token key auth credential creds jwt cookie session sid= sig= sig"
   mnemonic phrase bearer psk requirepass masterauth salt otp dsn webhook license sessid csrf _pw -pw bindpw rootpw _pat -pat`.split(
    /\s+/,
  );

/** What is done where a keyword stands. */
export interface KeywordDetectors {
  readonly all: readonly Detector[];
  /** None of them finds anything where it stands inside a word. */
  readonly begin: boolean;
}

export function detectorsByKeyword(): ReadonlyMap<string, KeywordDetectors> {
  const found = new Map<string, { all: Detector[]; begin: boolean }>();
  const rules: Keyed[] = [
    ...tokenRows().map(tokenDetector),
    ...namedRows().map(namedDetector),
    ...placeRules().map(placeDetector),
    { keywords: NAME_KEYWORDS, look: assignmentDetector },
  ];
  for (const { keywords, look, begins = false } of rules) {
    for (const written of keywords) {
      const keyword = written.toLowerCase();
      const known = found.get(keyword) ?? { all: [], begin: true };
      if (known.all.at(-1) !== look) known.all.push(look);
      known.begin &&= begins;
      found.set(keyword, known);
    }
  }
  return found;
}
