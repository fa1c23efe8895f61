/** What `pwsh`, `powershell` and `cmd` are given to run: their options are read by rules of their own. */
import { type Alt, type Field, knownField } from '../known/values.ts';
import { fromBase64 } from '../powershell/dotnet.ts';
import { argumentsIn } from '../powershell/parameters.ts';
import { joinWords } from './unwrap.ts';

interface Handed {
  /** Null: no code stands here. */
  readonly alts: readonly Alt[] | null;
  readonly file: Field | null;
  readonly args: readonly Field[];
}

const NAMED_PARAMETER = /^(?:--?|\/)([a-z]+)$/i;
const VALUED = [
  'executionpolicy',
  'windowstyle',
  'version',
  'inputformat',
  'outputformat',
  'configurationname',
  'configurationfile',
  'workingdirectory',
  'custompipename',
  'psconsolefile',
  'settingsfile',
];
const SHORT: Readonly<Record<string, string>> = {
  ep: VALUED[0]!,
  ex: VALUED[0]!,
  wd: VALUED[7]!,
  o: 'outputformat',
  if: 'inputformat',
};

export function powerShellArguments(given: readonly Field[]): Handed {
  const words = [given[0]!, ...argumentsIn(given.slice(1)).flat()];
  for (let at = 1; at < words.length; at++) {
    const written = NAMED_PARAMETER.exec(words[at]!.text)?.[1]?.toLowerCase();
    const rest = words.slice(at + 1);
    if (written === undefined) {
      const isFile = /\.ps1$/i.test(words[at]!.text);
      return isFile ? { alts: null, file: words[at]!, args: rest } : code(words.slice(at));
    }
    const name = SHORT[written] ?? written;
    if (name === 'ec' || (name.startsWith('e') && 'encodedcommand'.startsWith(name))) return encoded(rest);
    if ('command'.startsWith(name) || 'commandwithargs'.startsWith(name) || name === 'cwa') return code(rest);
    if ('file'.startsWith(name)) return { alts: null, file: rest[0] ?? null, args: rest.slice(1) };
    if (VALUED.some((each) => each.startsWith(name))) at++;
  }
  return { alts: null, file: null, args: [] };
}

function code(words: readonly Field[]): Handed {
  const [first] = words;
  if (first === undefined || (words.length === 1 && first.text === '-'))
    return { alts: null, file: null, args: [] };
  const { text, known } = joinWords(words);
  const block = /^\{([\s\S]*)\}$/.exec(text)?.[1];
  return { alts: [{ text: block ?? text, known }], file: null, args: [] };
}

/** Text of two bytes a letter, in base64. */
function encoded([word, ...args]: readonly Field[]): Handed {
  const text = word?.known === true ? fromBase64(word.text) : null;
  if (text === null) return { alts: [{ text: '', known: false }], file: null, args };
  return { alts: [knownField(text.replaceAll('\0', ''))], file: null, args };
}

export function cmdArguments(words: readonly Field[]): Handed {
  for (let at = 1; at < words.length; at++) {
    const found = /^\/+([a-z])(.*)$/is.exec(words[at]!.text);
    if (found === null || !/[ckr]/i.test(found[1]!)) continue;
    const attached = found[2] === '' ? [] : [{ ...words[at]!, text: found[2]! }];
    return code([...attached, ...words.slice(at + 1)]);
  }
  return { alts: null, file: null, args: [] };
}
