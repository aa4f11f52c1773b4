import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzz } from '../fuzz/fuzz.ts';
import { type FuzzServer, openEngine, openReal } from '../fuzz/server.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

let real: FuzzServer;
let engine: FuzzServer;
beforeAll(async () => {
  [real, engine] = await Promise.all([openReal(sharedControlPlane()), openEngine()]);
});
afterAll(async () => {
  await Promise.all([real.close(), engine.close()]);
});

test('a thousand random operations come out on the embedded server as on the real one', {
  timeout: 300_000,
}, async () => {
  const { operations, difference } = await fuzz(real, engine, { seed: 20_260_101, sequences: 20, length: 50 });
  expect(difference).toBeUndefined();
  expect(operations).toBe(1000);
  expect(engine.internalErrors).toEqual([]);
});
