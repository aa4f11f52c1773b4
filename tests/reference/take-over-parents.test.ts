import { afterAll, beforeAll } from 'vitest';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';
import { openStage, type Stage } from '../integration/stage.ts';
import { takeOverParentsSuite } from '../integration/take-over-parents-suite.ts';

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

takeOverParentsSuite(() => stage);
