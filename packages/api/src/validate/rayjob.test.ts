import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultFeatureGates } from '../feature-gates.ts';
import type { DeletionRule, RayJob, RayJobSpec } from '../rayjob.ts';
import { podTemplate, rayClusterSpec, rayJob, withAnnotations, withSpec, workerGroup } from '../testing/fixtures.ts';
import { validateRayJobMetadata, validateRayJobSpec, validateRayJobStatus } from './rayjob.ts';

const INVALID = 'The RayJob spec is invalid:';
const gates = defaultFeatureGates();
const parseYaml = (text: string): unknown => parse(text, { mapAsMap: true });

function validate(fields: Partial<RayJobSpec>, ...changes: ((job: RayJob) => RayJob)[]) {
  const { spec, metadata } = rayJob('demo', withSpec<RayJob>(fields), ...changes);
  return validateRayJobSpec(spec, metadata?.annotations, gates, parseYaml);
}

const selector = { clusterSelector: { 'ray.io/cluster': 'mine' } };
const autoscaling = rayClusterSpec({ enableInTreeAutoscaling: true });
const restartingHead = rayClusterSpec({
  headGroupSpec: { template: { spec: { containers: [{ name: 'ray' }], restartPolicy: 'OnFailure' } } },
});
const legacy = (success: string, failure: string): Partial<RayJobSpec> => ({
  deletionStrategy: {
    onSuccess: { policy: success as 'DeleteSelf' },
    onFailure: { policy: failure as 'DeleteSelf' },
  },
});
const rules = (...deletionRules: DeletionRule[]): Partial<RayJobSpec> => ({ deletionStrategy: { deletionRules } });
const selfOnSuccess: DeletionRule = { policy: 'DeleteSelf', condition: { jobStatus: 'SUCCEEDED' } };

const REFUSALS: Readonly<Record<string, readonly [Partial<RayJobSpec>, field: string, message: string]>> = {
  'suspending a job that keeps its cluster': [
    { suspend: true },
    'spec.suspend',
    `${INVALID} a RayJob with shutdownAfterJobFinishes set to false is not allowed to be suspended`,
  ],
  'a negative time to live': [
    { ttlSecondsAfterFinished: -1 },
    'spec.ttlSecondsAfterFinished',
    `${INVALID} TTLSecondsAfterFinished must be a non-negative integer`,
  ],
  'a time to live without shutdown': [
    { ttlSecondsAfterFinished: 1 },
    'spec.ttlSecondsAfterFinished',
    `${INVALID} a RayJob with shutdownAfterJobFinishes set to false cannot have TTLSecondsAfterFinished`,
  ],
  'rules beside shutdown': [
    { shutdownAfterJobFinishes: true, ...rules(selfOnSuccess) },
    'spec.deletionStrategy',
    `${INVALID} spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules are mutually exclusive`,
  ],
  'rules beside legacy policies': [
    { deletionStrategy: { ...rules(selfOnSuccess).deletionStrategy, onSuccess: {} } },
    'spec.deletionStrategy',
    `${INVALID} Cannot use both legacy onSuccess/onFailure fields and deletionRules simultaneously`,
  ],
  'an empty strategy': [
    { deletionStrategy: { deletionRules: [] } },
    'spec.deletionStrategy',
    `${INVALID} DeletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)`,
  ],
  'half of the legacy policies': [
    { deletionStrategy: { onSuccess: { policy: 'DeleteSelf' } } },
    'spec.deletionStrategy',
    'both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when using the legacy deletion policy fields of DeletionStrategy',
  ],
  'a legacy policy that says nothing': [
    { deletionStrategy: { onSuccess: { policy: 'DeleteSelf' }, onFailure: {} } },
    'spec.deletionStrategy',
    'the DeletionPolicyType field of DeletionStrategy.OnFailure cannot be unset when DeletionStrategy is enabled',
  ],
  'deleting a cluster that the job was only lent': [
    { ...selector, ...legacy('DeleteSelf', 'DeleteCluster') },
    'spec.deletionStrategy',
    "the ClusterSelector mode doesn't support DeletionStrategy=DeleteCluster on failure",
  ],
  'taking workers from the autoscaler': [
    { rayClusterSpec: autoscaling, ...legacy('DeleteWorkers', 'DeleteSelf') },
    'spec.deletionStrategy',
    'DeletionStrategy=DeleteWorkers currently does not support RayCluster with autoscaling enabled',
  ],
  'shutdown beside a policy to keep everything': [
    { shutdownAfterJobFinishes: true, ...legacy('DeleteNone', 'DeleteSelf') },
    'spec.deletionStrategy',
    `${INVALID} shutdownAfterJobFinshes is set to 'true' while deletion policy is 'DeleteNone'`,
  ],
  'several bad rules, all told': [
    rules(
      { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed' } },
      { policy: 'DeleteSelf', condition: {} },
      { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: -1 } },
      { policy: 'DeleteCluster', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 9 } },
      { policy: 'DeleteSelf', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 8 } },
      { policy: 'DeleteWorkers', condition: { jobStatus: 'FAILED', ttlSeconds: 3 } },
      { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 2 } },
    ),
    'spec.deletionStrategy',
    [
      'deletionRules[0]: cannot set both JobStatus and JobDeploymentStatus at the same time',
      'deletionRules[1]: exactly one of JobStatus and JobDeploymentStatus must be set',
      'deletionRules[2]: TTLSeconds must be non-negative',
      "for JobStatus 'FAILED': DeleteSelf TTL (2) must be >= DeleteWorkers TTL (3)",
      "for JobStatus 'SUCCEEDED': DeleteSelf TTL (8) must be >= DeleteCluster TTL (9)",
    ].join('\n'),
  ],
  'suspending on a cluster that is only selected': [
    { ...selector, suspend: true, shutdownAfterJobFinishes: true },
    'spec.suspend',
    `${INVALID} the ClusterSelector mode doesn't support the suspend operation`,
  ],
  'a selector that names no cluster': [
    { clusterSelector: { app: 'x' } },
    'spec.clusterSelector',
    'cluster name in ClusterSelector should not be empty',
  ],
  'a sidecar in a cluster that is only selected': [
    { ...selector, submissionMode: 'SidecarMode' },
    'spec.clusterSelector',
    'ClusterSelector is not supported in SidecarMode',
  ],
  'retries on a cluster that is only selected': [
    { ...selector, backoffLimit: 1 },
    'spec.backoffLimit',
    `${INVALID} BackoffLimit is incompatible with ClusterSelector mode`,
  ],
  'retries in interactive mode': [
    { submissionMode: 'InteractiveMode', backoffLimit: 1 },
    'spec.backoffLimit',
    `${INVALID} BackoffLimit is incompatible with InteractiveMode`,
  ],
  'a submitter template beside a sidecar': [
    { submissionMode: 'SidecarMode', submitterPodTemplate: podTemplate('x') },
    'spec.submitterPodTemplate',
    "Currently, SidecarMode doesn't support SubmitterPodTemplate",
  ],
  'submitter settings beside a sidecar': [
    { submissionMode: 'SidecarMode', submitterConfig: {} },
    'spec.submitterConfig',
    "Currently, SidecarMode doesn't support SubmitterConfig",
  ],
  'a sidecar in a head that restarts': [
    { submissionMode: 'SidecarMode', rayClusterSpec: restartingHead },
    'spec.rayClusterSpec.headGroupSpec.template.spec.restartPolicy',
    'restartPolicy for head Pod should be Never or unset when using SidecarMode',
  ],
  'Kubernetes tokens': [
    { rayClusterSpec: rayClusterSpec({ authOptions: { enableK8sTokenAuth: true } }) },
    'spec.rayClusterSpec.authOptions.enableK8sTokenAuth',
    `${INVALID} K8s token auth mode is currently not supported for RayJob`,
  ],
  'a bad cluster, told by its path in the job': [
    { rayClusterSpec: rayClusterSpec({ workerGroupSpecs: [workerGroup('a', { minReplicas: -1 })] }) },
    'spec.rayClusterSpec.workerGroupSpecs[0].minReplicas',
    `${INVALID} worker group a has negative minReplicas -1`,
  ],
  'a runtime environment that is a word': [
    { runtimeEnvYAML: 'word' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type types.RuntimeEnvType',
  ],
  'a runtime environment with a key that JSON cannot have': [
    { runtimeEnvYAML: 'a: [{null: b}]' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: unsupported map key: null',
  ],
  'a runtime environment with a key that is a mapping': [
    { runtimeEnvYAML: '{a: b}: c' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: yaml: invalid map key: a list or mapping',
  ],
  'a runtime environment with a key that is a list': [
    { runtimeEnvYAML: '[a, 1]: c' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: yaml: invalid map key: a list or mapping',
  ],
  'a runtime environment with a number that is none': [
    { runtimeEnvYAML: 'a: .nan' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: json: unsupported value: NaN',
  ],
  'a runtime environment with a number without end': [
    { runtimeEnvYAML: 'a: [.inf]' },
    'spec.runtimeEnvYAML',
    'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: json: unsupported value: +Inf',
  ],
  'a deadline of 0': [
    { activeDeadlineSeconds: 0 },
    'spec.activeDeadlineSeconds',
    `${INVALID} activeDeadlineSeconds must be a positive integer`,
  ],
  'a deadline of 0 before running': [
    { preRunningDeadlineSeconds: 0 },
    'spec.preRunningDeadlineSeconds',
    `${INVALID} preRunningDeadlineSeconds must be a positive integer`,
  ],
  'a negative number of retries': [
    { backoffLimit: -1 },
    'spec.backoffLimit',
    `${INVALID} backoffLimit must be a positive integer`,
  ],
};

const ACCEPTED: Readonly<Record<string, Partial<RayJobSpec>>> = {
  'a job with a cluster of its own': {},
  'both a cluster and a selector': selector,
  'interactive mode without retries': { submissionMode: 'InteractiveMode', backoffLimit: 0 },
  'an empty selector beside a cluster': { clusterSelector: {} },
  'an empty runtime environment': { runtimeEnvYAML: '' },
  'a runtime environment of comments': { runtimeEnvYAML: '# nothing\n' },
  'a runtime environment with numbers as keys': { runtimeEnvYAML: 'env_vars: {1: a, true: b}' },
  'rules in the order of deletion': rules(
    { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 5 } },
    { policy: 'DeleteWorkers', condition: { jobStatus: 'FAILED', ttlSeconds: 5 } },
    { policy: 'DeleteNone', condition: { jobStatus: 'FAILED', ttlSeconds: 0 } },
    { policy: 'DeleteWorkers', condition: { jobDeploymentStatus: 'Failed', ttlSeconds: 9 } },
  ),
};

describe('validateRayJobSpec()', () => {
  it.each(Object.entries(REFUSALS))('refuses %s', (_title, [fields, field, message]) => {
    expect(validate(fields)).toEqual({ field, message });
  });

  it.each(Object.entries(ACCEPTED))('accepts %s', (_title, fields) => {
    expect(validate(fields)).toBeUndefined();
  });

  it('needs a cluster or a selector that is not empty', () => {
    expect(validateRayJobSpec({ clusterSelector: {} }, {}, gates, parseYaml)).toEqual({
      field: 'spec.rayClusterSpec',
      message: `${INVALID} one of RayClusterSpec or ClusterSelector must be set`,
    });
  });

  it('holds the job’s annotations against the cluster’s spec', () => {
    const spec = { rayClusterSpec: rayClusterSpec({ gcsFaultToleranceOptions: {} }) };
    expect(validate(spec)).toBeUndefined();
    expect(validate(spec, withAnnotations({ 'ray.io/ft-enabled': 'false' }))?.field).toBe(
      'metadata.annotations[ray.io/ft-enabled]',
    );
  });

  it('names the gate that a deletion strategy needs', () => {
    const off = { ...gates, RayJobDeletionPolicy: false };
    const { spec } = rayJob('demo', withSpec<RayJob>(rules(selfOnSuccess)));
    expect(validateRayJobSpec(spec, {}, off, parseYaml)?.message).toBe(
      'RayJobDeletionPolicy feature gate must be enabled to use DeletionStrategy',
    );
  });

  it('passes on what the YAML parser says', () => {
    const broken = validateRayJobSpec(rayJob('x', withSpec<RayJob>({ runtimeEnvYAML: '{' })).spec, {}, gates, () => {
      throw new Error('yaml: line 1: no end');
    });
    expect(broken?.message).toBe(
      'failed to unmarshal RuntimeEnvYAML: error converting YAML to JSON: not valid YAML at line 1',
    );
  });
});

describe('the rest of a RayJob', () => {
  it('accepts a name of 47 letters and refuses one of 48', () => {
    expect(validateRayJobMetadata({ name: 'a'.repeat(47) })).toBeUndefined();
    expect(validateRayJobMetadata({ name: 'a'.repeat(48) })?.message).toBe(
      'The RayJob metadata is invalid: RayJob name should be no more than 47 characters',
    );
  });

  it('lets only interactive jobs wait', () => {
    const waiting = { status: { jobDeploymentStatus: 'Waiting' as const } };
    expect(validateRayJobStatus({ ...waiting, spec: { submissionMode: 'InteractiveMode' } })).toBeUndefined();
    expect(validateRayJobStatus({ ...waiting, spec: { submissionMode: 'HTTPMode' } })?.message).toBe(
      'The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` when SubmissionMode is not InteractiveMode',
    );
  });
});
