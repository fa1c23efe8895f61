// @ts-check
// What the types of each framework know as a tool, or as a part of an agent that may bring tools. `kinds.test.mjs` compiles this file with
// the types of the real packages: a new kind is a missing key, and an old one that is gone is one too many.

/** @type {Record<import('@openai/agents').Tool['type'], true>} */
export const OPENAI_TOOLS = {
  function: true,
  computer: true,
  shell: true,
  apply_patch: true,
  hosted_tool: true,
};

/**
 * The parts of an agent that may bring something that runs; the others are named in the type.
 * @type {Record<Exclude<keyof import('@openai/agents').AgentConfiguration,
 *   'name' | 'instructions' | 'prompt' | 'handoffDescription' | 'handoffOutputTypeWarningEnabled' | 'model' | 'modelSettings' | 'mcpConfig' |
 *   'inputGuardrails' | 'outputGuardrails' | 'outputType' | 'toolUseBehavior' | 'resetToolChoice'>, true>}
 */
export const OPENAI_AGENT = { handoffs: true, tools: true, mcpServers: true };

/** @type {Record<NonNullable<import('ai').Tool['type']>, true>} */
export const AI_SDK_TOOLS = { function: true, dynamic: true, provider: true };

/**
 * @type {Record<Exclude<keyof import('ai').ToolLoopAgentSettings, keyof import('ai').LanguageModelCallOptions |
 *   '_internal' | 'activeTools' | 'allowSystemInMessages' | 'callOptionsSchema' | 'experimental_download' | 'experimental_onStart' |
 *   'experimental_onStepStart' | 'experimental_refineToolInput' | 'experimental_repairToolCall' | 'experimental_telemetry' |
 *   'experimental_toolApprovalSecret' | 'experimental_toolCallers' | 'headers' | 'id' | 'include' | 'instructions' | 'maxRetries' | 'onAbort' |
 *   'onEnd' | 'onError' | 'onFinish' | 'onLanguageModelCallEnd' | 'onLanguageModelCallStart' | 'onStart' | 'onStepEnd' | 'onStepError' |
 *   'onStepFinish' | 'onStepStart' | 'onToolExecutionEnd' | 'onToolExecutionStart' | 'output' | 'providerOptions' | 'repairToolCall' |
 *   'runtimeContext' | 'stopWhen' | 'telemetry' | 'timeout' | 'toolApproval' | 'toolCallConcurrency' | 'toolChoice' | 'toolOrder' |
 *   'toolsContext'>, true>}
 */
export const AI_SDK_AGENT = { model: true, tools: true, prepareCall: true, prepareStep: true };

/**
 * @type {Record<Exclude<keyof import('langchain').CreateAgentParams,
 *   'systemPrompt' | 'stateSchema' | 'contextSchema' | 'checkpointer' | 'store' | 'responseFormat' | 'name' | 'description' | 'includeAgentName' |
 *   'signal' | 'version' | 'streamTransformers' | 'model'>, true>}
 */
export const LANGCHAIN_AGENT = { tools: true, middleware: true };

/**
 * Channels and signals bring processors, and through them tools; `network` is refused.
 * @type {Record<Exclude<keyof import('@mastra/core/agent').AgentConfig,
 *   'backgroundTasks' | 'channels' | 'defaultGenerateOptionsLegacy' | 'defaultNetworkOptions' | 'defaultStreamOptionsLegacy' | 'description' |
 *   'durable' | 'editor' | 'errorProcessors' | 'goal' | 'hooks' | 'id' | 'instructions' | 'mastra' | 'maxProcessorRetries' | 'maxRetries' |
 *   'metadata' | 'model' | 'name' | 'notifications' | 'options' | 'outputProcessors' | 'pubsub' | 'rawConfig' | 'requestContextSchema' |
 *   'scorers' | 'signals' | 'skillsFormat' | 'transform'>, true>}
 */
export const MASTRA_AGENT = {
  agents: true,
  browser: true,
  defaultOptions: true,
  inputProcessors: true,
  memory: true,
  skills: true,
  tools: true,
  voice: true,
  workflows: true,
  workspace: true,
};

/**
 * @type {Record<Exclude<keyof import('@mastra/core/agent').AgentExecutionOptions,
 *   '_skipBgTaskWait' | 'abortSignal' | 'activeTools' | 'actor' | 'autoResumeSuspendedTools' | 'backgroundTaskPolicy' | 'closeOnSuspend' | 'context' |
 *   'delegation' | 'disableBackgroundTasks' | 'eagerToolExecution' | 'errorProcessors' | 'experimentalTransform' | 'hideSignals' | 'hooks' |
 *   'includeRawChunks' | 'instructions' | 'isTaskComplete' | 'maxProcessorRetries' | 'maxSteps' | 'mcp' | 'memory' | 'modelSettings' | 'onAbort' |
 *   'onChunk' | 'onError' | 'onFinish' | 'onIterationComplete' | 'onStepFinish' | 'outputProcessors' | 'providerOptions' | 'requestContext' |
 *   'requireToolApproval' | 'returnScorerData' | 'runId' | 'savePerStep' | 'scorers' | 'serverless' | 'stopWhen' | 'structuredOutput' | 'system' |
 *   'toolCallConcurrency' | 'toolChoice' | 'tracingOptions' | 'transform' | 'untilIdle' | 'versions' | 'tracingContext' | 'tracing' | 'metrics' |
 *   'loggerVNext'>, true>}
 */
export const MASTRA_RUN = { clientTools: true, inputProcessors: true, prepareStep: true, toolsets: true };

/**
 * Its tools are listed by a run; these bring others, or switch hooks off.
 * @type {Record<Exclude<keyof import('@anthropic-ai/claude-agent-sdk').Options,
 *   'abortController' | 'additionalDirectories' | 'agent' | 'agentProgressSummaries' | 'allowDangerouslySkipPermissions' | 'allowedTools' |
 *   'betas' | 'canUseTool' | 'continue' | 'cwd' | 'debug' | 'debugFile' | 'disallowedTools' | 'effort' | 'enableFileCheckpointing' | 'executable' |
 *   'fallbackModel' | 'forkSession' | 'forwardSubagentText' | 'hooks' | 'includeHookEvents' | 'includePartialMessages' | 'loadTimeoutMs' |
 *   'maxBudgetUsd' | 'maxThinkingTokens' | 'maxTurns' | 'mcpServersDelivery' | 'model' | 'onElicitation' | 'onUserDialog' |
 *   'outputFormat' | 'pathToClaudeCodeExecutable' | 'perTaskStopAffordance' | 'permissionMode' | 'permissionPromptToolName' | 'permissionPrompts' |
 *   'persistSession' | 'planModeInstructions' | 'pluginDelivery' | 'projectConfigRoot' | 'promptSuggestions' | 'resume' | 'resumeDropsTurn' |
 *   'resumeSessionAt' | 'sandbox' | 'sessionId' | 'sessionStore' | 'sessionStoreFlush' | 'settingSources' | 'spawnClaudeCodeProcess' |
 *   'stderr' | 'strictMcpConfig' | 'supportedDialogKinds' | 'systemPrompt' | 'taskBudget' | 'thinking' | 'title' | 'toolAliases' | 'toolConfig' |
 *   'verbatimPrompts'>, true>}
 */
export const CLAUDE_AGENT = {
  agents: true,
  mcpServers: true,
  plugins: true,
  skills: true,
  tools: true,
  env: true,
  executableArgs: true,
  extraArgs: true,
  managedSettings: true,
  settings: true,
};
