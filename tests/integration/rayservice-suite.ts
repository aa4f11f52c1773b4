import type { EndpointSlice, RayClusterSpec, RayService, RayServiceSpec, Service } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { type Clock, isNotFound, resources, systemClock } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startKubelet } from './kubelet.ts';
import { type OperatorSettings, startControllers } from './operator.ts';
import { type Stage, until } from './stage.ts';

/** Debounces and quick retries still run; what waits for longer never wakes. */
const LONGEST_TIMER_MS = 1_500;

/** An operator with this clock gets on by news alone: from watches, and from Ray. */
const newsOnly: Clock = {
  now: () => systemClock.now(),
  setTimer: (delayMs, run) => (delayMs > LONGEST_TIMER_MS ? () => undefined : systemClock.setTimer(delayMs, run)),
};

/** RayServices on a server, as a user who is bound to what `manta rbac` prints. */
export function rayServiceSuite(open: () => Stage): void {
  let namespace: string;
  let stops: (() => Promise<void>)[];
  /** One head for each cluster, by its name. */
  let heads: Map<string, FakeHead>;

  beforeEach(async () => {
    heads = new Map();
    stops = [];
    namespace = await open().target.namespace();
    const kubelet = startKubelet(open().admin, namespace);
    stops.push(() => kubelet.stop());
  });
  afterEach(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  /** Heads run an application from the start, so that the status has news just when the configuration is sent. */
  const headAt = (origin: string) => {
    const name = /^http:\/\/(.*)-head-svc\./.exec(origin)?.[1] ?? '';
    const head = heads.get(name) ?? new FakeHead({ now: Date.now });
    if (!heads.has(name)) head.applications.set('app', { status: 'RUNNING' });
    heads.set(name, head);
    return head;
  };

  async function operate(settings: Partial<OperatorSettings> = {}): Promise<void> {
    const { client } = await open().operatorUser();
    const sendToRay = fakeSend(systemClock, headAt);
    const operator = startControllers(client, { namespaces: [namespace], sendToRay, ...settings });
    stops.push(() => operator.stop());
  }

  const ref = (name = 'svc') => ({ name, namespace });
  const apply = (spec: Partial<RayServiceSpec>) =>
    open().admin.create<RayService>(resources.rayServices, {
      metadata: ref(),
      spec: {
        serveConfigV2: 'applications:\n- name: app\n  import_path: app:graph\n',
        rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('small')] }),
        ...spec,
      },
    });
  const status = async () => (await open().admin.get<RayService>(resources.rayServices, ref())).status ?? {};
  const active = async () => (await status()).activeServiceStatus?.rayClusterName ?? '';
  const ledTo = async () => {
    try {
      const { spec } = await open().admin.get<Service>(resources.services, ref('svc-serve-svc'));
      return spec?.selector?.['ray.io/cluster'];
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const activeOtherThan = (old: string) =>
    until('another cluster to be active', async () => {
      const name = await active();
      return name === '' || name === old ? undefined : name;
    });

  describe('a RayService', () => {
    it('is promoted by news alone, without waiting for a timer, and lacks no permission', async () => {
      await operate({ clock: newsOnly });
      await apply({});
      const name = await activeOtherThan('');
      expect(await ledTo()).toBe(name);
      expect(heads.get(name)?.serveConfigs).toHaveLength(1);
      const { items } = await open().target.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      expect(items.filter((event) => JSON.stringify(event).includes('forbidden'))).toEqual([]);
    });

    it('goes over to a new cluster though an EndpointSlice claims that the old one, which has no serving pod, serves', async () => {
      await operate();
      // Without workers, and with the head kept out of the Service, no pod takes requests.
      const config: RayClusterSpec = rayClusterSpec({ workerGroupSpecs: [] });
      await apply({ rayClusterConfig: config, excludeHeadPodFromServeSvc: true });
      const old = await activeOtherThan('');
      await open().admin.create<EndpointSlice>(resources.endpointSlices, {
        metadata: { ...ref('by-hand'), labels: { 'kubernetes.io/service-name': 'svc-serve-svc' } },
        addressType: 'IPv4',
        endpoints: [
          {
            addresses: ['10.9.8.7'],
            conditions: { ready: true },
            targetRef: { kind: 'Pod', namespace, name: 'no-such-pod', uid: 'no-such-uid' },
          },
        ],
      });
      await until('the endpoint to be counted', async () =>
        (await status()).numServeEndpoints === 1 ? true : undefined,
      );
      const spec = { rayClusterConfig: { rayVersion: '2.53.0' } };
      await open().admin.patch(resources.rayServices, ref(), { type: 'merge', body: { spec } });
      const next = await activeOtherThan(old);
      expect(await ledTo()).toBe(next);
    });
  });
}
