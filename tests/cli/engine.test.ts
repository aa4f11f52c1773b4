import { afterAll, beforeAll } from 'vitest';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';
import { cliSuite } from './suite.ts';

let engine: ConformanceEngine;

beforeAll(async () => {
  engine = await startConformanceEngine();
});

afterAll(() => engine.stop());

cliSuite(() => engine.access);
