import type { KubeObject } from '@manta/api';
import { apiVersionOf, type ResourceType } from '@manta/kube';
import type { Action } from '@manta/plan';
import type { EventRecorder } from '@manta/runtime';

/** What carrying out a plan needs: the object it is about and the means to write. */
export interface Actor {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly events: EventRecorder;
}

/** Carries out a plan's actions, in order. The only code of the operator that changes the world. */
export function act(actions: readonly Action[], actor: Actor): void {
  for (const { event } of actions) {
    const { metadata } = actor.object;
    actor.events.event({
      regarding: {
        apiVersion: apiVersionOf(actor.type),
        kind: actor.type.kind,
        name: metadata?.name ?? '',
        namespace: metadata?.namespace,
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
      },
      type: event.severity,
      reason: event.reason,
      action: event.action,
      note: event.note,
    });
  }
}
