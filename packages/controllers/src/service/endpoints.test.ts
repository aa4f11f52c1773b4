import { beforeEach, describe, expect, it } from 'vitest';
import { endpoints, pods, services } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { endpointsController } from './endpoints.ts';

describe('endpoints in their old form', () => {
  let test: TestCluster;

  beforeEach(async () => {
    test = await startTestCluster();
    test.start(endpointsController);
  });

  const service = async (name: string, spec: object) => {
    const made = await test.create(services, name, { metadata: { labels: { l: 'm' } }, spec });
    await test.settle();
    return made;
  };
  const pod = async (number: number, isReady: boolean, port: number) => {
    const containers = [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: port }] }];
    const spec = { nodeName: 'n', hostname: `h${number}`, subdomain: 's', containers };
    const made = await test.create(pods, `p${number}`, { metadata: { labels: { app: 'a' } }, spec });
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    await test.setStatus(pods, `p${number}`, { phase: 'Running', podIP: `10.1.0.${number}`, conditions });
    return made;
  };
  const both = [
    { name: 'http', port: 80, targetPort: 'web' },
    { name: 'dash', port: 8265 },
  ];
  const address = (number: number) => expect.objectContaining({ ip: `10.1.0.${number}`, hostname: `h${number}` });

  it('are there before there are pods, with the labels of the service', async () => {
    const { metadata } = await service('s', { selector: { app: 'a' }, ports: both });
    expect(test.get(endpoints, 's').metadata).toMatchObject({
      labels: { l: 'm', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': metadata.creationTimestamp },
    });
    expect(test.get(endpoints, 's')).not.toHaveProperty('subsets');
  });

  it('tell for every set of ports which addresses are ready', async () => {
    await service('s', { selector: { app: 'a' }, ports: both });
    await pod(2, false, 8080);
    const { metadata } = await pod(1, true, 8080);
    await pod(3, true, 9090);
    const { subsets } = test.get(endpoints, 's');
    const [http, dash] = ['http', 'dash'].map((name) => (port: number) => ({ name, port, protocol: 'TCP' }));
    expect(subsets).toHaveLength(3);
    expect(subsets).toEqual(
      expect.arrayContaining([
        { addresses: [address(1), address(3)], notReadyAddresses: [address(2)], ports: [dash?.(8265)] },
        { addresses: [address(1)], notReadyAddresses: [address(2)], ports: [http?.(8080)] },
        { addresses: [address(3)], ports: [http?.(9090)] },
      ]),
    );
    const { uid } = metadata;
    expect(subsets?.flatMap(({ addresses = [] }) => addresses)).toContainEqual({
      hostname: 'h1',
      ip: '10.1.0.1',
      nodeName: 'n',
      targetRef: { kind: 'Pod', name: 'p1', namespace: SPACE, uid },
    });
  });

  it('tell ports that the same addresses have together, and leave out a pod that is going', async () => {
    await service('s', { selector: { app: 'a' }, ports: both });
    await service('h', { selector: { app: 'a' }, clusterIP: 'None' });
    const going = await pod(1, true, 8080);
    await pod(2, true, 8080);
    await test.client.delete(pods, going.metadata);
    await test.settle();
    expect(test.get(endpoints, 's').subsets).toMatchObject([
      { addresses: [address(2)], ports: [{ name: 'dash' }, { name: 'http' }] },
    ]);
    expect(test.get(endpoints, 'h').subsets).toEqual([{ addresses: [expect.objectContaining({ ip: '10.1.0.2' })] }]);
    expect(test.get(endpoints, 'h').metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
  });

  it('are not written again while nothing changes', async () => {
    await service('s', { selector: { app: 'a' }, ports: both });
    await pod(1, true, 8080);
    const before = test.get(endpoints, 's');
    await test.client.patch(
      pods,
      { name: 'p1', namespace: SPACE },
      { type: 'merge', body: { metadata: { annotations: { x: 'y' } } } },
    );
    await test.settle();
    expect(test.get(endpoints, 's')).toBe(before);
    expect(test.errors).toEqual([]);
  });

  it('come back when they are deleted, and go with their service', async () => {
    const made = await service('s', { selector: { app: 'a' }, ports: both });
    await test.client.delete(endpoints, { name: 's', namespace: SPACE });
    await test.settle();
    expect(test.find(endpoints, 's')).toBeDefined();
    await test.client.delete(services, made.metadata);
    await test.settle();
    expect(test.find(endpoints, 's')).toBeUndefined();
  });

  it('that somebody else writes are left alone', async () => {
    const subsets = [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 1, protocol: 'TCP' }] }];
    await test.create(endpoints, 'free', { subsets });
    await test.create(endpoints, 'plain', { subsets });
    await service('plain', { ports: both });
    expect(test.get(endpoints, 'plain').subsets).toEqual(subsets);
    expect(test.get(endpoints, 'free').subsets).toEqual(subsets);
  });
});
