/**
 * Which model an agent uses: the `model` and `models` of `harness.md`. A provider is made from this; keys are only named.
 */
import { didYouMean } from '../../base/index.ts';
import { COPILOT, type WrittenModel } from '../../files/index.ts';

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

interface Served {
  readonly name: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
}

/** The map form may name the provider apart from the model; without one it is openai, as in AI Harness. */
function servedBy(map: Exclude<WrittenModel, string>, isMap: boolean): Served {
  const { name, provider, base_url: baseUrl, api_key_env: apiKeyEnv } = map;
  const own = { ...(baseUrl !== undefined && { baseUrl }), ...(apiKeyEnv !== undefined && { apiKeyEnv }) };
  const complete = /^(anthropic|openai)\/|^scripted:/.test(name);
  if (complete || (!isMap && provider === undefined)) return { name, ...own };
  if (provider === 'copilot') return { name: `openai/${name}`, ...COPILOT, ...own };
  return { name: `${provider ?? 'openai'}/${name}`, ...own };
}

const FORMS = 'anthropic/NAME, openai/NAME or scripted:FILE';

/** `models` are the named ones; a name stands for what is written there, and that for itself. */
export function readModel(written: WrittenModel, models: Readonly<Record<string, WrittenModel>>): ReadModel {
  const named = typeof written === 'string' && Object.hasOwn(models, written);
  const given = named ? models[written]! : written;
  const map: Exclude<WrittenModel, string> = typeof given === 'string' ? { name: given } : given;
  const { max_tokens: maxTokens, stream } = map;
  const served = servedBy(map, typeof given !== 'string');
  const { name, baseUrl, apiKeyEnv } = served;
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
