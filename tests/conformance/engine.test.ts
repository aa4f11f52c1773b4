import { afterAll, beforeAll, expect, it } from 'vitest';
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
});

runSuite(() => open.target);

it('the engine met no fault of its own on the way', () => expect(engine.internalErrors).toEqual([]));
