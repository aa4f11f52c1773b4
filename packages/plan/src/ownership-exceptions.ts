import { Annotation, type KubeObject } from '@manta/api';
import type { Target } from './ownership.ts';
import type { DeleteAction, PatchAction, UpdateAction, WrittenKind } from './plan.ts';

/** An action that changes or removes an object which exists already. */
export type Rewrite = UpdateAction | PatchAction | DeleteAction;

/** An object through which the reconciled object owns the target. */
export interface Link {
  readonly uid: string;
  readonly owner: string | undefined;
}

/** Why an action may write to an object that the reconciled object does not control, and the evidence. */
export type OwnershipException =
  | { readonly name: 'head-of-own-cluster'; readonly cluster: Link }
  | { readonly name: 'adopted-route' }
  | { readonly name: 'retained-claim'; readonly cluster: string | undefined }
  | {
      readonly name: 'issued-secret';
      readonly certificate: Link & { readonly name: string };
      readonly issuedFor: string;
    }
  | { readonly name: 'plain-reference'; readonly referenced: readonly string[] }
  | { readonly name: 'pod-of-former-cluster'; readonly cluster: string | undefined; readonly createdAt: number };

export interface ExceptionRule {
  /** The purpose, and why users cannot abuse it to change objects of others. */
  readonly why: string;
  readonly kind: WrittenKind;
  readonly actions: readonly Rewrite['type'][];
  holds(exception: OwnershipException, action: Rewrite, target: Target, reconciled: KubeObject): boolean;
}

/** Every way in which the operator writes to an object whose controller owner is not the reconciled object. There are no others. */
export const OWNERSHIP_EXCEPTIONS: Readonly<Record<OwnershipException['name'], ExceptionRule>> = {
  'head-of-own-cluster': {
    why: 'A RayService sets the serve label on the head pod of its RayCluster. The RayCluster controls the pod and the RayService controls the RayCluster, so the pod is its grandchild.',
    kind: 'Pod',
    actions: ['patch'],
    holds: (exception, _, { owner }, { metadata }) =>
      exception.name === 'head-of-own-cluster' &&
      owner !== undefined &&
      owner === exception.cluster.uid &&
      exception.cluster.owner === metadata?.uid,
  },
  'adopted-route': {
    why: "A RayService shares traffic out in the user's own HTTPRoute that its annotation names. Only backends that are the service's own Services are replaced, so only a route that already leads to the service changes.",
    kind: 'HTTPRoute',
    actions: ['update'],
    holds: (_, action, __, { metadata }) =>
      action.type === 'update' && action.object.metadata?.name === metadata?.annotations?.[Annotation.AdoptedHttpRoute],
  },
  'retained-claim': {
    why: 'A volume claim of the embedded GCS store has no owner while its deletion policy is Retain. Back on Delete, the RayCluster becomes its controller owner. The claim has to carry the label of the cluster, and no other controller.',
    kind: 'PersistentVolumeClaim',
    actions: ['update'],
    holds: (exception, _, { owner }, { metadata }) =>
      exception.name === 'retained-claim' &&
      owner === undefined &&
      exception.cluster !== undefined &&
      exception.cluster === metadata?.name,
  },
  'issued-secret': {
    why: 'cert-manager writes the Secret of a Certificate and gives it no owner. The operator makes the Certificate its owner, so that the Secret is deleted with the cluster. The RayCluster has to control the Certificate, and cert-manager has to have issued the Secret for it.',
    kind: 'Secret',
    actions: ['update'],
    holds: (exception, _, __, { metadata }) =>
      exception.name === 'issued-secret' &&
      exception.certificate.owner !== undefined &&
      exception.certificate.owner === metadata?.uid &&
      exception.issuedFor === exception.certificate.name,
  },
  'plain-reference': {
    why: "The PodGroup of scheduler-plugins names the RayCluster as an owner but not as its controller, because that may be the plugin's own controller. Only the author of the object can write that reference.",
    kind: 'PluginsPodGroup',
    actions: ['update', 'delete'],
    holds: (exception, _, __, { metadata }) =>
      exception.name === 'plain-reference' && exception.referenced.includes(metadata?.uid ?? ''),
  },
  'pod-of-former-cluster': {
    why: 'A suspended RayCluster also deletes the pods that a deleted RayCluster of its name has left and that the garbage collector has not deleted yet. The controller reference of such a pod names a RayCluster of this name with another uid, which no longer exists because names are unique. A pod that is younger than the cluster is left alone.',
    kind: 'Pod',
    actions: ['delete'],
    holds: (exception, _, { owner }, { metadata }) =>
      exception.name === 'pod-of-former-cluster' &&
      owner !== undefined &&
      exception.cluster !== undefined &&
      exception.cluster === metadata?.name &&
      exception.createdAt <= Date.parse(metadata.creationTimestamp ?? ''),
  },
};

/**
 * Why the reconciled object may not carry out this action; undefined where it may. `owner` is the controller owner of the target as it is
 * known now, which may be later than when the action was planned.
 */
export function refusalOf(action: Rewrite, reconciled: KubeObject, owner = action.target.owner): string | undefined {
  const { target } = action;
  const uid = reconciled.metadata?.uid;
  const rightful = uid !== undefined && uid !== '' && target.uid !== '';
  if (rightful && (target.uid === uid || owner === uid)) return undefined;
  const { exception } = target;
  if (rightful && exception !== undefined) {
    const rule = OWNERSHIP_EXCEPTIONS[exception.name];
    const isMeant = rule.kind === action.kind && rule.actions.includes(action.type);
    if (isMeant && rule.holds(exception, action, { ...target, owner }, reconciled)) return undefined;
  }
  return `the operator does not ${action.type} ${action.kind} ${nameOf(action)}, because ${reconciled.kind ?? 'the reconciled object'} ${reconciled.metadata?.name ?? ''} is not its controller owner; rename or delete one of the two`;
}

function nameOf(action: Rewrite): string {
  return action.type === 'update' ? (action.object.metadata?.name ?? '') : action.name;
}
