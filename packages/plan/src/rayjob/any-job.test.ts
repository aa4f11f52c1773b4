import type { RayJobSpec, RayJobStatus } from '@manta/api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ago,
  cluster,
  DOES_NOT_KNOW,
  done,
  gaveUp,
  IS_SILENT,
  initializing,
  observedJob,
  running,
  says,
  planJob,
  needsOfJob,
} from './testing/observed-job.ts';

const anyText = fc.oneof(
  fc.constantFrom(
    '',
    '$(exit 1); "',
    '__proto__',
    'ü'.repeat(300),
    '{"a": {"b": 1}}',
    '[1]',
    'null',
    'a: [b',
    '%n',
    '\n',
  ),
  fc.string(),
);
const anyNumber = fc.constantFrom(0, 1, -1, 5, 2 ** 31 - 1, -(2 ** 31));
const anyPolicy = fc.constantFrom('DeleteCluster', 'DeleteWorkers', 'DeleteSelf', 'DeleteNone');

/** Whatever the CRD lets pass. */
const anySpec = fc.record(
  {
    entrypoint: anyText,
    submissionMode: fc.oneof(fc.constantFrom('K8sJobMode', 'HTTPMode', 'SidecarMode', 'InteractiveMode'), anyText),
    jobId: anyText,
    runtimeEnvYAML: anyText,
    entrypointResources: anyText,
    metadata: fc.dictionary(anyText, anyText),
    clusterSelector: fc.dictionary(fc.constantFrom('ray.io/cluster', 'other'), anyText),
    entrypointNumCpus: fc.constantFrom(0, -1, 0.5, 1e9),
    backoffLimit: anyNumber,
    activeDeadlineSeconds: anyNumber,
    preRunningDeadlineSeconds: anyNumber,
    ttlSecondsAfterFinished: anyNumber,
    shutdownAfterJobFinishes: fc.boolean(),
    suspend: fc.boolean(),
    managedBy: fc.constantFrom('ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue'),
    submitterPodTemplate: fc.constantFrom({}, { spec: { containers: [] } }),
    submitterConfig: fc.constantFrom({}, { backoffLimit: -3 }),
    deletionStrategy: fc.oneof(
      fc.record({ onSuccess: fc.record({ policy: anyPolicy }), onFailure: fc.record({ policy: anyPolicy }) }),
      fc.record({
        deletionRules: fc.array(
          fc.record({
            policy: anyPolicy,
            condition: fc.record({ jobStatus: fc.constantFrom('SUCCEEDED', 'FAILED'), ttlSeconds: anyNumber }),
          }),
        ),
      }),
    ),
  },
  { requiredKeys: [] },
);

const anyStatus = fc.record(
  {
    jobDeploymentStatus: fc.oneof(
      fc.constantFrom(
        'Initializing',
        'Waiting',
        'Running',
        'Suspending',
        'Suspended',
        'Retrying',
        'Complete',
        'Failed',
      ),
      fc.constantFrom('ValidationFailed', 'Dreaming', 'constructor'),
    ),
    jobStatus: fc.oneof(fc.constantFrom('RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED'), anyText),
    jobId: anyText,
    rayClusterName: anyText,
    dashboardURL: anyText,
    message: anyText,
    reason: anyText,
    failed: anyNumber,
    succeeded: anyNumber,
    startTime: fc.constantFrom(ago(0), ago(1e6), ago(-1e6)),
    endTime: fc.constantFrom(ago(0), ago(1e6), ago(-1e6)),
    jobStatusCheckFailureStartTime: fc.constantFrom(ago(0), ago(1e6), ago(-1e6)),
    rayJobInfo: fc.constantFrom({}, { endTime: ago(1e6) }),
    rayClusterStatus: fc.constantFrom({}, { state: 'ready' }, { head: { podName: 'x' } }),
    attempts: fc.constantFrom([], [{ number: 7, rayClusterName: '', submissionId: '', startTime: ago(1) }]),
  },
  { requiredKeys: [] },
);

const anyWorld = fc.record({
  make: fc.constantFrom(observedJob, initializing, running),
  cluster: fc.constantFrom(
    undefined,
    cluster(),
    cluster('ready'),
    {},
    { metadata: {}, spec: { headGroupSpec: { template: {} } } },
  ),
  submitter: fc.constantFrom(undefined, done(), gaveUp()),
  answer: fc.constantFrom(DOES_NOT_KNOW, IS_SILENT, says('RUNNING'), says(''), says('SUCCEEDED')),
});

it('whatever a user, an older version or a hand writes into a job, a decision is made about it', () => {
  fc.assert(
    fc.property(anySpec, anyStatus, anyWorld, (spec, status, { make, ...world }) => {
      const observed = make({ ...world, spec: spec as RayJobSpec, status: status as RayJobStatus });
      const { requeueAfterMs = 1 } = planJob({ ...observed, parseYaml: JSON.parse });
      expect(requeueAfterMs).toBeGreaterThan(0);
      expect(Number.isFinite(requeueAfterMs)).toBe(true);
      expect(() => needsOfJob(observed)).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});
