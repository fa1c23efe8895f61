/**
 * Which model an agent uses: the `model` and `models` of `harness.md`. A provider is made from this; keys are only named.
 */
import { didYouMean } from '../../base/spelling.ts';
import type { WrittenModel } from '../../files/artifact-schema.ts';

export interface ModelSettings {
  /** `anthropic/…`, `openai/…` or `scripted:FILE`. */
  readonly model: string;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** The most tokens one completion may have. */
  readonly maxTokens?: number;
  readonly stream?: boolean;
}

export type ReadModel =
  | { readonly ok: true; readonly settings: ModelSettings }
  | { readonly ok: false; readonly message: string };

const FORMS = 'anthropic/NAME, openai/NAME or scripted:FILE';

/** `models` are the named ones; a name stands for what is written there, and that for itself. */
export function readModel(written: WrittenModel, models: Readonly<Record<string, WrittenModel>>): ReadModel {
  const named = typeof written === 'string' && Object.hasOwn(models, written);
  const given = named ? models[written]! : written;
  const map: Exclude<WrittenModel, string> = typeof given === 'string' ? { name: given } : given;
  const { name, base_url: baseUrl, api_key_env: apiKeyEnv, max_tokens: maxTokens, stream } = map;
  if (!/^(anthropic|openai)\/.|^scripted:./.test(name)) {
    const hint = didYouMean(name, Object.keys(models));
    return { ok: false, message: `${JSON.stringify(name)} names no provider: want ${FORMS}${hint}` };
  }
  if (baseUrl !== undefined && !/^https?:\/\/./.test(baseUrl)) {
    return { ok: false, message: `base_url ${JSON.stringify(baseUrl)} is no http or https address` };
  }
  return {
    ok: true,
    settings: {
      model: name,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKeyEnv !== undefined && { apiKeyEnv }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(stream !== undefined && { stream }),
    },
  };
}
