export * from '../certificates/authority.ts';
export * from './fake-host.ts';
export * from './fault-server.ts';
export * from './fault-steps.ts';
export * from './faulty-wire.ts';
export * from './manual-clock.ts';
export * from './faulty-api.ts';
