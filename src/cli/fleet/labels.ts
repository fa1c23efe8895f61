/** Labels of machines as options give them. */
import { quote, UsageError } from '../../terminal/index.ts';

const LABEL = /^([a-z0-9_.-]{1,60})=([\w .:/@-]{1,200})$/i;

export function labelsOf(text = ''): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [, name, value] = LABEL.exec(part) ?? [];
    if (value === undefined) throw new UsageError(`--labels wants NAME=VALUE,…, got ${quote(part)}`);
    labels[name!] = value;
  }
  return labels;
}
