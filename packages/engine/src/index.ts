export * from './json.ts';
export * from './resource-info.ts';
export * from './schema.ts';
export * from './status-error.ts';
export * from './store/contract.ts';
export * from './stored-object.ts';
export * from './world.ts';
export { type Journal, JournalError, openJournal } from './store/journal.ts';
export { createStore, type StoreOptions } from './store/store.ts';
