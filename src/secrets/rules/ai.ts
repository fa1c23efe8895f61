/** Keys of model providers and of the services around them. */
import type { TokenByNameRow, TokenRow } from '../rule.ts';

export const aiTokens = (): readonly TokenRow[] => [
  ['anthropic-key', 'Anthropic API, admin or session key', 'sk-ant-[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{20,200}'],
  ['openai-key', 'OpenAI API key', 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}'],
  [
    'openai-project-key',
    'OpenAI project, service or admin key',
    'sk-(proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{20,255}',
  ],
  ['openrouter-key', 'OpenRouter API key', 'sk-or-v1-[0-9a-f]{64}'],
  [
    'langfuse-secret',
    'Langfuse secret key',
    'sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ],
  [
    'sk-key',
    'Key of a service that writes its keys as OpenAI does',
    'sk-[A-Za-z0-9_-]{20,200}',
    { drawn: true },
  ],
  ['huggingface-token', 'Hugging Face access token', '(hf|api_org)_[A-Za-z0-9]{30,40}'],
  ['groq-key', 'Groq API key', 'gsk_[A-Za-z0-9]{40,60}'],
  ['xai-key', 'xAI API key', 'xai-[A-Za-z0-9]{70,90}'],
  ['perplexity-key', 'Perplexity API key', 'pplx-[A-Za-z0-9]{40,60}'],
  ['replicate-token', 'Replicate API token', 'r8_[A-Za-z0-9]{37,40}'],
  ['fireworks-key', 'Fireworks AI key', 'fw_[A-Za-z0-9]{22,48}'],
  ['together-key', 'Together AI key', 'tgp_v1_[A-Za-z0-9_-]{40,50}'],
  ['nvidia-key', 'NVIDIA API key', 'nvapi-[A-Za-z0-9_-]{60,80}'],
  ['langsmith-key', 'LangSmith API key', 'lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'],
  ['pinecone-key', 'Pinecone API key', 'pcsk_[A-Za-z0-9_]{40,80}'],
  ['voyage-key', 'Voyage AI key', 'pa-[A-Za-z0-9_-]{43}', { drawn: true }],
  ['jina-key', 'Jina AI key', 'jina_[0-9a-f]{32}[A-Za-z0-9_-]{28}'],
  ['tavily-key', 'Tavily API key', 'tvly-(dev-|prod-)?[A-Za-z0-9]{30,40}'],
  ['firecrawl-key', 'Firecrawl API key', 'fc-[0-9a-f]{32}'],
  ['cerebras-key', 'Cerebras API key', 'csk-[a-z0-9]{48}'],
  ['e2b-key', 'E2B API key', 'e2b_[0-9a-f]{40}'],
  ['anyscale-key', 'Anyscale key', 'esecret_[A-Za-z0-9]{24,32}'],
  ['elevenlabs-key', 'ElevenLabs API key', 'sk_[0-9a-f]{48}'],
  ['bedrock-key', 'Amazon Bedrock API key', 'ABSK[A-Za-z0-9+/]{100,260}={0,2}'],
  ['bedrock-session-key', 'Amazon Bedrock short-term key', 'bedrock-api-key-[A-Za-z0-9+/]{60,}={0,2}'],
  ['composio-key', 'Composio API key', 'ak_[A-Za-z0-9_-]{20,24}', { drawn: true }],
  ['cursor-key', 'Cursor API key', 'key_[0-9a-f]{64}'],
];

export const aiNamed = (): readonly TokenByNameRow[] => [
  ['cohere-key', 'Cohere API key', ['cohere', 'co_api_key'], '[A-Za-z0-9]{40}'],
  ['mistral-key', 'Mistral API key', ['mistral'], '[A-Za-z0-9]{32}'],
  ['deepgram-key', 'Deepgram API key', ['deepgram'], '[0-9a-f]{40}'],
  ['assemblyai-key', 'AssemblyAI key', ['assemblyai', 'assembly_ai'], '[0-9a-f]{32}'],
  ['wandb-key', 'Weights & Biases key', ['wandb'], '[0-9a-f]{40}'],
  ['together-old-key', 'Together AI key', ['together'], '[0-9a-f]{64}'],
  [
    'exa-key',
    'Exa API key',
    ['exa_', 'exa-'],
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ],
  ['serper-key', 'Search API key', ['serper', 'serpapi'], '[0-9a-f]{40,64}'],
];
