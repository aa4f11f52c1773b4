import { afterAll, beforeAll, expect } from 'vitest';
import { type ConformanceEngine, startConformanceEngine } from './support/engine-access.ts';
import { type OpenTarget, openTarget } from './support/http-target.ts';
import { runSuite } from './support/suite.ts';

let engine: ConformanceEngine;
let open: OpenTarget;

beforeAll(async () => {
  engine = await startConformanceEngine();
  open = openTarget(engine.access);
});

afterAll(async () => {
  open.close();
  await engine.stop();
  expect(engine.internalErrors).toEqual([]);
});

runSuite('engine', () => open.target);
