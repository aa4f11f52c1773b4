export { DataDirectoryError } from './data-directory.ts';
export { type EngineRecord, readEngineRecord, removeEngineRecord, writeEngineRecord } from './engine-record.ts';
export { reasonOf } from './file-error.ts';
export {
  type Engine,
  type EngineOptions,
  ListenError,
  type PodsContext,
  type RunningPods,
  startEngine,
} from './start-engine.ts';
export { writeWhole } from './write-whole.ts';
