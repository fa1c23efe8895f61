/**
 * What a stopped call would have done: the sentences about a command, which say what it does, in the conditional. Pure; runs in
 * the browser.
 */

/** `Deletes / and everything in it.` becomes `Would delete / and everything in it.` */
export function inConditional(sentences: readonly string[]): string {
  return sentences.map(conditional).join(' ');
}

function conditional(sentence: string): string {
  const [, perhaps = '', not = '', verb, rest] = /^(possibly )?(does not )?(\w+)(.*)$/is.exec(sentence) ?? [];
  if (verb === undefined) return sentence;
  const plain = not === '' ? infinitive(verb.toLowerCase()) : verb;
  return `Would ${not === '' ? '' : 'not '}${perhaps.toLowerCase()}${plain}${rest}`;
}

/** `writes`, `pushes`, `empties`: the third person of the verbs that sentences begin with. */
function infinitive(verb: string): string {
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`;
  return /(?:ss|x|ch|sh)es$/.test(verb) ? verb.slice(0, -2) : verb.replace(/s$/, '');
}
