import type { Service } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { alignHeadService } from './align-head-service.ts';

const live: Service = {
  metadata: { name: 's', resourceVersion: '7', labels: { a: '1' }, annotations: { theirs: 'x' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: 'None',
    selector: { a: '1' },
    ports: [
      { name: 'dashboard', port: 8265, targetPort: 8265, protocol: 'TCP', appProtocol: 'tcp' },
      { name: 'gcs', port: 6379, targetPort: 6379, protocol: 'TCP', appProtocol: 'tcp' },
    ],
  },
};
const wanted: Service = {
  metadata: { labels: { a: '1' } },
  spec: {
    clusterIP: 'None',
    selector: { a: '1' },
    ports: [
      { name: 'gcs', port: 6379, appProtocol: 'tcp' },
      { name: 'dashboard', port: 8265, appProtocol: 'tcp' },
    ],
  },
};
const withPorts = (...ports: NonNullable<NonNullable<Service['spec']>['ports']>): Service => ({
  ...wanted,
  spec: { ...wanted.spec, ports },
});
const portsOf = (service: Service | undefined) => service?.spec?.ports?.map(({ name, port }) => `${name} ${port}`);

describe('a head Service', () => {
  it('that says what is wanted, in whatever order and with whatever the API server filled in, is left alone', () => {
    expect(alignHeadService(live, wanted)).toEqual({ aligned: undefined, impossible: undefined });
  });

  it('gets ports that are new, and keeps those that others have added', () => {
    const { aligned } = alignHeadService(live, withPorts({ name: 'gcs', port: 6379 }, { name: 'serve', port: 8000 }));
    expect(portsOf(aligned)).toEqual(['gcs 6379', 'serve 8000', 'dashboard 8265']);
    expect(aligned?.metadata?.resourceVersion).toBe('7');
  });

  it('follows a port that moves or is renamed', () => {
    expect(portsOf(alignHeadService(live, withPorts({ name: 'dashboard', port: 9999 })).aligned)).toContain(
      'dashboard 9999',
    );
    const renamed = alignHeadService(live, withPorts({ name: 'ui', port: 8265, appProtocol: 'tcp' })).aligned;
    expect(portsOf(renamed)).toEqual(['ui 8265', 'gcs 6379']);
  });

  it('gets labels and annotations beside those of others', () => {
    const metadata = { labels: { a: '2' }, annotations: { ours: 'y' } };
    expect(alignHeadService(live, { ...wanted, metadata }).aligned?.metadata).toMatchObject({
      labels: { a: '2' },
      annotations: { theirs: 'x', ours: 'y' },
    });
  });

  it('changes its type where it has an address, and keeps the address and node ports', () => {
    const addressed = {
      ...live,
      spec: { ...live.spec, clusterIP: '10.0.0.1', ports: [{ ...live.spec?.ports?.[0], port: 8265, nodePort: 30000 }] },
    };
    const spec = { type: 'NodePort', selector: { a: '1' }, ports: [{ name: 'dashboard', port: 8265 }] };
    const { aligned, impossible } = alignHeadService(addressed, { ...wanted, spec });
    expect(aligned?.spec).toMatchObject({ type: 'NodePort', clusterIP: '10.0.0.1', ports: [{ nodePort: 30000 }] });
    expect(impossible).toBeUndefined();
  });

  it('cannot get or lose its address in place, and says so', () => {
    const { clusterIP: _, ...spec } = { ...wanted.spec, type: 'NodePort' };
    expect(alignHeadService(live, { ...wanted, spec })).toEqual({
      aligned: undefined,
      impossible: 'type NodePort with an address of its own',
    });
  });
});
