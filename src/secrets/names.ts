/**
 * What the name of a variable, key, header or flag says about its value. `AWS_SECRET_ACCESS_KEY`, `clientSecret`, `X-Api-Key`
 * and `db.password` name secrets; `token_count`, `public_key` and `passwordField` speak about them.
 */
import { type WordSet, wordSet } from './word-set.ts';

/**
 * - `password`: people choose these, so that nearly any value is one;
 * - `pass`: mostly something that was or was not passed, so that a word is none;
 * - `chosen`: machines draw these as well as people choose them;
 * - `secret`: machines draw these, so that a value which reads like a name is none;
 * - `weak`: many other things are called so too, so that only a value that is clearly random counts;
 * - `phrase`: made of words.
 */
export type NameKind = 'password' | 'pass' | 'chosen' | 'secret' | 'weak' | 'phrase';

/** Single words that make a name the name of a secret. */
const WORDS_OF_KIND: readonly (readonly [NameKind, WordSet])[] = [
  [
    'password',
    wordSet(`password passwd passwort kennwort passcode pswd passwrd pwd psk requirepass masterauth bindpw rootpw senha contrasena
      contraseña motdepasse`),
  ],
  ['chosen', wordSet('secret apisecret')],
  ['phrase', wordSet('passphrase mnemonic seedphrase')],
  ['secret', wordSet('token apikey authtoken jwt bearer credential credentials creds apitoken authkey')],
  ['pass', wordSet('pass pw')],
  [
    'weak',
    wordSet(`key auth session sessionid sid cookie sig salt license serial otp dsn webhook pat sessid jsessionid phpsessid csrf
      xsrf accesscode`),
  ],
];

/** Endings of words written without separators: `dbpassword`, `myapikey`. */
const KIND_OF_ENDING: readonly (readonly [string, NameKind])[] = [
  ['password', 'password'],
  ['passwd', 'password'],
  ['passwort', 'password'],
  ['storepass', 'password'],
  ['keypass', 'password'],
  ['dbpass', 'password'],
  ['userpass', 'password'],
  ['passphrase', 'phrase'],
  ['apikey', 'secret'],
  ['secretkey', 'secret'],
  ['accesskey', 'secret'],
  ['privatekey', 'secret'],
  ['signingkey', 'secret'],
  ['encryptionkey', 'secret'],
  ['accountkey', 'secret'],
  ['sharedkey', 'secret'],
  ['secret', 'chosen'],
  ['token', 'secret'],
];

/** What stands before `key` and makes it a secret. */
const KEY_HEADS = wordSet(
  `api secret private access auth account shared encryption encrypt encrypted signing sign master service storage ssh deploy
   preshared psk subscription application app client server license consumer integration write admin ingest instrumentation
   security cipher crypto aes hmac jwt cookie session root management webhook bot tls ssl rsa live restricted recaptcha
   captcha rest personal dev developer project org stripe openai anthropic gemini mapbox maps google azure aws gcp github
   gitlab slack sendgrid mailgun twilio datadog sentry algolia firebase supabase heroku cloudflare npm pypi huggingface`,
);

/** What stands before a word and makes it speak of something else. */
const HEADS_ELSEWHERE: Readonly<Record<string, WordSet>> = {
  key: wordSet(
    `public pub primary foreign cache sort partition hash index object routing group unique composite dedup idempotency hot
     short shortcut registry row column map lookup translation message item data event query state param attr attribute dict
     field property prop host known sub super parent child first last next prev menu arrow enter tab escape modifier meta ctrl
     alt shift press any wrong same duplicate missing unknown invalid reserved json yaml path i18n locale answer publishable
     websocket did react list context metric label filter config symbol`,
  ),
  token: wordSet(
    `next prev previous continuation page paging pagination cancellation cancel syntax lexer lex parse parser start end left
     right first last bos eos pad mask unk cls sep special stop max min design sync resume cursor keyword operator
     identifier literal punctuation unexpected current highlight prism total input output prompt completion invalid change
     expected open close`,
  ),
  pass: wordSet(
    'first second third single multi two one by com tres over under render build compiler optimization full',
  ),
  session: wordSet('desktop xdg dbus tmux terminal'),
  auth: wordSet('ssh no basic oauth'),
};

/** What stands after the word and makes the value something about the secret, not the secret. */
const TAILS_ELSEWHERE = wordSet(
  `name names count counts counter len length size type types kind kinds url urls uri uris path paths file files filename dir
   directory folder field fields label labels hint hints prompt placeholder policy policies rule rules regex regexp pattern
   patterns format fmt expiry expires expired expiration expire ttl lifetime age ref refs reference references arn arns store
   stores manager provider providers reset hash hashes hashed digest index idx min max minimum maximum limit limits usage used
   budget error errors exception invalid valid required optional enabled disabled mismatch version versions class classes
   header headers param params parameter helper helpers util utils handler handlers function func fn factory generator
   generate validator validation verify verified verification input inputs output column table schema model form page view
   screen component button icon link title description desc message msg messages status state event events list array map set
   dict object strategy method mode option options config settings setting algorithm alg algo encoder decoder encoding
   endpoint host hostname port domain issuer audience scope scopes owner username email role roles request response reader
   writer parser scanner stream pair pairs ring chain chars char characters strength score source src target env var variable
   vars stdin fd prefix suffix separator delimiter position pos start end line offset bucket rotation rotate rotated date time
   timestamp at created updated changed last attempts attempt tries retries retry cost bits bytes iterations rounds spec
   template permission permissions owner group arg args flag is has can should with for from to of and or not the a an in on
   by as id ids index per price rate window stats info meta metadata kid thumbprint fingerprint sha sha1 sha256 md5 commit
   board boards word words press up down code codes bindings binding value_from grant grants backend backends cache caches
   mgr impl ctx cls attr endswith startswith change changes exists missing history middleware guard router route routes screen modal dialog toggle`,
);

/** Names whose whole value is hidden in structured data, whatever it looks like: nobody keeps anything else there. */
const ALWAYS = wordSet(
  `password passwd passphrase passcode passwort authorization proxyauthorization cookie setcookie apikey secretkey privatekey
   clientsecret accesstoken refreshtoken idtoken authtoken secretaccesskey sessiontoken xapikey apisecret bearertoken
   authorizationheader`,
);

/** A name as its words in lower case: `apiKey`, `API_KEY`, `api-key` and `api key` are one name. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9\u0080-\uffff]+/)
    .filter((word) => word !== '');
}

/** The kind of value a name promises, or null. */
export function kindOfName(name: string): NameKind | null {
  const parts = wordsOf(name);
  for (let at = parts.length - 1; at >= 0; at--) {
    const word = parts[at]!.replace(/\d+$/, '');
    const kind = wordKind(word);
    if (word === 'phrase' && /^(?:pass|seed|recovery|mnemonic)$/.test(parts[at - 1] ?? '')) return 'phrase';
    if (kind !== null) return kindInPlace(kind, word, parts, at, name);
    // A `SECRET_ID` holds the secret itself; any other id only points at it, that of a session of an agent too.
    const isOwnId = word === 'id' && at === parts.length - 1 && parts[at - 1] === 'secret';
    if (TAILS_ELSEWHERE.has(word) && !isOwnId) return null;
  }
  return null;
}

function wordKind(word: string): NameKind | null {
  const whole = WORDS_OF_KIND.find(([, words]) => words.has(word));
  return whole?.[0] ?? KIND_OF_ENDING.find(([ending]) => word.endsWith(ending))?.[1] ?? null;
}

function kindInPlace(
  kind: NameKind,
  word: string,
  parts: readonly string[],
  at: number,
  name: string,
): NameKind | null {
  const before = parts[at - 1];
  if (before === undefined) return kind;
  if (HEADS_ELSEWHERE[word]?.has(before) === true || (word === 'psk' && at < parts.length - 1)) return null;
  if (word === 'key') return KEY_HEADS.has(before) || parts.includes('secret') ? 'secret' : 'weak';
  // `DB_PASS` and `smtp-pw` are passwords, a lone `pass` may be the third of five.
  if (word === 'pass' || word === 'pw')
    return at === parts.length - 1 && !/[. ]/.test(name) ? 'password' : 'pass';
  return kind;
}

/** Whether everything under this name is hidden in structured data. */
export function isAlwaysSecret(name: string): boolean {
  const parts = wordsOf(name);
  for (let count = 1; count <= Math.min(3, parts.length); count++) {
    if (ALWAYS.has(parts.slice(-count).join(''))) return true;
  }
  const last = parts.at(-1);
  return last !== undefined && /(?:password|passwd|passphrase|apikey)$/.test(last);
}

/** Whether a name speaks of something about a secret rather than of the secret: `heroku_app_id`, `sentry_release_sha`. */
export function isAboutSecrets(name: string): boolean {
  const last = wordsOf(name).at(-1);
  return last !== undefined && TAILS_ELSEWHERE.has(last);
}
