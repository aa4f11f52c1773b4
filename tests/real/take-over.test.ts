import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { realAccess } from '../conformance/support/real-access.ts';
import { openStage, type Stage } from '../integration/stage.ts';
import { takeOverSuite } from '../integration/take-over-suite.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { oracleFolder } from './recorded-scenarios.ts';

const isPresent = existsSync(oracleFolder);
const leftOut = isPresent ? '' : `; left out, since there are no recordings at ${oracleFolder}`;

describe.runIf(isPresent)(`on the real API server${leftOut}`, () => {
  /** Its own plane: every cluster on it is the peer's. */
  let plane: ControlPlane;
  let stage: Stage;

  beforeAll(async () => {
    plane = await startControlPlane({ controllerManager: true });
    stage = await openStage(realAccess(plane));
  });
  afterAll(async () => {
    await stage.close();
    await plane.stop();
  });

  takeOverSuite(() => stage);
});
