import { type KubeClient, TransportError } from '@manta/kube';
import { hookClient } from './client-hook.ts';
import type { Facts } from './history.ts';

const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deleteCollection', 'post'];

/** Counts writes that end without an answer, and those that are under way. */
export function countDoubts(
  inner: KubeClient,
  facts: Facts,
): { readonly client: KubeClient; readonly pendingWrites: () => number } {
  let pending = 0;
  const counted = async (write: unknown): Promise<unknown> => {
    pending += 1;
    try {
      return await write;
    } catch (error) {
      if (error instanceof TransportError && !error.wasNeverSent) facts.doubtfulWrites += 1;
      throw error;
    } finally {
      pending -= 1;
    }
  };
  const client = hookClient(inner, (method, call) => (WRITES.includes(method) ? counted(call()) : call()));
  return { client, pendingWrites: () => pending };
}
