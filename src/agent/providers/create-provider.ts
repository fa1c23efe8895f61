/**
 * The provider that a model's settings ask for: the word before the slash of `anthropic/NAME` and `openai/NAME`, or
 * `scripted:FILE`.
 */
import { HarnessError } from '../../base/index.ts';
import type { Host } from '../../machine/index.ts';
import type { ModelSettings } from '../config/model.ts';
import type { Provider } from '../provider.ts';
import { anthropicProvider } from './anthropic.ts';
import { openAiProvider } from './openai.ts';
import { scriptedProvider } from './scripted.ts';
import { parseScript } from './scripted-file.ts';
import type { ServiceOptions } from './sdk.ts';

const SERVICES: Readonly<Record<string, (options: ServiceOptions, host: Host) => Promise<Provider>>> = {
  anthropic: anthropicProvider,
  openai: openAiProvider,
};

export interface ProviderSources {
  /** The text of a script; without it a scripted model cannot be made. */
  readonly readScript?: (file: string) => string;
}

/** Rejects with what is missing: the SDK, the key, the script. */
export async function createProvider(
  settings: ModelSettings,
  host: Host,
  { readScript }: ProviderSources = {},
): Promise<Provider> {
  const { model, ...options } = settings;
  const file = /^scripted:(.+)$/s.exec(model)?.[1];
  if (file !== undefined && readScript !== undefined) return scripted(readScript(file), file);
  const service = /^(\w+)\/./.exec(model)?.[1];
  if (service !== undefined && Object.hasOwn(SERVICES, service)) return SERVICES[service]!(options, host);
  const message = `no provider for ${JSON.stringify(model)}: want anthropic/NAME, openai/NAME or scripted:FILE`;
  throw new HarnessError('SESSION_CONFIG', message);
}

function scripted(text: string, file: string): Provider {
  const parsed = parseScript(text, file);
  if (parsed.ok) return scriptedProvider(parsed.script);
  throw new HarnessError('SESSION_CONFIG', parsed.problems.map(({ message }) => message).join('\n'));
}
