/**
 * Reminders as the model reads them: each a fragment of its own, which its text cannot break out of.
 */

const TAG = 'system-reminder';
/** The tag, also with invisible characters between its letters, other dashes, and signs that look like the bracket. */
const TAG_INSIDE =
  /[<\uff1c\ufe64\u2039\u3008](?=(?:[\s\p{Cf}\p{Variation_Selector}\\]*[/\uff0f\u2215])?[\s\p{Cf}\p{Variation_Selector}\\]*s[\p{Cf}\p{Variation_Selector}]*y[\p{Cf}\p{Variation_Selector}]*s[\p{Cf}\p{Variation_Selector}]*t[\p{Cf}\p{Variation_Selector}]*e[\p{Cf}\p{Variation_Selector}]*m[\p{Cf}\p{Variation_Selector}]*[-_\p{Pd}][\p{Cf}\p{Variation_Selector}]*r[\p{Cf}\p{Variation_Selector}]*e[\p{Cf}\p{Variation_Selector}]*m[\p{Cf}\p{Variation_Selector}]*i[\p{Cf}\p{Variation_Selector}]*n[\p{Cf}\p{Variation_Selector}]*d[\p{Cf}\p{Variation_Selector}]*e[\p{Cf}\p{Variation_Selector}]*r)/giu;

/** A body that holds the tag itself, opened or closed, would end the fragment early and speak outside of it. */
export function renderReminder(body: string): string {
  return `<${TAG}>\n${body.trim().replace(TAG_INSIDE, '&lt;')}\n</${TAG}>`;
}

/** What the model is told of a block. */
export function blockedText(hook: string, reason: string): string {
  return `Hook "${hook}" blocked the action: ${reason}`;
}

/** What a hook printed. One that printed nothing still says that it ran. */
export function outputText(hook: string, text: string): string {
  return text.trim() === ''
    ? `Hook "${hook}" ran and had nothing to say.`
    : `Hook "${hook}" says:\n${text.trim()}`;
}

/** What a hook wants the model to know. */
export function contextText(hook: string, text: string): string {
  return text.trim() === '' ? '' : `Context from hook "${hook}":\n${text.trim()}`;
}
