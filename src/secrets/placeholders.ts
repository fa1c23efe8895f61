/**
 * Values that stand where a secret will stand: what documentation, templates and code put there, and what another redactor
 * left behind. Taking those out hides nothing and makes text harder to read.
 */
import { entropyOf } from './randomness.ts';
import { wordSet } from './word-set.ts';

/** Words nobody's secret holds: each means "put yours here", or that it was taken out already. */
const PLACEHOLDER_WORDS =
  /your|example|change[_-]?(?:me|it)|placeholder|dummy|redacted|masked|omitted|replace|insert|fixme|todo|sample|foobar|not[_-]?(?:a[_-])?real|lorem|xxxx|\*{4}|\.{4}|#{4}|_{4}|•{3}/i;

/** Only looked for where chance would not put them: in a text of this length four given letters meet once in ten thousand. */
const WORDS_UP_TO = 120;

/** Whole values, in lower case and without separators. */
const VALUES = wordSet(
  `password passwd passphrase passwort pass pwd pw secret secrets token tokens key apikey api auth credential credentials
   test testing tests tester testpassword testtoken testsecret testkey mock fake stub none null nil undefined void
   true false yes no on off string str text number int integer bool boolean object array any unknown char varchar bytes buffer
   required optional nullable hidden visible enabled disabled default value name username user login email admin guest root
   foo bar baz qux foobar hello world abc abcd abcdef abcdefg abcdefgh qwerty asdf asdfgh
   mypassword mysecret mytoken mykey myapikey thepassword somepassword somesecret sometoken somevalue secretvalue secretkey
   secrettoken secretpassword supersecret supersecretpassword topsecret newpassword oldpassword userpassword dbpassword
   adminpassword rootpassword accesstoken authtoken bearertoken refreshtoken sessiontoken idtoken clientsecret privatekey
   publickey accesskey plaintext plain bcrypt hash hashed encrypted base64 hex utf8 ascii json yaml xml html
   basic bearer digest oauth oauth2 jwt none negotiate ntlm apikeyauth httpbasic
   1234 12345 123456 0000 00000 000000 111111`,
);

/** References to a value elsewhere, and what templates put in. */
const REFERENCE =
  /^(?:\$[A-Za-z_]\w*$|\$\{|\$\([a-z<]|\$\[|\$\$|%[A-Za-z_]\w*%$|%\(|%\{|&lt;|\{[A-Za-z_]|\{\{|<%|<[^>]*>?$|#\{|@\{|\[[^\]]*\]$|!(?:Ref|Sub|GetAtt|vault|secret|env)\b|@(?:Microsoft\.KeyVault|secret|env)|ENC\[|ENC\(|(?:vault|op|aws-ssm|awssm|gcp|secret|secrets|env|file|ref\+\w+|sops|akv|arn|ssm|kms|keyring|bws|doppler|projects|conjur)[:/]{1,3}|__\w+__$|\.{3}|…|\*{3}|-{3})/i;

/** Expressions that fetch the value when a program runs. */
const EXPRESSION =
  /(?:process\.env|os\.environ|getenv|import\.meta\.env|System\.get|\benv\(|\bENV\[|Deno\.env|secrets\.[A-Za-z_]|\bvars?\.[a-z_]|\blocal\.[a-z_]|\$\{[A-Za-z_!]|\{\{|<%=|\$\([a-z]{2,}[ )])/;

/** A pattern for such values, not one of them. */
const PATTERN =
  /\[\^?[^\]]{0,20}(?:a-z|A-Z|0-9|a-f|\\w|\\d)|\\[dwsbDWSB](?:[+*{?)]|$)|\(\?[:=!<i]|\{\d{1,4},?\d{0,4}\}|^\.\*|\.\*$|\\x[0-9a-f]{2}|^[^!@#^&]{0,20}%[sdvqr](?:$|\W)|(?:\.\.\.|…)$/;

export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value) || isMonotone(value) || PATTERN.test(value)) return true;
  if (value.length > WORDS_UP_TO) return false;
  if (EXPRESSION.test(value)) return true;
  return VALUES.has(value.toLowerCase().replace(/[-_ .]/g, '')) || PLACEHOLDER_WORDS.test(value);
}

/** Too few different characters for its length, as in `aaaaaaaa`, `xxxxxxxx-xxxx` and `0000-0000`. */
function isMonotone(value: string): boolean {
  if (value.length < 4) return false;
  return entropyOf(value) < (value.length < 8 ? 0.9 : value.length < 16 ? 1.3 : 2);
}
