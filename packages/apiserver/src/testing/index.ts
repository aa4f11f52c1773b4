/**
 * An API server for tests (`startTestEngine`) and fault injection: a switchboard decides which requests are lost, delayed or refused,
 * between a client and the server (`withFaults`) or inside the server.
 */

export { WRITES } from './faults/call.ts';
export type { Fault } from './faults/fault.ts';
export { withFaults } from './faults/faulty-client.ts';
export { createReplica, type Replica } from './faults/replica.ts';
export { createSwitchboard, type Switchboard } from './faults/switchboard.ts';
export type { Wire } from './faults/wire.ts';
export { startTestEngine, type TestEngine, type TestEngineOptions } from './start-test-engine.ts';
