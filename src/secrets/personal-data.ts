/**
 * Numbers that name a person, told by their form and by the check in them: cards, bank accounts, national numbers. No secret is found
 * here and nothing uses it that does not say so: a ledger, a test or an invoice is full of such numbers, and they are the work at hand.
 */
import { RANK, type Ranked } from './detectors.ts';

/** How much of a text of the form is such a number; 0: it is none. */
type Check = (found: string) => number;

interface Row {
  readonly rule: string;
  readonly form: RegExp;
  readonly check: Check;
}

const whole =
  (holds: (plain: string) => boolean): Check =>
  (found) =>
    holds(found.replace(/[ .-]/g, '')) ? found.length : 0;

const ROWS: readonly Row[] = [
  {
    rule: 'card-number',
    form: /(?<![\w.+/-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w=/-]|\.\d)/g,
    check: whole((digits) => isCard(digits) && luhn(digits)),
  },
  {
    rule: 'iban',
    form: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g,
    check: ibanLength,
  },
  {
    rule: 'us-social-security',
    form: /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])/g,
    check: whole(() => true),
  },
  {
    rule: 'uk-national-insurance',
    form: /(?<![\w-])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D](?!\w)/g,
    check: whole((number) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(number)),
  },
  {
    rule: 'es-dni',
    form: /(?<![\w-])[0-9XYZ]\d{7}[ -]?[A-Z](?![\w-])/g,
    check: whole((number) => {
      const digits = Number(number.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
      return 'TRWAGMYFPDXBNJZSQVHLCKE'[digits % 23] === number.at(-1);
    }),
  },
  {
    rule: 'it-codice-fiscale',
    form: /(?<!\w)[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)/g,
    check: whole(isCodiceFiscale),
  },
  {
    rule: 'fr-nir',
    form: /(?<![\w.-])[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w-]|\.\d)/g,
    check: whole((number) => {
      const body = number.slice(0, -2).replace('2A', '19').replace('2B', '18');
      return 97 - Number(BigInt(body) % 97n) === Number(number.slice(-2));
    }),
  },
  {
    rule: 'br-cpf',
    form: /(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])/g,
    check: whole((digits) => [9, 10].every((length) => cpfDigit(digits, length) === Number(digits[length]))),
  },
  {
    rule: 'cn-resident',
    form: /(?<![\w.-])[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX](?![\w-]|\.\d)/g,
    check: whole((number) => {
      const sum = [...number.slice(0, 17)].reduce(
        (all, digit, at) => all + Number(digit) * (2 ** (17 - at) % 11),
        0,
      );
      return '10X98765432'[sum % 11] === number[17];
    }),
  },
  {
    rule: 'in-aadhaar',
    form: /(?<![\w.-])[2-9]\d{3} \d{4} \d{4}(?![\w-]| \d)/g,
    check: whole(verhoeff),
  },
];

/** All that the rows find, overlapping and in no order. Linear in the text: each form is bounded. */
export function findPersonalInto(text: string, found: Ranked[], pay?: (found: number) => void): void {
  for (const { rule, form, check } of ROWS) {
    for (const { 0: written, index } of text.matchAll(form)) {
      pay?.(found.length);
      const length = check(written);
      if (length > 0) found.push({ rule, start: index, end: index + length, rank: RANK.place });
    }
  }
}

/** First digits and lengths that networks give out. */
const NETWORKS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12,15})$/;

function isCard(digits: string): boolean {
  return NETWORKS.test(digits) && new Set(digits).size > 1;
}

function luhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Characters of an account, by country. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22
   GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 MU30
   NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
);

/** What follows in capitals may be a word: the country says how long the number is. */
function ibanLength(found: string): number {
  const most = IBAN_LENGTHS[found.slice(0, 2)] ?? 0;
  let [at, taken] = [0, ''];
  for (; at < found.length && taken.length < most; at++) if (found[at] !== ' ') taken += found[at];
  if (most === 0 || taken.length < most || /[A-Z0-9]/.test(found[at] ?? '')) return 0;
  const digits = (taken.slice(4) + taken.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n ? at : 0;
}

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isCodiceFiscale(code: string): boolean {
  const worth = (char: string) => (/\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65);
  const sum = [...code.slice(0, 15)].reduce(
    (all, char, at) => all + (at % 2 === 0 ? ODD[worth(char)]! : worth(char)),
    0,
  );
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

function cpfDigit(digits: string, length: number): number {
  const sum = [...digits.slice(0, length)].reduce(
    (all, digit, at) => all + Number(digit) * (length + 1 - at),
    0,
  );
  return ((sum * 10) % 11) % 10;
}

/** Verhoeff's check: the group of the pentagon, and a permutation that goes on with the place. */
function verhoeff(digits: string): boolean {
  const times = (a: number, b: number) =>
    a < 5 ? (b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5) : b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5;
  const SWAP = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    let value = Number(digit);
    for (let turn = 0; turn < at % 8; turn++) value = SWAP[value]!;
    return times(all, value);
  }, 0);
  return sum === 0;
}
