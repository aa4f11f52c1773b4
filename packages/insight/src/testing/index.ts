export * from './recorded-world.ts';
