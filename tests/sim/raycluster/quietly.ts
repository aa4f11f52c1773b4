import { isConflict, isNotFound } from '@manta/kube';

/** Somebody else was faster. */
export async function quietly(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
