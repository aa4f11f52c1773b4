import type { AppStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld } from '../../testing/service-world.ts';

const TRACEBACK =
  "Deploying app 'app' failed with exception:\nTraceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'myap'\n";
const FAILED = "application app is DEPLOY_FAILED: ModuleNotFoundError: No module named 'myap'";
const warnings = (world: ServiceWorld) =>
  world.events.filter(({ severity }) => severity === 'Warning').map(({ reason, note }) => `${reason}: ${note}`);

/** A service that serves, and that gets a configuration which fails in place. */
function failInPlace(application: AppStatus, replicas = 1): ServiceWorld {
  const world = restingService();
  world.edit({ serveConfigV2: 'applications: [{ name: app, import_path: "myap:app" }]' });
  world.reconcile();
  Object.assign(world.serveOf(world.active), {
    applications: { app: application },
    servingReplicas: new Map([['app', replicas]]),
  });
  world.events = [];
  world.settle(5);
  return world;
}

describe('a Serve configuration that fails in place', () => {
  const failed = { status: 'DEPLOY_FAILED', message: TRACEBACK };

  it('is reported by the Ready condition, which stays True, with the last line of the traceback', () => {
    const world = failInPlace(failed);
    expect(world.status.serviceStatus).toBe('Running');
    expect(world.message('Ready')).toBe(
      `Number of serve endpoints is greater than 0; an earlier version of application app serves, since ${FAILED}`,
    );
  });

  it('is reported by one Warning event, also across a restart of the operator', () => {
    const world = failInPlace(failed);
    world.restart();
    world.settle(30);
    expect(warnings(world)).toEqual([
      `ServeApplicationFailed: RayCluster ml/${world.active}: an earlier version of application app serves, since ${FAILED}`,
    ]);
  });

  it('does not claim that an earlier version serves if no replica takes requests', () => {
    const stopped = { ...failed, serveDeploymentStatuses: { D: { status: 'UNHEALTHY' } } };
    const world = failInPlace(stopped, 0);
    expect(world.message('Ready')).toBe(`Number of serve endpoints is greater than 0; ${FAILED}`);
  });

  it('is reported likewise if Serve lists no deployments, as after a failed import', () => {
    const world = failInPlace(failed, 0);
    const message = `Number of serve endpoints is greater than 0; an earlier version of application app serves, since ${FAILED}`;
    expect(world.message('Ready')).toBe(message);
    // What a restarted operator knows once it has found that Serve has the configuration.
    world.memory = { ...world.memory, ranApplications: {} };
    world.settle(5);
    expect(world.message('Ready')).toBe(message);
  });

  it('is not remembered of applications that Serve lists no more', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    for (const name of ['one', 'two', 'three']) {
      serve.applications = { [name]: { status: 'RUNNING' } };
      world.reconcile();
    }
    expect(Object.values(world.memory.ranApplications ?? {})).toEqual([['three']]);
  });

  it('is no longer reported once the application runs', () => {
    const world = failInPlace(failed);
    world.serveOf(world.active).applications = { app: { status: 'RUNNING' } };
    world.settle(2);
    expect(world.message('Ready')).toBe('Number of serve endpoints is greater than 0');
  });
});

describe('an application that fails in the first cluster', () => {
  it('is reported by a Warning event', () => {
    const world = new ServiceWorld();
    world.reconcile();
    world.reconcile();
    world.serveOf(world.pending).applications = { app: { status: 'DEPLOY_FAILED', message: TRACEBACK } };
    world.reconcile();
    expect(warnings(world)).toEqual([`ServeApplicationFailed: RayCluster ml/${world.pending}: ${FAILED}`]);
  });
});
