import { afterAll, beforeAll } from 'vitest';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';
import { openStage, type Stage } from './stage.ts';

/** The embedded server for the tests of a file. */
export interface EngineStage {
  readonly open: () => Stage;
  /** Faults of the server itself, which no request may cause. */
  readonly internalErrors: () => ConformanceEngine['internalErrors'];
}

/** Starts the embedded server before the tests of the calling file, and ends it after them. */
export function engineStage(): EngineStage {
  let engine: ConformanceEngine;
  let stage: Stage;
  beforeAll(async () => {
    engine = await startConformanceEngine();
    stage = await openStage(engine.access);
  });
  afterAll(async () => {
    await stage.close();
    await engine.stop();
  });
  return { open: () => stage, internalErrors: () => engine.internalErrors };
}
