import type { RayService, Service } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { tenantTests } from './support/tenant.ts';

const tenant = tenantTests();

const SERVE = 'applications:\n- name: app\n  import_path: app:graph\n';
/** Somebody's Service, to which clients send their payments. */
const PAYMENTS: Service['spec'] = { selector: { app: 'payments' }, ports: [{ name: 'web', port: 80 }] };

describe('a RayService that names a Service of somebody else', () => {
  it.each([
    ['serveService.metadata.name', 'payments'],
    ['its own name', 'svc-serve-svc'],
    ['its own name, for the head', 'svc-head-svc'],
  ])('does not redirect it: by %s', async (_, name) => {
    const { create, get, notes, until } = tenant();
    const before = await create<Service>(resources.services, { metadata: { name }, spec: PAYMENTS });
    await create<RayService>(resources.rayServices, {
      metadata: { name: 'svc' },
      spec: {
        serveConfigV2: SERVE,
        rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] }),
        ...(name === 'payments' ? { serveService: { metadata: { name } } } : {}),
      },
    });
    const [told] = await until('the operator to report the Service', async () => {
      const found = await notes('FailedToUpdateService');
      return found.length > 0 ? found : undefined;
    });
    expect(told).toMatch(/is not controlled by this RayService and is left alone/);
    const after = await get<Service>(resources.services, name);
    expect([after.metadata?.resourceVersion, after.spec]).toEqual([before.metadata?.resourceVersion, before.spec]);
  });
});
