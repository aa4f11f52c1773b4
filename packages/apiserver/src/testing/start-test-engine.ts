import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type Clock, type KubeClient, systemClock, kubeconfigText } from '@manta/kube';
import { type CertificateAuthority, createCertificateAuthority } from '@manta/kube/testing';
import { createReplica, type Replica } from './faults/replica.ts';
import { answerWithFaults } from './faults/handle-with-faults.ts';
import type { Switchboard } from './faults/switchboard.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';
import { type Api, createApi } from '../api.ts';
import type { User } from '../auth/user.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import type { AnsweredRequest } from '../http/handler.ts';
import type { ListenerTimeouts } from '@manta/base';
import { type RunningServer, startServer } from '../http/server.ts';
import { createInProcessClient } from '../in-process/in-process-client.ts';
import type { PodBackend } from '../subresources/pod-backend.ts';
import type { Store } from '../store/contract.ts';
import { createStore } from '../store/store.ts';

/** Options of a test engine. */
export interface TestEngineOptions {
  readonly clock?: Clock;
  readonly store?: Store;
  readonly tokens?: ReadonlyMap<string, User>;
  readonly plugins?: readonly AdmissionPlugin[];
  /** Whether pods get a service account and its token. Default: if there are service accounts. */
  readonly hasServiceAccounts?: boolean;
  /** Decides what goes wrong with requests over HTTP; a replica that may fall behind stands by for it. */
  readonly faults?: Switchboard;
  /** Answers for pods that run. */
  readonly podBackend?: PodBackend;
  /** How long clients may be slow. */
  readonly limits?: ListenerTimeouts;
}

/** A user with a client certificate; may do nothing until RBAC says otherwise. */
export interface TestUser {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
  readonly kubeconfig: { readonly path: string; readonly text: string };
}

/** An engine that serves on a loopback port, as the fixture of the real control plane does. */
export interface TestEngine {
  readonly api: Api;
  readonly server: RunningServer;
  readonly url: string;
  readonly ca: CertificateAuthority;
  readonly admin: TestUser;
  /** A client without sockets, as the administrator. */
  readonly client: KubeClient;
  /** Faults of the engine itself; a test should find none. */
  readonly internalErrors: readonly unknown[];
  /** Every request that came over HTTP, in the order of their answers. */
  readonly requests: readonly AnsweredRequest[];
  /** What `stale` reads come from, where faults may be. */
  readonly replica: Replica | undefined;
  user(request: { readonly name: string; readonly groups?: readonly string[] }): TestUser;
  stop(): Promise<void>;
}

/** Starts an engine in this process, with the objects that every cluster has from the start, and its HTTPS front end. */
export async function startTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const ca = createCertificateAuthority('manta-engine-ca');
  const folder = mkdtempSync(join(tmpdir(), 'manta-engine-'));
  const { clock = systemClock, store = createStore(), tokens, plugins = [], hasServiceAccounts, faults } = options;
  const parts = {
    ...(hasServiceAccounts === undefined ? {} : { hasServiceAccounts }),
    ...(options.podBackend === undefined ? {} : { podBackend: options.podBackend }),
  };
  const world = { clock, newUid: randomUUID, random: Math.random };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokenKeys = { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const api = createApi({ store, world, authorization: 'RBAC', tokenKeys, plugins, ...parts });
  await bootstrap(api);
  const replica = faults === undefined ? undefined : createReplica(api);
  const internalErrors: unknown[] = [];
  const requests: AnsweredRequest[] = [];
  const pair = ca.issue({ commonName: 'engine', dnsNames: ['localhost'], ips: ['127.0.0.1'] });
  const server = await startServer({
    api,
    ...pair,
    clientCa: ca.cert,
    ...(tokens === undefined ? {} : { tokens }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(faults === undefined || replica === undefined
      ? {}
      : { answer: answerWithFaults({ board: faults, replica: replica.api }) }),
    onRequest: (answered) => requests.push(answered),
    onInternalError: (error) => internalErrors.push(error),
  });
  const user = ({ name, groups = [] }: { readonly name: string; readonly groups?: readonly string[] }): TestUser => {
    const { cert, key } = ca.issue({ commonName: name, organizations: groups });
    const text = kubeconfigText({ url: server.url, ca: ca.cert, user: name, cert, key });
    const path = join(folder, `${name.replaceAll(/[^\w.-]/g, '_')}-${randomUUID().slice(0, 8)}.kubeconfig`);
    writeFileSync(path, text, { mode: 0o600 });
    return { name, cert, key, kubeconfig: { path, text } };
  };
  const toError = (
    call: ConstructorParameters<typeof ApiError>[0],
    status: ConstructorParameters<typeof ApiError>[3],
  ) => new ApiError(call, status?.code ?? 500, status?.message ?? '', status);
  return {
    api,
    server,
    url: server.url,
    ca,
    admin: user({ name: 'admin', groups: ['system:masters'] }),
    client: createInProcessClient(api, { userAgent: 'test-engine/1', toError }),
    internalErrors,
    requests,
    replica,
    user,
    async stop() {
      replica?.close();
      api.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
