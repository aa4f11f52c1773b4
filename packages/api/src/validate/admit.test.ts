import { describe, expect, it } from 'vitest';
import { rayCluster, rayJob, rayService, withAnnotations, withWorkerGroup } from '../testing/fixtures.ts';
import { admitRayCluster, admitRayJob, admitRayService } from './admit.ts';

describe('admission', () => {
  it('lets good objects pass', () => {
    expect(admitRayCluster(rayCluster('demo', withWorkerGroup('a'), withWorkerGroup('b')))).toBeUndefined();
    expect(admitRayJob(rayJob('demo'))).toBeUndefined();
    expect(admitRayService(rayService('demo'))).toBeUndefined();
  });

  it('says of worker groups of one name where the second one is', () => {
    expect(admitRayCluster(rayCluster('demo', withWorkerGroup('a'), withWorkerGroup('a')))).toEqual({
      status: 'Failure',
      reason: 'Invalid',
      code: 422,
      message:
        'RayCluster.ray.io "demo" is invalid: spec.workerGroupSpecs[1]: Invalid value: "a": worker group names must be unique',
      details: {
        group: 'ray.io',
        kind: 'RayCluster',
        name: 'demo',
        causes: [
          {
            reason: 'FieldValueInvalid',
            field: 'spec.workerGroupSpecs[1]',
            message: 'Invalid value: "a": worker group names must be unique',
          },
        ],
      },
    });
  });

  it('tells several causes in one message', () => {
    const long = 'a'.repeat(54);
    const refusal = admitRayCluster(rayCluster(long, withWorkerGroup('a'), withWorkerGroup('a')));
    expect(refusal?.details.causes.map(({ field }) => field)).toEqual(['metadata.name', 'spec.workerGroupSpecs[1]']);
    expect(refusal?.message).toBe(
      `RayCluster.ray.io "${long}" is invalid: [metadata.name: Invalid value: "${long}": RayCluster name should be no more than 53 characters, spec.workerGroupSpecs[1]: Invalid value: "a": worker group names must be unique]`,
    );
  });

  it('tells everything about metadata of the name', () => {
    const name = 'a'.repeat(48);
    expect(admitRayJob(rayJob(name))?.message).toBe(
      `RayJob.ray.io "${name}" is invalid: metadata.name: Invalid value: "${name}": The RayJob metadata is invalid: RayJob name should be no more than 47 characters`,
    );
    const slow = rayService('demo', withAnnotations({ 'ray.io/initializing-timeout': '-5m' }));
    expect(admitRayService(slow)?.details.causes).toMatchObject([{ field: 'metadata.name' }]);
  });
});
