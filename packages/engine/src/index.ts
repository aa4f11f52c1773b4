export * from './json.ts';
export * from './resource-info.ts';
export * from './schema.ts';
export * from './status-error.ts';
export * from './store-contract.ts';
export * from './stored-object.ts';
export * from './world.ts';
