/**
 * The engine that `manta up` runs: `startEngine` composes the API server, the controllers and a kubelet on one data directory, with
 * its certificates. The engine record tells other processes which engine serves a data directory.
 */

export { prepareDataDirectory } from './data-directory.ts';
export { type EngineRecord, readEngineRecord, removeEngineRecord, writeEngineRecord } from './engine-record.ts';
export { reasonOf } from './file-error.ts';
export { nodeLoad, type NodeLoadSummary, type Room } from './node-load.ts';
export { startEngine, type Engine, type EngineOptions } from './start-engine.ts';
export { writeWhole } from './write-whole.ts';
