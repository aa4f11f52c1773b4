import { type Container, parseQuantity, quantityValue } from '@manta/api';

/** The variable that bounds what Ray takes for its object store. */
export const OBJECT_STORE_VARIABLE = 'RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES';

const MIB = 1024 * 1024;
/** Ray refuses to start with less. */
const SMALLEST_BYTES = 75 * MIB;
/** For a container without a limit: fits into the shared memory that every container has. */
const UNLIMITED_BYTES = 400 * MIB;
/** Ray's own share of the memory it believes to have. */
const SHARE = 0.3;
/** Ray puts the object store on disk where shared memory is not clearly larger. */
const ROOM = 1.25;

/**
 * How large the object store of a Ray container may be. Processes here see the whole machine's memory, whatever their container's limit is,
 * so Ray is told what it would find out in a real container.
 */
export function objectStoreBytes({ resources }: Container): number {
  const limit = resources?.limits?.['memory'];
  const parsed = limit === undefined ? undefined : parseQuantity(limit);
  if (parsed?.ok !== true) return UNLIMITED_BYTES;
  return Math.max(SMALLEST_BYTES, Math.floor(Number(quantityValue(parsed.value)) * SHARE));
}

/** The shared memory that an object store of this size needs. */
export function sharedMemoryFor(storeBytes: number): number {
  return Math.ceil((storeBytes * ROOM) / MIB) * MIB;
}
