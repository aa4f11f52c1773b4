import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';
import { kueueSuite } from '../integration/kueue-suite.ts';
import { permissionsSuite } from '../integration/permissions-suite.ts';
import { rayClusterSuite } from '../integration/raycluster-suite.ts';
import { rayJobSuite } from '../integration/rayjob-suite.ts';
import { openStage, type Stage } from '../integration/stage.ts';

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

rayClusterSuite(() => stage);
rayJobSuite(() => stage);
kueueSuite(() => stage);
permissionsSuite(() => stage);

it('the engine met no fault of its own on the way', () => expect(engine.internalErrors).toEqual([]));
