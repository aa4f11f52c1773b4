import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld, type ServiceWorldOptions } from '../../testing/service-world.ts';

const selected = (world: ServiceWorld, service: string) =>
  world.services.get(service)?.spec?.selector?.['ray.io/cluster'];
const reasons = (world: ServiceWorld) => world.events.map(({ reason }) => reason);

describe('a new service', () => {
  it('gets the finalizer and a name for its cluster first, then the cluster, and Services only once it serves', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
    world.reconcile();
    expect(world.service.metadata?.finalizers).toEqual(['ray.io/rayservice-finalizer']);
    expect(world.pending).toMatch(/^svc-[a-z0-9]{5}$/);
    expect(world.clusters.size).toBe(0);
    world.settle(10);
    expect(world.clusters.size).toBe(1);
    expect([...world.services.keys()]).toEqual([]);
    expect(world.reason('Ready')).toBe('Initializing');
    world.serveOf(world.pending).applications = { app: { status: 'RUNNING' } };
    world.settle(5);
    expect([...world.services.keys()]).toEqual(['svc-head-svc', 'svc-serve-svc']);
    expect(world.status).toMatchObject({ serviceStatus: 'Running', numServeEndpoints: 2 });
    expect(world.reason('UpgradeInProgress')).toBe('NoPendingCluster');
  });

  it('is left alone once it serves: nothing is written, sent or told any more', () => {
    const world = restingService();
    const { configs } = world.serveOf(world.active);
    const [events, sent] = [world.events.length, configs.length];
    for (let pass = 0; pass < 50; pass += 1) {
      const plan = world.reconcile();
      expect([plan.actions, plan.status]).toEqual([[], undefined]);
      world.now += 60_000;
    }
    expect([world.events.length, configs.length]).toEqual([events, sent]);
  });

  it('keeps the cluster that its clients were led to, though the word that it took over was lost and other code is wanted', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
    world.settle(10);
    const first = world.pending;
    const before = world.status;
    world.serveOf(first).applications = { app: { status: 'RUNNING' } };
    world.settle(1);
    expect(selected(world, 'svc-serve-svc')).toBe(first);
    world.service = { ...world.service, status: before };
    world.deploysAs = 'DEPLOY_FAILED';
    const serveService = { metadata: { name: 'renamed' } };
    world.edit({ serveConfigV2: 'applications: [{name: broken}]', serveService });
    world.settle(5);
    expect([world.active, world.pending]).toEqual([first, '']);
    world.editImage('ray:new');
    world.settle(120);
    expect(world.clusters.has(first)).toBe(true);
    expect(selected(world, 'renamed')).toBe(first);
  });

  it.each(['DEPLOYING', 'UNHEALTHY', 'DEPLOY_FAILED', 'NOT_STARTED'])(
    'does not serve while an application is %s',
    (state) => {
      const world = restingService({ deploysAs: state });
      expect(world.active).toBe('');
      expect(world.status.serviceStatus ?? '').toBe('');
    },
  );

  it('says in its Ready condition what the failing application says', () => {
    const world = restingService({ deploysAs: 'DEPLOYING' });
    world.serveOf(world.pending).applications = { app: { status: 'DEPLOY_FAILED', message: 'ImportError: nope' } };
    world.settle(3);
    expect(world.message('Ready')).toBe(
      'RayService is initializing: application app is DEPLOY_FAILED: ImportError: nope',
    );
    world.serveOf(world.pending).applications = { app: { status: 'DEPLOYING' } };
    world.settle(3);
    expect(world.message('Ready')).toBe('RayService is initializing');
  });

  it('says in its Ready condition why Serve refuses the configuration, and keeps trying at growing intervals', () => {
    const world = new ServiceWorld();
    world.refusal = 'no such import path';
    world.settle(60);
    expect(world.message('Ready')).toContain('Serve did not take the configuration: no such import path');
    expect(reasons(world)).toContain('FailedToUpdateServeApplications');
    const tries = world.serveOf(world.pending).configs.length;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(12);
    world.refusal = undefined;
    world.settle(15);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('tries a refused configuration again within the longest pause when the clock is put back meanwhile', () => {
    const world = new ServiceWorld();
    world.refusal = 'no such import path';
    world.settle(30);
    world.now -= 3_600_000;
    world.refusal = undefined;
    world.settle(15);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('keeps its first names and Services with the longest name allowed', () => {
    const name = 'a'.repeat(47);
    const world = restingService({ metadata: { name, uid: 'u', generation: 1, namespace: 'ml' } });
    expect([...world.services.keys()]).toEqual([`${name}-head-svc`, `${name}-serve-svc`]);
    expect(world.active.length).toBeLessThanOrEqual(53);
  });
});

describe('a changed cluster', () => {
  it('is made beside the old one, takes over when it serves, and the old one goes after the delay', () => {
    const world = restingService();
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    expect(world.reason('UpgradeInProgress')).toBe('BothActivePendingClustersExist');
    expect(selected(world, 'svc-serve-svc')).toBe(old);
    const next = world.pending;
    world.serveOf(next).applications = { app: { status: 'RUNNING' } };
    world.settle(5);
    expect([world.active, world.pending]).toEqual([next, '']);
    expect([selected(world, 'svc-serve-svc'), selected(world, 'svc-head-svc')]).toEqual([next, next]);
    world.settle(50);
    expect(world.clusters.has(old)).toBe(true);
    world.settle(15);
    expect([...world.clusters.keys()]).toEqual([next]);
  });

  it.each([
    ['replicas', { workerGroupSpecs: [workerGroup('workers', { replicas: 3 })] }],
    ['nothing', {}],
  ])('is not made for an edit of %s', (_, change) => {
    const world = restingService();
    const old = world.active;
    const config = rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')], ...change });
    world.edit({ rayClusterConfig: config });
    world.settle(10);
    expect([world.active, world.pending, world.clusters.size]).toEqual([old, '', 1]);
  });

  it('is not made for a group that is appended: the running one takes it', () => {
    const world = restingService();
    const groups = [workerGroup('workers'), workerGroup('second')];
    world.edit({ rayClusterConfig: rayClusterSpec({ workerGroupSpecs: groups }) });
    world.settle(10);
    expect(world.clusters.size).toBe(1);
    expect(world.serveOf(world.active).cluster.spec?.workerGroupSpecs).toHaveLength(2);
    expect(reasons(world)).toContain('UpdatedRayCluster');
  });

  it('that is edited again before it serves is replaced by another', () => {
    const world = restingService();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    const first = world.pending;
    world.editImage('ray:newer');
    world.settle(5);
    expect(world.pending).not.toBe(first);
    expect(world.clusters.size).toBe(3);
  });

  it('is given up when the spec is reverted, and the old one serves on', () => {
    const world = restingService();
    const [old, spec] = [world.active, world.service.spec];
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    world.edit({ ...spec });
    world.settle(5);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(world.reason('UpgradeInProgress')).toBe('NoPendingCluster');
    world.settle(70);
    expect([...world.clusters.keys()]).toEqual([old]);
  });

  it('does not take over before a pod of it can take requests', () => {
    const world = restingService();
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    const next = world.pending;
    Object.assign(world.serveOf(next), { workers: 0, isProxyHealthy: false });
    world.serveOf(next).applications = { app: { status: 'RUNNING' } };
    world.settle(5);
    expect(selected(world, 'svc-serve-svc')).toBe(old);
    world.serveOf(next).workers = 1;
    world.settle(5);
    expect(world.active).toBe(next);
  });

  it('gets the new configuration; the old one keeps the one that it has', () => {
    const world = restingService();
    const old = world.serveOf(world.active);
    const before = old.configs.length;
    world.editImage('ray:new', { serveConfigV2: 'applications: [{name: other}]' });
    world.settle(10);
    expect(old.configs).toHaveLength(before);
    expect(JSON.stringify(world.serveOf(world.active).configs)).toContain('other');
  });

  it('is ignored where the strategy is None, though the configuration is sent', () => {
    const world = restingService({ spec: { upgradeStrategy: { type: 'None' } } });
    const old = world.active;
    world.editImage('ray:new', { serveConfigV2: 'applications: [{name: other}]' });
    world.settle(10);
    expect([world.active, world.clusters.size]).toEqual([old, 1]);
    expect(JSON.stringify(world.serveOf(old).configs.at(-1))).toContain('other');
  });

  it.each<[string, ServiceWorldOptions, boolean]>([
    ['ENABLE_ZERO_DOWNTIME=false and no strategy', { env: { ENABLE_ZERO_DOWNTIME: 'false' } }, false],
    [
      'ENABLE_ZERO_DOWNTIME=false and NewCluster',
      { env: { ENABLE_ZERO_DOWNTIME: 'false' }, spec: { upgradeStrategy: { type: 'NewCluster' } } },
      true,
    ],
    ['neither', {}, true],
    [
      'an incremental strategy whose gate is off',
      {
        gates: { RayServiceIncrementalUpgrade: false },
        spec: { upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade' } },
      },
      false,
    ],
  ])('with %s', (_, options, isMade) => {
    const world = restingService(options);
    world.editImage('ray:new');
    world.settle(3);
    expect(world.clusters.size).toBe(isMade ? 2 : 1);
  });
});

describe('a cluster that cannot run', () => {
  it('is told about, once, while the old one goes on', () => {
    const world = restingService();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(3);
    world.loseHead(world.pending);
    world.serveOf(world.pending).trouble = 'cannot be scheduled: 0/3 nodes are available';
    world.settle(10);
    const told = world.events.filter(({ reason }) => reason === 'UpgradeHeldUp');
    expect(told).toHaveLength(1);
    expect(told[0]?.note).toContain('cannot be scheduled: 0/3 nodes are available');
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('shows in the Ready condition of a service that has no other', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
    world.settle(3);
    world.loseHead(world.pending);
    world.serveOf(world.pending).trouble = 'container ray-head: image x cannot be pulled';
    world.settle(3);
    expect(world.message('Ready')).toContain('container ray-head: image x cannot be pulled');
  });
});

describe('clusters that somebody else touches', () => {
  it('a pending one that was deleted comes back under its name', () => {
    const world = restingService();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    const { pending } = world;
    world.clusters.delete(pending);
    world.settle(5);
    expect(world.clusters.has(pending)).toBe(true);
  });

  it('an active one that was deleted is replaced by one of another name', () => {
    const world = restingService();
    const old = world.active;
    world.clusters.delete(old);
    world.settle(10);
    expect(world.active).not.toBe(old);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it.each([
    ['of another operator', 'ABC', 'v1.4.2'],
    ['that was stamped when we hashed otherwise', `m1-${'0'.repeat(40)}`, '0.0.0-test'],
  ])('one %s is taken over as it is', (_, hash, version) => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const [hashKey, versionKey] = ['ray.io/hash-without-replicas-and-workers-to-delete', 'ray.io/kuberay-version'];
    const annotations = { [versionKey]: version, [hashKey]: hash };
    serve.cluster = { ...serve.cluster, metadata: { ...serve.cluster.metadata, annotations } };
    world.settle(10);
    expect(world.clusters.size).toBe(1);
    expect(serve.cluster.metadata?.annotations).toMatchObject({
      [versionKey]: '0.0.0-test',
      [hashKey]: expect.stringMatching(/^m3-/),
    });
  });

  it('one of another operator keeps the workers that somebody added', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const { spec, metadata } = serve.cluster;
    const annotations = { 'ray.io/kuberay-version': 'v1.4.2' };
    const workerGroupSpecs = spec?.workerGroupSpecs?.map((group) => ({ ...group, replicas: 7 }));
    const scaled = { headGroupSpec: { template: {} }, ...spec, ...(workerGroupSpecs && { workerGroupSpecs }) };
    serve.cluster = { ...serve.cluster, metadata: { ...metadata, annotations }, spec: scaled };
    world.settle(10);
    expect(serve.cluster.metadata?.annotations?.['ray.io/kuberay-version']).toBe('0.0.0-test');
    expect(serve.cluster.spec?.workerGroupSpecs?.map(({ replicas }) => replicas)).toEqual([7]);
  });

  it('one of another operator still rolls when the spec was changed meanwhile', () => {
    const world = restingService();
    const [old, serve] = [world.active, world.serveOf(world.active)];
    const annotations = {
      'ray.io/kuberay-version': 'v1.4.2',
      'ray.io/hash-without-replicas-and-workers-to-delete': 'ABC',
    };
    serve.cluster = { ...serve.cluster, metadata: { ...serve.cluster.metadata, annotations } };
    world.editImage('ray:new');
    world.settle(10);
    expect(world.active).not.toBe(old);
  });

  it('are found again when the status is lost: the one that has the traffic is active', () => {
    const world = restingService();
    const old = world.active;
    world.service = { ...world.service, status: {} };
    world.restart();
    world.settle(120);
    expect([world.active, world.clusters.size]).toEqual([old, 1]);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });
});

describe('the deletion of an old cluster', () => {
  it('is not put off by restarts', () => {
    const world = restingService();
    world.editImage('ray:new');
    world.settle(10);
    for (let restart = 0; restart < 6; restart += 1) {
      world.restart();
      world.settle(10);
    }
    expect(world.clusters.size).toBe(1);
  });

  it('keeps to the delay for a first cluster too that is replaced before it ever served', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
    // All in the second in which the cluster is made and the conditions are first written.
    for (let pass = 0; pass < 4; pass += 1) world.reconcile();
    const first = world.pending;
    world.now += 30_000;
    world.reconcile();
    world.editImage('ray:second');
    world.settle(58);
    expect([world.pending === first, world.clusters.has(first)]).toEqual([false, true]);
    world.settle(10);
    expect(world.clusters.has(first)).toBe(false);
  });

  it('keeps to the delay of the spec', () => {
    const world = restingService({ spec: { rayClusterDeletionDelaySeconds: 0 } });
    world.editImage('ray:new');
    world.settle(10);
    expect(world.clusters.size).toBe(1);
  });
});

describe('Services', () => {
  it('follow edits of the user’s template at once, and one under an old name goes', () => {
    const world = restingService();
    const serveService = { metadata: { name: 'mine', labels: { a: 'b' } }, spec: { type: 'NodePort' } } as const;
    world.edit({ serveService });
    world.settle(5);
    expect([...world.services.keys()].toSorted()).toEqual(['mine', 'svc-head-svc']);
    expect(world.services.get('mine')).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { type: 'NodePort' } });
  });

  it('come back when they are deleted', () => {
    const world = restingService();
    world.services.clear();
    world.settle(5);
    expect([...world.services.keys()]).toEqual(['svc-head-svc', 'svc-serve-svc']);
  });

  it('without a port for Serve are not made, the user is told once, and nothing is promoted', () => {
    const template = {
      spec: { containers: [{ name: 'ray', image: 'ray', ports: [{ name: 'dashboard', containerPort: 8265 }] }] },
    };
    const world = restingService({ spec: { rayClusterConfig: { headGroupSpec: { template } } } });
    expect(world.active).toBe('');
    expect(reasons(world).filter((reason) => reason === 'FailedToCreateService')).toHaveLength(1);
  });
});

describe('deleting a service', () => {
  it('deletes its clusters at once and lets go when they are gone', () => {
    const world = restingService();
    world.editImage('ray:new');
    world.settle(3);
    world.service = {
      ...world.service,
      metadata: { ...world.service.metadata, deletionTimestamp: new Date(world.now).toISOString() },
    };
    world.reconcile();
    expect([world.clusters.size, world.isGone]).toEqual([0, false]);
    world.reconcile();
    expect(world.isGone).toBe(true);
  });
});

describe('a service of another manager', () => {
  it.each(['kueue.x-k8s.io/multikueue', '', 'somebody'])('%j is not touched', (managedBy) => {
    const world = restingService({ spec: { managedBy } });
    expect([world.service.metadata?.finalizers, world.clusters.size]).toEqual([undefined, 0]);
  });
});
