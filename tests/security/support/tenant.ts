import type { KubeObject } from '@manta/api';
import { type KubeClient, resources, type ResourceType, systemClock } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { afterEach, beforeEach } from 'vitest';
import { engineStage } from '../../integration/engine-stage.ts';
import { startKubelet } from '../../integration/kubelet.ts';
import { type OperatorSettings, startControllers } from '../../integration/operator.ts';
import { until } from '../../integration/stage.ts';

/** A namespace that a tenant shares with others, with the real operator at work in it and Ray heads that answer. */
export interface Tenant {
  readonly namespace: string;
  /** Stands for everybody: the tenant, who only creates Ray objects, and the owners of what he attacks. */
  readonly admin: KubeClient;
  /** The origins that the operator has sent a request to, each with the token that it showed. */
  readonly asked: readonly { readonly origin: string; readonly token: string | undefined }[];
  readonly create: <T extends KubeObject>(type: ResourceType<T>, object: T) => Promise<T>;
  readonly get: <T extends KubeObject>(type: ResourceType<T>, name: string) => Promise<T>;
  readonly patch: (type: ResourceType, name: string, body: unknown) => Promise<unknown>;
  readonly names: (type: ResourceType) => Promise<readonly string[]>;
  /** The notes of the events with this reason. */
  readonly notes: (reason: string) => Promise<readonly string[]>;
  readonly until: <T>(what: string, probe: () => Promise<T | undefined>) => Promise<T>;
}

/** Starts the engine for the tests of a file, and for each test a namespace with the operator and a kubelet. */
export function tenantTests(settings: Partial<OperatorSettings> = {}): () => Tenant {
  const { open } = engineStage();
  let tenant: Tenant;
  let stops: (() => Promise<void>)[];
  beforeEach(async () => {
    const stage = open();
    const { admin, target } = stage;
    const namespace = await target.namespace();
    const heads = new Map<string, FakeHead>();
    const asked: { origin: string; token: string | undefined }[] = [];
    const send = fakeSend(systemClock, (origin) => {
      const head = heads.get(origin) ?? new FakeHead({ now: Date.now });
      heads.set(origin, head);
      return head;
    });
    const sendToRay: typeof send = (request) => {
      asked.push({ origin: new URL(request.url).origin, token: request.headers['x-ray-authorization'] });
      return send(request);
    };
    const { client } = await stage.operatorUser();
    const operator = startControllers(client, { namespaces: [namespace], sendToRay, ...settings });
    const kubelet = startKubelet(admin, namespace);
    stops = [() => kubelet.stop(), () => operator.stop()];
    tenant = {
      namespace,
      admin,
      asked,
      until,
      create: (type, object) => admin.create(type, { ...object, metadata: { ...object.metadata, namespace } }),
      get: (type, name) => admin.get(type, { namespace, name }),
      patch: (type, name, body) => admin.patch(type, { namespace, name }, { type: 'merge', body }),
      names: async (type) => (await admin.list(type, { namespace })).items.map(({ metadata }) => metadata?.name ?? ''),
      async notes(reason) {
        const { items } = await admin.list<KubeObject & { reason?: string; note?: string }>(resources.events, {
          namespace,
        });
        return items.filter((event) => event.reason === reason).map(({ note = '' }) => note);
      },
    };
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
  });
  return () => tenant;
}
