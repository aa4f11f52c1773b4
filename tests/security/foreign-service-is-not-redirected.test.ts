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
    const version = async () => (await get<Service>(resources.services, name)).metadata?.resourceVersion;
    // A change ends the waiting, too: an operator that redirects the Service fails for that and not for the missing event.
    const [told] = await until('the operator to report the Service or to change it', async () => {
      const found = await notes('FailedToUpdateService');
      return found.length > 0 || (await version()) !== before.metadata?.resourceVersion ? found : undefined;
    });
    const after = await get<Service>(resources.services, name);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
    expect(told).toMatch(/is not controlled by this RayService and is left alone/);
  });
});
