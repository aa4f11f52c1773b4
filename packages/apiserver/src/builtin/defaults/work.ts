import { mapPart, metaOf, part, parts, text, withDefaults } from '../read.ts';
import { constants, type SetDefaults } from './set-defaults.ts';

const maxInt32 = 2 ** 31 - 1;

const job: SetDefaults = (object) => {
  const filled = mapPart(object, 'spec', jobSpec);
  const labels = part(metaOf(part(part(filled, 'spec'), 'template') ?? {}), 'labels');
  const meta = metaOf(filled);
  if (labels === undefined || Object.keys(part(meta, 'labels') ?? {}).length > 0) return filled;
  return { ...filled, metadata: { ...meta, labels } };
};

const jobSpec: SetDefaults = (spec) =>
  withDefaults(spec, {
    ...(spec['completions'] === undefined && spec['parallelism'] === undefined ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : maxInt32,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });

const networkPolicy: SetDefaults = (object) =>
  mapPart(object, 'spec', (spec) =>
    withDefaults(spec, { policyTypes: parts(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] }),
  );

/** Defaults of jobs, networks and the like, by Go type. */
export const workDefaults: Readonly<Record<string, SetDefaults>> = {
  'batch.Job': job,
  'batch.PodFailurePolicyOnPodConditionsPattern': (pattern) =>
    text(pattern, 'status') === '' ? { ...pattern, status: 'True' } : pattern,
  'discovery.EndpointPort': constants({ name: '', protocol: 'TCP' }),
  'networking.IngressClassParametersReference': constants({ scope: 'Cluster' }),
  'networking.NetworkPolicy': networkPolicy,
  'networking.NetworkPolicyPort': constants({ protocol: 'TCP' }),
};
