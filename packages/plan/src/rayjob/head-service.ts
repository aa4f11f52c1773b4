import { Label, NodeType, OriginCrd, podNames, type Service, SharedEventReason, serviceNames } from '@manta/api';
import { buildHeadService } from '../build/head-service.ts';
import { controllerReference } from '../build/owner.ts';
import { isOwn, patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import type { ServiceRecord } from '../raycluster/observed.ts';
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';

/**
 * Creates or updates the Service through which users reach the head of the job's current cluster. It outlives attempts. The job does not
 * need the Service, so a failure does not block the job.
 */
export function planHeadService(state: JobState): readonly Action[] {
  const { cluster, headService, selectsExistingCluster, status } = state;
  if (selectsExistingCluster || cluster?.spec === undefined) return [];
  if (headService?.selectsCluster === status.rayClusterName) return [];
  if (headService !== undefined && !isOwn(state.uid, headService)) return [foreignServiceWarning(state, headService)];
  const wanted = buildJobHeadService(state);
  const name = wanted.metadata?.name ?? '';
  const service = fullName(state, name);
  if (headService === undefined) {
    const done = normal(SharedEventReason.CreatedService, 'Create', `Created the service ${service}`);
    const failed = warning(
      SharedEventReason.FailedToCreateService,
      'Create',
      `Failed to create the service ${service}`,
    );
    return [
      {
        type: 'create',
        kind: 'Service',
        objects: [wanted],
        whenExists: 'fine-if-ours',
        done,
        failed,
        isOptional: true,
      },
    ];
  }
  // The ClusterIP of a Service is immutable. Former selector keys are removed, or the Service would select no pods.
  const { clusterIP: _kept, selector, ...rest } = wanted.spec ?? {};
  const spec = { ...rest, selector: { ...removedSelectorKeys(headService), ...selector } };
  const done = normal(SharedEventReason.UpdatedService, 'Update', `Updated the service ${service}`);
  const failed = warning(SharedEventReason.FailedToUpdateService, 'Update', `Failed to update the service ${service}`);
  return patchOwn(state.uid, 'Service', headService, { spec }, { done, failed, isOptional: true });
}

/** Another object or a user owns a Service with that name. Its clients rely on it, so it stays unchanged. */
function foreignServiceWarning(state: JobState, { name }: ServiceRecord): Action {
  const what = `Failed to update the service ${fullName(state, name)}`;
  const why = 'it is not controlled by this RayJob and is left alone; delete or rename it, or rename the RayJob';
  return { type: 'event', event: warning(SharedEventReason.FailedToUpdateService, 'Update', `${what}, ${why}`) };
}

/** A merge patch that removes every key of a Service's selector. */
function removedSelectorKeys({ service, selectorKeys }: ServiceRecord): Readonly<Record<string, null>> {
  const keys = selectorKeys ?? Object.keys(service?.spec?.selector ?? {});
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The cluster's head Service with the job's name. */
export function buildJobHeadService({ job, name, namespace, cluster, context }: JobState): Service {
  const clusterSpec = cluster?.spec ?? { headGroupSpec: { template: {} } };
  const { apiVersion, kind, spec } = buildHeadService(cluster ?? {}, clusterSpec, context);
  const { annotations } = clusterSpec.headGroupSpec.headService?.metadata ?? {};
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name: serviceNames.head(name),
      namespace,
      labels: {
        [Label.OriginatedFromCrName]: name,
        [Label.OriginatedFromCrd]: OriginCrd.RayJob,
        [Label.NodeType]: NodeType.Head,
        [Label.Identifier]: podNames.identifier(name, NodeType.Head),
      },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference('RayJob', job)],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}
