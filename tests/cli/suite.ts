import { afterAll, beforeAll } from 'vitest';
import type { ServerAccess } from '../conformance/support/http-target.ts';
import { changeCases } from './cases/change.ts';
import { doctorCases } from './cases/doctor.ts';
import { getCases } from './cases/get.ts';
import { insightCases } from './cases/insight.ts';
import { jobCases } from './cases/jobs.ts';
import { objectCases } from './cases/objects.ts';
import { offlineCases } from './cases/offline.ts';
import { planCases } from './cases/plan.ts';
import { podCases } from './cases/pods.ts';
import { rolloutCases } from './cases/rollout.ts';
import { runCases } from './cases/run.ts';
import { stoppingCases } from './cases/stopping.ts';
import { viewerCases } from './cases/viewer.ts';
import { CliStage } from './cli-stage.ts';

/** Every command of the kubectl plugin against any API server. */
export function cliSuite(access: () => ServerAccess): void {
  let stage: CliStage;
  beforeAll(async () => {
    stage = await CliStage.open(access());
  });
  afterAll(() => stage.close());
  getCases(() => stage);
  changeCases(() => stage);
  objectCases(() => stage);
  insightCases(() => stage);
  jobCases(() => stage);
  offlineCases(() => stage);
  doctorCases(() => stage);
  planCases(() => stage);
  podCases(() => stage);
  rolloutCases(() => stage);
  runCases(() => stage);
  stoppingCases(() => stage);
  viewerCases(() => stage);
}
