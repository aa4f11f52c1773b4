import {
  type Clock,
  type Connection,
  createKubeClient,
  createTransport,
  type Credentials,
  type KubeClient,
  type Transport,
} from '@manta/kube';
import type { LoginMethod } from '../protocol.ts';

/** Who logged in. */
export interface Viewer {
  readonly user: string;
  readonly groups: readonly string[];
  readonly method: LoginMethod;
}

/** A connection to the API server that carries a viewer's credentials and never the console's own. */
export interface ViewerAccess {
  /** For streams that leave HTTP: exec, port-forward. */
  readonly connection: Connection;
  readonly client: KubeClient;
  readonly transport: Transport;
}

/** Opens nothing before its first request. A rejected token is not refreshed: the session ends instead. */
export function openViewerAccess(
  server: Connection,
  credentials: Credentials | (() => Promise<Credentials>),
  clock: Clock,
): ViewerAccess {
  const connection: Connection = {
    server: server.server,
    tls: server.tls,
    credentials: typeof credentials === 'function' ? credentials : () => credentials,
    invalidateCredentials: () => undefined,
    // Where the server is reached directly, there is nothing to take over.
    ...(server.connectSocket === undefined
      ? {}
      : { connectSocket: (signal) => server.connectSocket?.(signal) ?? Promise.reject(signal.reason) }),
  };
  const transport = createTransport({ connection, clock, userAgent: 'manta-console', maxSessions: 1 });
  return { connection, transport, client: createKubeClient({ transport, clock }) };
}

/** Asks the API server whom these credentials belong to. Rejects with its answer if it does not accept them. */
export async function whoAmI(client: KubeClient): Promise<Pick<Viewer, 'user' | 'groups'>> {
  const review = await client.post<{
    readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
  }>('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  const { username = '', groups = [] } = review.status?.userInfo ?? {};
  return { user: username, groups };
}
