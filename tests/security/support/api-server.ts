import { startTestEngine, type TestEngine, type TestEngineOptions } from '@manta/apiserver/testing';
import { type ApiAnswer, type ApiRequester, createRequester } from '../../support/api-request.ts';

type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiAnswer>;

/** The engine's API server over its socket, for tests that attack it. */
export interface ApiServer {
  readonly engine: TestEngine;
  /** Asks as a member of `system:masters`. */
  readonly admin: Ask;
  /** Asks as a user who has a client certificate and no permissions of his own. */
  as(name: string, groups?: readonly string[]): Ask;
  /** Asks with a bearer token. */
  withToken(token: string): Ask;
  stop(): Promise<void>;
}

export async function startApiServer(options: TestEngineOptions = {}): Promise<ApiServer> {
  const engine = await startTestEngine(options);
  const open: ApiRequester[] = [];
  const track = (requester: ApiRequester): Ask => {
    open.push(requester);
    return requester;
  };
  const trust = { url: engine.url, ca: engine.ca.cert };
  const { cert, key } = engine.admin;
  return {
    engine,
    admin: track(createRequester({ ...trust, cert, key })),
    as: (name, groups = []) => {
      const user = engine.user({ name, groups });
      return track(createRequester({ ...trust, cert: user.cert, key: user.key }));
    },
    withToken: (token) => track(createRequester({ ...trust, token })),
    stop: async () => {
      for (const requester of open) requester.close();
      await engine.stop();
    },
  };
}

/** What an answer's Status says. */
export function statusOf({ body }: ApiAnswer): { readonly message?: string; readonly reason?: string } {
  return typeof body === 'object' && body !== null ? body : {};
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Lets a user do something in all namespaces. */
export async function allow(server: ApiServer, user: string, ...rules: readonly object[]): Promise<void> {
  const name = `for-${user}-${Math.random().toString(36).slice(2)}`;
  await server.admin('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules });
  await server.admin('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}
