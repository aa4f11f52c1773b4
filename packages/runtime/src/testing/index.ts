export * from './fake-client.ts';
export * from './fake-clock.ts';
export * from './seeded-random.ts';
