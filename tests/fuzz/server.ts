import { crds } from '@manta/api/crds';
import { startTestEngine } from '@manta/apiserver/testing';
import { openWatch } from '../conformance/support/watch-stream.ts';
import type { Watch } from '../conformance/support/target.ts';
import { type ApiAnswer, type Credentials, createRequester } from '../support/api-request.ts';
import type { PlaneClient } from '../support/control-plane.ts';
import { installCrds } from '../real/ray-api.ts';

/** A server that operations are sent to. */
export interface FuzzServer {
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  watch(path: string): Promise<Watch>;
  /** Faults of the server itself, as far as it tells. */
  readonly internalErrors: readonly unknown[];
  close(): Promise<void>;
}

function serverOf(credentials: Credentials, internalErrors: readonly unknown[], stop: () => Promise<void>): FuzzServer {
  const requester = createRequester(credentials);
  return {
    request: (method, path, body, headers) => {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      // Node leaves the length out of a DELETE, whose body then reads like another request.
      const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
      return requester(method, path, payload, { ...length, ...headers });
    },
    watch: (path) => openWatch(credentials, path),
    internalErrors,
    close: async () => {
      requester.close();
      await stop();
    },
  };
}

/** The real server, with our definitions; it goes on running when this is closed. */
export async function openReal(plane: PlaneClient): Promise<FuzzServer> {
  await installCrds(plane);
  return serverOf(plane.admin.credentials, [], async () => undefined);
}

/** An embedded server of its own, with our definitions and without controllers, as the real one has none. */
export async function openEngine(): Promise<FuzzServer> {
  const engine = await startTestEngine({ hasServiceAccounts: false });
  const { cert, key } = engine.admin;
  const server = serverOf({ url: engine.url, ca: engine.ca.cert, cert, key }, engine.internalErrors, () =>
    engine.stop(),
  );
  for (const crd of crds()) {
    const answer = await server.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    if (answer.status !== 201) throw new Error(`the engine refused a definition: ${answer.text}`);
  }
  return server;
}
