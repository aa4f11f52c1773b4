export * from './api-error.ts';
export * from './client.ts';
export * from './clock.ts';
export * from './resource-type.ts';
export * from './transport.ts';
