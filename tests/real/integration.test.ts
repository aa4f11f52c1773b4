import { afterAll, beforeAll, expect, it } from 'vitest';
import { realAccess } from '../conformance/support/real-access.ts';
import { kueueSuite } from '../integration/kueue-suite.ts';
import { permissionsSuite } from '../integration/permissions-suite.ts';
import { rayClusterSuite } from '../integration/raycluster-suite.ts';
import { proxiedDashboardSuite, rayJobSuite } from '../integration/rayjob-suite.ts';
import { rayServiceSuite } from '../integration/rayservice-suite.ts';
import { openStage, type Stage } from '../integration/stage.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { auditedPermissions, readsAfterConflicts, usedPermissions } from '../support/permission-uses.ts';

/** Its own plane: the garbage collector has to run. */
let plane: ControlPlane;
let stage: Stage;

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true, audit: true });
  stage = await openStage(realAccess(plane));
});
afterAll(async () => {
  await stage.close();
  await plane.stop();
});

rayClusterSuite(() => stage);
rayJobSuite(() => stage);
rayServiceSuite(() => stage);
proxiedDashboardSuite(() => stage);
kueueSuite(() => stage);
permissionsSuite(() => stage);

it('none of these operators has asked for anything that the code was not read to use', async () => {
  const requests = await plane.audit.requests();
  const shown = [...auditedPermissions(requests.filter(({ user }) => user.startsWith('operator-')))];
  expect(shown.length).toBeGreaterThan(20);
  const used = new Set([...usedPermissions(), ...readsAfterConflicts()]);
  expect(shown.filter((each) => !used.has(each))).toEqual([]);
});
