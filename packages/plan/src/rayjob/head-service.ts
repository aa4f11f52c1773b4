import { Label, NodeType, OriginCrd, podNames, type Service, SharedEventReason, serviceNames } from '@manta/api';
import { buildHeadService } from '../build/head-service.ts';
import { controllerReference } from '../build/owner.ts';
import { isOwn, patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import type { ServiceRecord } from '../raycluster/observed.ts';
import { fullName, type Subject } from './subject.ts';

/**
 * One name under which users reach the head of whichever cluster the job runs on; it outlives attempts. The job itself does not need it,
 * so a Service that is refused holds up nothing.
 */
export function planHeadService(subject: Subject): readonly Action[] {
  const { cluster, headService, isSelecting, status } = subject;
  if (isSelecting || cluster?.spec === undefined) return [];
  if (headService?.selectsCluster === status.rayClusterName) return [];
  if (headService !== undefined && !isOwn(subject.uid, headService)) return [isOfAnother(subject, headService)];
  const wanted = buildJobHeadService(subject);
  const name = wanted.metadata?.name ?? '';
  const told = fullName(subject, name);
  if (headService === undefined) {
    const done = normal(SharedEventReason.CreatedService, 'Create', `Created the service ${told}`);
    const failed = warning(SharedEventReason.FailedToCreateService, 'Create', `Failed to create the service ${told}`);
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
  // An address that was given to a Service stays with it; what it selected beside does not, or it would lead nowhere.
  const { clusterIP: _kept, selector, ...rest } = wanted.spec ?? {};
  const spec = { ...rest, selector: { ...notSelected(headService), ...selector } };
  const done = normal(SharedEventReason.UpdatedService, 'Update', `Updated the service ${told}`);
  const failed = warning(SharedEventReason.FailedToUpdateService, 'Update', `Failed to update the service ${told}`);
  return patchOwn(subject.uid, 'Service', headService, { spec }, { done, failed, isOptional: true });
}

/** Another object, or a user, has a Service under that name, and clients find its pods by it. */
function isOfAnother(subject: Subject, { name }: ServiceRecord): Action {
  const told = `Failed to update the service ${fullName(subject, name)}`;
  const why = 'it is not controlled by this RayJob and is left alone; delete or rename it, or rename the RayJob';
  return { type: 'event', event: warning(SharedEventReason.FailedToUpdateService, 'Update', `${told}, ${why}`) };
}

/** Takes every key out of a Service's selector, in the form of a merge patch. */
function notSelected({ service, selectorKeys }: ServiceRecord): Readonly<Record<string, null>> {
  const keys = selectorKeys ?? Object.keys(service?.spec?.selector ?? {});
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** The Service of the cluster's head under the job's name. */
export function buildJobHeadService({ job, name, namespace, cluster, context }: Subject): Service {
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
