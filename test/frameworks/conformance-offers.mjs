// What a server of either era offers for the protocol's conformance suite.

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
export const text = (said) => ({ type: 'text', text: said });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, said, mimeType = 'text/plain') => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const TOOLS = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [
    embedded('test://embedded-resource', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: () => [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
  ],
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  json_schema_2020_12_tool: () => [text('ok')],
};

export const SCHEMAS = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

export const PROMPTS = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    embedded(resourceUri, 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};
export const PROMPT_ARGUMENTS = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

export function contentsOf(uri) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  if (id === undefined)
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

export const RESOURCES = ['static-text', 'static-binary', 'watched-resource'].map((name) => ({
  uri: `test://${name}`,
  name,
  description: `Resource ${name}.`,
}));

export const TEMPLATES = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template.' },
];

export const COMPLETION = { values: ['paris', 'park'], total: 2, hasMore: false };

export const listed = (tools, schemas) =>
  Object.keys(tools).map((name) => ({
    name,
    description: `Tool ${name}.`,
    inputSchema: { type: 'object', ...schemas[name] },
  }));

export const listedPrompts = (prompts) =>
  Object.keys(prompts).map((name) => ({
    name,
    description: `Prompt ${name}.`,
    arguments: (PROMPT_ARGUMENTS[name] ?? []).map((one) => ({ name: one, required: true })),
  }));
