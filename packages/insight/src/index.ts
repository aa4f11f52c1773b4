export * from './lookup.ts';
export * from './world.ts';
