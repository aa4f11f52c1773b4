import { afterAll, beforeAll } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type OpenTarget, openTarget } from './support/http-target.ts';
import { realAccess } from './support/real-access.ts';
import { runSuite } from './support/suite.ts';

let plane: ControlPlane;
let open: OpenTarget;

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true });
  open = openTarget(realAccess(plane));
});

afterAll(async () => {
  open.close();
  await plane.stop();
});

runSuite(() => open.target);
