export * from './logger.ts';
export * from './metrics/instruments.ts';
export * from './world.ts';
