/** Ways of writing hooks: markdown, settings, profile, manifest, patterns, code; loading one folder. */
export { brokenHook } from './broken-hook.ts';
export { CAPABILITY_KINDS, type Capability, type CapabilityKind, capabilitiesDigest } from './capability.ts';
export { changedFile } from './capability-files.ts';
export {
  clearPersonaHooks,
  clearReminderProviders,
  clearSessionHooks,
  clearToolHooks,
  defaultHooks,
  registerPersonaHook,
  registerReminderProvider,
  registerSessionHook,
  registerStepHook,
  registerToolHook,
} from './code/functions/default-hooks.ts';
export {
  harnEvent,
  type PersonaEventName,
  type PersonaEventOf,
  type PersonaEvents,
  type PostToolUseEvent,
  type PreToolUseEvent,
  type SessionEventName,
  type SessionEventOf,
  type SessionEvents,
} from './code/functions/events.ts';
export type { ReminderProvider } from './code/functions/providers.ts';
export {
  createHooks,
  type Dispose,
  HarnHooks,
  type HarnOptions,
  type PersonaHandler,
  type SessionHandler,
  type ToolHookConfig,
} from './code/functions/register.ts';
export type {
  PersonaAnswer,
  PostToolAnswer,
  PreToolAnswer,
  SessionAnswer,
} from './code/functions/returns.ts';
export type { HookContext, HookContexts, HookEvent } from './code/registry/context.ts';
export { ReminderInjector, type ReminderInjectorOptions } from './code/registry/injector.ts';
export {
  type HookFn,
  HookRegistry,
  type HookRegistryOptions,
  type HookSpec,
} from './code/registry/registry.ts';
export {
  createDefaultRegistry,
  defineTemplate,
  type ReminderEvent,
  type ReminderEventOf,
  type ReminderEventType,
  ReminderRegistry,
  type ReminderTemplate,
} from './code/registry/reminder-templates.ts';
export type { HookResult } from './code/registry/result.ts';
export {
  addModelReminders,
  type HookRunResult,
  HookRuntime,
  type HookRuntimeOptions,
} from './code/registry/runtime.ts';
export { faultIn } from './data/read-data.ts';
export { addressFor, type RemoteTable, wordFor } from './data/remote-table.ts';
export { readTableText, type TableForm } from './data/table-text.ts';
export { libraryReader, libraryReaderWith } from './library/library-reader.ts';
export { buildHook } from './markdown/build-hook.ts';
export { BUNDLE_FOLDERS } from './markdown/bundle.ts';
export { draftsOf } from './markdown/draft.ts';
export { variablesIn } from './markdown/harness-capabilities.ts';
export { HARNESS_PATHS, type HarnessFile, positionOf, restrictsNetwork } from './markdown/harness-file.ts';
export { hookFromText, type MarkdownHook } from './markdown/hook-from-text.ts';
export { markdownFrontEnd } from './markdown/markdown-front-end.ts';
export { markdownReader, markdownReaderWith, readFolder, readHarnessFiles } from './markdown/read-project.ts';
export { TOOLS_FOLDER, toolCapabilities } from './markdown/tool-capabilities.ts';
export { readWrittenTools } from './markdown/written-tools.ts';
export { OPERATOR_VARIABLES, WEBHOOK_LIST, webhookAllowList } from './profile/operator.ts';
export { profileReaderWith } from './profile/profile-reader.ts';
export { byPlace, loadProject, PROJECT_READERS, type Project, unreadableProject } from './project.ts';
export {
  allTests,
  type HookTest,
  mergeSettings,
  NO_SETTINGS,
  type PermissionsInFile,
  POLICY_FOLDER,
  type ProjectReader,
  type ProjectSettings,
  policyPath,
  type RequiresInFile,
  type SandboxInFile,
  type UseInFile,
  type WrittenAsking,
  type WrittenEnvironment,
} from './project-reader.ts';
export { FOREIGN_EVENTS, SETTINGS_EVENTS } from './settings/events.ts';
export { FOREIGN_TYPES } from './settings/schema.ts';
