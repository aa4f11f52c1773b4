import { randomBytes } from 'node:crypto';
import type { PlaneClient } from './plane-client.ts';

/** A namespace of a test's own. */
export interface TestNamespace {
  readonly name: string;
  /** Asks for its deletion. Without a controller manager it stays, terminating; its name is never used again, so that harms nobody. */
  delete(): Promise<void>;
}

/** Makes a namespace with a name that no other test has. */
export async function createTestNamespace(
  plane: Pick<PlaneClient, 'request'>,
  prefix = 'test',
): Promise<TestNamespace> {
  const name = `${prefix}-${randomBytes(5).toString('hex')}`;
  const answer = await plane.request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  if (answer.status !== 201) throw new Error(`namespace ${name} could not be made: ${answer.status} ${answer.text}`);
  return {
    name,
    delete: async () => {
      await plane.request('DELETE', `/api/v1/namespaces/${name}`);
    },
  };
}
