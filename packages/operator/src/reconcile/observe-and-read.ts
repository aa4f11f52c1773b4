import type { ReconcileContext } from '@manta/runtime';
import type { KindDefinition, ReadNeeds } from './kind-definition.ts';

type Reads<Observed, Memory, Needs extends ReadNeeds> = Pick<
  KindDefinition<Observed, never, Memory, Needs>,
  'observe' | 'needs' | 'read'
>;

/**
 * Everything the plan needs to know; undefined when the object no longer exists. Starts from the cache. When a kind needs more than that
 * (`needs.live`), before or after `read`, it starts again from the API server. That happens once at most: a live observation is final.
 */
export async function observeAndRead<Observed, Memory, Needs extends ReadNeeds>(
  definition: Reads<Observed, Memory, Needs>,
  memory: Memory,
  context: ReconcileContext,
): Promise<Observed | undefined> {
  const observed = await definition.observe(context);
  if (observed === undefined || definition.needs === undefined) return observed;
  const needs = definition.needs(observed, memory);
  if (context.freshness === 'live') return await complete(definition, observed, needs, context);
  if (needs.live !== true) {
    const read = await complete(definition, observed, needs, context);
    // Ray's answer may be newer than the cache.
    if (read === observed || definition.needs(read, memory).live !== true) return read;
  }
  const live = await definition.observe({ ...context, freshness: 'live' });
  return live === undefined ? undefined : await complete(definition, live, definition.needs(live, memory), context);
}

async function complete<Observed, Memory, Needs extends ReadNeeds>(
  definition: Reads<Observed, Memory, Needs>,
  observed: Observed,
  needs: Needs,
  context: ReconcileContext,
): Promise<Observed> {
  return definition.read === undefined ? observed : await definition.read(observed, needs, context);
}
