import { clusterObjectNames, isAutoscalingEnabled, type RayClusterSpec } from '@manta/api';
import { wantsAuthSecret } from '../build/auth-secret.ts';
import { ownServiceAccount } from '../build/autoscaler-access.ts';
import type { NamedRecord } from './observed.ts';
import { derivedSuffix } from './pod-names.ts';
import type { Subject } from './subject.ts';

/** So much of a cluster's name is left beside a hyphen and the suffix. */
const KEPT = 44;

/** What a cluster calls its objects whose usual name, which is cut, another cluster has; undefined where the name is not cut. */
export function spareObjectName(cluster: string): string | undefined {
  if (usualName(cluster) === cluster) return undefined;
  return `${cluster.slice(0, KEPT)}-${derivedSuffix(cluster)}`;
}

/**
 * The name of the cluster's account, role, binding and Secret. Names of more than 50 characters are cut at their beginning, so that two
 * clusters may come to the same; the second then takes another, unless it has pods already, which know the first one.
 */
export function objectName(subject: Subject): string {
  const { name, uid, pods, children } = subject;
  const spare = spareObjectName(name);
  const usual = usualName(name);
  if (spare === undefined) return usual;
  const { serviceAccounts, roles, roleBindings, secrets } = children;
  const records = [...serviceAccounts, ...roles, ...roleBindings, ...secrets];
  if (records.some((record) => record.name === spare && record.owner === uid)) return spare;
  if (pods.some(({ owner }) => owner === uid)) return usual;
  return records.some((record) => record.name === usual && isOfAnother(subject, record)) ? spare : usual;
}

/** The spec as pods are built from it: it names the account and the Secret where they are not the usual ones. */
export function specForPods(subject: Subject): RayClusterSpec {
  const { spec, name } = subject;
  const used = objectName(subject);
  if (used === usualName(name)) return spec;
  const { headGroupSpec } = spec;
  const { template } = headGroupSpec;
  const needsAccount = isAutoscalingEnabled(spec) && ownServiceAccount(spec) === undefined;
  return {
    ...spec,
    ...(wantsAuthSecret(spec) ? { authOptions: { ...spec.authOptions, secretName: used } } : {}),
    ...(needsAccount && template.spec !== undefined
      ? {
          headGroupSpec: {
            ...headGroupSpec,
            template: { ...template, spec: { ...template.spec, serviceAccountName: used } },
          },
        }
      : {}),
  };
}

/** Belongs to another cluster than this one, and not to one that had its name and is gone. */
export function isOfAnother({ uid, name }: Subject, { owner, cluster }: NamedRecord): boolean {
  return owner !== undefined && owner !== uid && cluster !== name;
}

function usualName(cluster: string): string {
  return clusterObjectNames.role(cluster);
}
