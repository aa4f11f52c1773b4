import { afterAll, beforeAll } from 'vitest';
import { cliSuite } from '../cli/suite.ts';
import { realAccess } from '../conformance/support/real-access.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true });
});

afterAll(() => plane.stop());

cliSuite(() => realAccess(plane));
