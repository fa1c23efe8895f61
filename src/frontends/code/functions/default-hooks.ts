/**
 * The Harn surface as plain functions, over one registry for the whole program. A program that holds several sessions
 * apart uses `createHooks` instead.
 */
import { createHooks } from './register.ts';

export const defaultHooks = createHooks();

export const registerToolHook: typeof defaultHooks.registerToolHook = (config) =>
  defaultHooks.registerToolHook(config);
export const registerPersonaHook: typeof defaultHooks.registerPersonaHook = (...args) =>
  defaultHooks.registerPersonaHook(...args);
export const registerStepHook: typeof defaultHooks.registerStepHook = (...args) =>
  defaultHooks.registerStepHook(...args);
export const registerSessionHook = defaultHooks.registerSessionHook.bind(
  defaultHooks,
) as typeof defaultHooks.registerSessionHook;
export const registerReminderProvider: typeof defaultHooks.registerReminderProvider = (provider) =>
  defaultHooks.registerReminderProvider(provider);

export const clearToolHooks = (): void => defaultHooks.clearToolHooks();
export const clearPersonaHooks = (): void => defaultHooks.clearPersonaHooks();
export const clearSessionHooks = (): void => defaultHooks.clearSessionHooks();
export const clearReminderProviders = (): void => defaultHooks.clearReminderProviders();
