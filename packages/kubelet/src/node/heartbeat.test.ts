import { beforeEach, describe, expect, it } from 'vitest';
import { leases, nodes } from '@manta/controllers';
import { namespaces } from '../../../controllers/src/framework/kinds.ts';
import { startTestCluster, type TestCluster } from '@manta/controllers/testing';
import { startHeartbeat } from './heartbeat.ts';
import { setNodeReady } from './register-node.ts';

let test: TestCluster;
let stop: () => void;
beforeEach(async () => {
  test = await startTestCluster();
  await test.create(namespaces, 'kube-node-lease');
  stop = await startHeartbeat(test.cluster, { name: 'own', capacity: { cpu: '2' } });
});

const lease = () => test.find(leases, 'own', 'kube-node-lease');
const ready = () => test.get(nodes, 'own').status?.conditions?.find(({ type }) => type === 'Ready');

describe('a node', () => {
  it('renews its lease every ten seconds, and says how it is every five minutes', async () => {
    expect(test.get(nodes, 'own').status).toMatchObject({ capacity: { cpu: '2', pods: '110' } });
    expect(lease()).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'own', uid: test.get(nodes, 'own').metadata.uid }] },
      spec: { holderIdentity: 'own', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    await test.advance(299);
    expect(lease()?.spec?.renewTime).toBe('2026-01-01T00:04:50.000000Z');
    expect(test.history(nodes, 'own')).toHaveLength(2);
    await test.advance(1);
    expect(test.history(nodes, 'own')).toHaveLength(3);
    expect(ready()).toMatchObject({
      status: 'True',
      lastHeartbeatTime: '2026-01-01T00:05:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });

  it('tells when it changed, not only that it speaks', async () => {
    await test.advance(60);
    await setNodeReady(test.cluster, 'own', false);
    expect(ready()).toMatchObject({ status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' });
    await test.advance(240);
    expect(ready()).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-01T00:05:00Z' });
  });

  it('that was deleted is announced again', async () => {
    await test.client.delete(nodes, { name: 'own' });
    await test.advance(10);
    expect(ready()).toMatchObject({ status: 'True' });
  });

  it('that is stopped says nothing more', async () => {
    await test.advance(10);
    stop();
    await test.advance(1000);
    expect(lease()?.spec?.renewTime).toBe('2026-01-01T00:00:10.000000Z');
    expect(test.clock.pending).toBe(0);
  });
});
