import { isManagedExternally, type KubeObject } from '@manta/api';
import { ageMs, eventsOf, eventTimeMs, refText, timeMs } from '../lookup.ts';
import { itemsOf, type RayRef, type World } from '../world.ts';
import { brief, type Cause, type Evidence } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { refusalCause } from './refusals.ts';

/** The fields that all four kinds share. */
export interface RayObject extends KubeObject {
  readonly spec?: { readonly suspend?: boolean; readonly managedBy?: string };
  readonly status?: { readonly observedGeneration?: number };
}

export interface Subject {
  readonly ref: RayRef;
  readonly object: RayObject;
}

const KUEUE_QUEUE = 'kueue.x-k8s.io/queue-name';
/** A running operator looks at a new or changed object within seconds. */
const OPERATOR_MS = 30_000;
/** A deletion that takes longer than this is blocked. */
const DELETION_MS = 60_000;
/** A failure that the operator has not repeated for this long is over: it retries at least every minute. */
export const RECENT_FAILURE_MS = 300_000;

/** What any Ray object may suffer from, before its kind matters. */
export function commonCause({ ref, object }: Subject, world: World): Cause | undefined {
  const at = (source: string, text: string): readonly Evidence[] => [{ object: ref, source, text }];
  const found = (code: CauseCode, sentence: string, action: string, evidence: readonly Evidence[]): Cause => ({
    code,
    object: ref,
    sentence,
    action,
    evidence,
  });
  const { deletionTimestamp, finalizers = [] } = object.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    const since = world.now - (timeMs(deletionTimestamp) ?? world.now);
    const cause = found(
      'DeletionBlocked',
      `${refText(ref)} is being deleted; ${finalizers.length === 0 ? 'its children are deleted first' : `finalizer ${finalizers.join(', ')} keeps it`}`,
      'Wait; if it lasts, check that the operator runs, and read the events of the object.',
      at('metadata.finalizers', finalizers.join(', ')),
    );
    return since < DELETION_MS ? { ...cause, isProgress: true } : cause;
  }
  if (isManagedExternally(object.spec)) {
    const manager = object.spec?.managedBy ?? '';
    return found(
      'ManagedExternally',
      `${refText(ref)} is managed by ${manager}, not by the Ray operator of this cluster`,
      `Look at the controller ${manager}, e.g. on the worker cluster it chose; managedBy cannot be changed.`,
      at('spec.managedBy', manager),
    );
  }
  if (object.spec?.suspend === true) return suspended(ref, object, world);
  return operatorAbsent({ ref, object }, world);
}

function suspended(ref: RayRef, object: RayObject, world: World): Cause {
  const queue = object.metadata?.labels?.[KUEUE_QUEUE];
  const evidence: readonly Evidence[] = [{ object: ref, source: 'spec.suspend', text: 'true' }];
  if (queue === undefined)
    return {
      code: 'Suspended',
      object: ref,
      sentence: `${refText(ref)} is suspended: it has no pods on purpose`,
      evidence,
      action: `Run kubectl ray resume ${ref.kind.toLowerCase()}/${ref.name} to start it.`,
    };
  const workload = itemsOf(world.workloads).find(({ metadata }) =>
    metadata?.ownerReferences?.some(({ kind, name }) => kind === ref.kind && name === ref.name),
  );
  const waits = workload?.status?.conditions?.find(
    ({ type, status }) => (type === 'QuotaReserved' || type === 'Admitted') && status !== 'True',
  );
  const words = brief(waits?.message);
  const name = workload?.metadata?.name ?? '';
  return {
    code: 'Queued',
    object: ref,
    sentence: `${refText(ref)} waits in Kueue's queue ${queue}${words === '' ? '' : `: ${words}`}`,
    evidence:
      waits === undefined
        ? evidence
        : [
            ...evidence,
            {
              object: { kind: 'Workload', name, namespace: ref.namespace },
              source: `status.conditions[${waits.type}]`,
              text: words,
            },
          ],
    action: `Wait for quota, or look at the queue: kubectl describe localqueue ${queue}.`,
  };
}

function operatorAbsent({ ref, object }: Subject, world: World): Cause | undefined {
  if (ref.kind === 'RayCronJob' || ageMs(world, object) < OPERATOR_MS) return undefined;
  const isUntouched = object.status === undefined || Object.keys(object.status).length === 0;
  if (!isUntouched || eventsOf(world, ref).length > 0) return undefined;
  return {
    code: 'NoOperator',
    object: ref,
    sentence: `no operator has looked at ${refText(ref)}: it has no status and no events`,
    evidence: [{ object: ref, source: 'status', text: 'empty' }],
    action: 'Check that the operator runs and watches this namespace: kubectl ray version.',
  };
}

/** The operator has not observed the latest spec. Last, because any other cause explains more. */
export function operatorBehind({ ref, object }: Subject, world: World): Cause | undefined {
  const { generation = 0 } = object.metadata ?? {};
  const observed = object.status?.observedGeneration;
  if (observed === undefined || observed >= generation || ageMs(world, object) < OPERATOR_MS) return undefined;
  return {
    code: 'OperatorBehind',
    object: ref,
    sentence: `the operator has not looked at the latest change of ${refText(ref)}`,
    evidence: [
      { object: ref, source: 'status.observedGeneration', text: `${observed}, metadata.generation is ${generation}` },
    ],
    action: 'Check that the operator runs and read its log.',
  };
}

/** What the operator's events say about a spec that it refuses. */
export function invalidSpec(ref: RayRef, world: World): Cause | undefined {
  const event = eventsOf(world, ref).find(
    ({ reason = '', type }) => type === 'Warning' && /^Invalid\w+(Spec|Metadata|Status)$/.test(reason),
  );
  return event === undefined
    ? undefined
    : invalid(ref, event.note ?? '', { object: ref, source: `event ${event.reason}`, text: brief(event.note) });
}

export function invalid(ref: RayRef, message: string, evidence: Evidence): Cause {
  const words = brief(message.replace(/^.*?(spec|metadata) is invalid[^:]*:\s*/i, ''));
  return {
    code: 'InvalidSpec',
    object: ref,
    sentence: `the operator refuses ${refText(ref)}: ${words}`,
    evidence: [evidence],
    action: 'Correct the field that the message names and apply the object again.',
  };
}

/** What the operator's recent events say about an object that it could not create. */
export function createRefused(ref: RayRef, world: World): Cause | undefined {
  const event = eventsOf(world, ref).find(
    (candidate) =>
      candidate.type === 'Warning' &&
      /^FailedTo(Create|Update|Delete)/.test(candidate.reason ?? '') &&
      world.now - eventTimeMs(candidate) < RECENT_FAILURE_MS,
  );
  if (event === undefined || event.reason === 'FailedToUpdateServeApplications') return undefined;
  return refusalCause(
    ref,
    event.note ?? '',
    { object: ref, source: `event ${event.reason}`, text: brief(event.note) },
    world,
  );
}
