import type { Action } from '../plan.ts';
import { planRayCluster } from '../raycluster/plan.ts';
import { type ObservedOptions, observed } from './observed.ts';

/** A cluster's planned actions as a list of short texts. */
export function plan(options: ObservedOptions): readonly string[] {
  return planRayCluster(observed(options)).actions.map(say);
}

/** An action as a short text. */
export function say(action: Action): string {
  switch (action.type) {
    case 'event':
      return `${action.event.severity} ${action.event.reason}: ${action.event.note}`;
    case 'create':
      return `create ${action.kind} ${action.objects.map(({ metadata }) => (action.kind === 'Pod' ? metadata?.generateName?.concat('?') : metadata?.name)).join(' ')}`;
    case 'delete':
      return `delete ${action.kind} ${action.name}`;
    case 'update':
      return `update ${action.kind} ${action.object.metadata?.name}`;
    case 'patch':
      return `patch ${action.kind} ${action.name}`;
    case 'ray':
      return `ask ${action.cluster} to ${action.command.kind}`;
    case 'wait':
      return `wait ${action.requeueAfterMs} ms: ${action.message}`;
    case 'abort':
      return `fail: ${action.message}`;
  }
}

/** The names of the workers that a plan creates. */
export function createdWorkers(options: ObservedOptions): readonly string[] {
  return planRayCluster(observed(options)).actions.flatMap((action) =>
    action.type === 'create' && action.kind === 'Pod'
      ? action.objects.flatMap(({ metadata }) =>
          metadata?.generateName?.includes('worker') ? [metadata.name ?? ''] : [],
        )
      : [],
  );
}
