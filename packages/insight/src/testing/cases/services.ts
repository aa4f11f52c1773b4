import type { AppStatus, RayCronJob, RayService, RayServiceSpec, RayServiceStatuses } from '@manta/api';
import type { World, WorldEvent } from '../../world.ts';
import { ago, event, NAMESPACE, recorded, seen } from '../recorded-world.ts';
import { allReady, condition, meta, type WhyCase } from './case.ts';

const notReady = condition('Ready', 'False', 'Initializing', 'RayService is initializing');
const ready = condition('Ready', 'True', 'NonZeroServeEndpoints');
const service = (status: RayServiceStatuses, spec: Partial<RayServiceSpec> = {}, annotations = {}): RayService => ({
  metadata: { ...meta('demo'), annotations },
  spec: { rayClusterConfig: { headGroupSpec: { template: {} } }, ...spec },
  status,
});
const serving = (app: AppStatus | undefined, parts: Partial<World> = {}, conditions = [notReady]): World =>
  recorded({
    ...allReady('demo-a'),
    rayServices: seen(
      service({
        conditions,
        activeServiceStatus: { rayClusterName: 'demo-a', applicationStatuses: app === undefined ? {} : { llm: app } },
      }),
    ),
    ...parts,
  });
const told = (...events: readonly WorldEvent[]) => ({ events: seen(...events) });
const incremental: Partial<RayServiceSpec> = {
  upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions: { gatewayClassName: 'manta' } },
};
const gatewayed = (parts: Partial<World>): World =>
  recorded({ rayServices: seen(service({ conditions: [notReady] }, incremental)), ...parts });
const owned = [{ apiVersion: 'ray.io/v1', kind: 'RayService', name: 'demo', uid: 'uid-demo', controller: true }];
const accepted = { status: { conditions: [{ type: 'Accepted', status: 'True' }] } };
const gatewayClasses = seen({ metadata: { name: 'manta' }, ...accepted });
const gateway = (
  ...conditions: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
) => seen({ metadata: { name: 'demo-gateway', namespace: NAMESPACE, ownerReferences: owned }, status: { conditions } });
const programmed = gateway({ type: 'Accepted', status: 'True' }, { type: 'Programmed', status: 'True' });
const route = (message: string) =>
  seen({
    metadata: { name: 'demo-httproute', namespace: NAMESPACE, ownerReferences: owned },
    spec: { rules: [{ backendRefs: [{ name: 'demo-a-serve-svc' }] }] },
    status: {
      parents: [{ parentRef: { name: 'demo-gateway' }, conditions: [{ type: 'Accepted', status: 'False', message }] }],
    },
  });
const cron = (parts: Partial<RayCronJob> = {}): RayCronJob => ({
  metadata: meta('demo'),
  spec: { schedule: '*/5 * * * *', jobTemplate: {} },
  ...parts,
});
const scheduled = (...events: readonly WorldEvent[]): World =>
  recorded({ rayCronJobs: seen(cron()), events: seen(...events) });

/** What a RayService, its Gateway and a RayCronJob say. */
export const SERVICE_CASES: readonly WhyCase[] = [
  ...(
    [
      {
        code: 'ServeImportError',
        title: 'a wrong import_path',
        world: serving({
          status: 'DEPLOY_FAILED',
          message: "Traceback (most recent call last):\nModuleNotFoundError: No module named 'app'",
        }),
        sentence: "Serve cannot import application llm: ModuleNotFoundError: No module named 'app'",
      },
      {
        code: 'ServeDeployFailed',
        title: 'a constructor that raises',
        world: serving({
          status: 'DEPLOY_FAILED',
          message: 'The deployment failed to start 3 times in a row:\nRuntimeError: no weights',
        }),
        sentence: 'Serve application llm of RayService/demo cannot be deployed: RuntimeError: no weights',
      },
      {
        code: 'ServeWaitingForResources',
        title: 'replicas without a GPU',
        world: serving({
          status: 'DEPLOYING',
          serveDeploymentStatuses: {
            Model: {
              status: 'UPDATING',
              message:
                'Deployment has 1 replicas that have taken more than 30s to be scheduled. Resources required for each replica: {"GPU": 1}',
            },
          },
        }),
        sentence:
          'Serve application llm of RayService/demo waits for resources: Deployment has 1 replicas that have taken more than 30s to be scheduled. Resources required for each replica: {"GPU": 1}',
      },
      {
        code: 'ServeUnhealthy',
        title: 'a failing health check',
        world: serving({
          status: 'UNHEALTHY',
          serveDeploymentStatuses: {
            Model: { status: 'UNHEALTHY', message: 'A replica failed its health check 3 times' },
          },
        }),
        sentence: 'Serve application llm of RayService/demo is unhealthy: A replica failed its health check 3 times',
      },
      {
        code: 'ServeConfigRefused',
        title: 'a configuration that Ray refuses',
        world: serving(
          undefined,
          told(
            event('RayService', 'demo', 'FailedToUpdateServeApplications', '400 Bad Request: import_path is missing'),
          ),
        ),
        sentence: 'Ray refuses the Serve configuration of RayService/demo: 400 Bad Request: import_path is missing',
      },
      {
        code: 'DashboardUnreachable',
        title: 'a dashboard that is silent',
        world: serving(
          undefined,
          told(event('RayService', 'demo', 'FailedToUpdateServeApplications', 'connect ECONNREFUSED 10.0.0.1:8265')),
        ),
        sentence:
          'the operator does not reach the Ray dashboard of RayCluster demo-a: connect ECONNREFUSED 10.0.0.1:8265',
      },
      {
        code: 'ServeDeploying',
        title: 'an application that starts',
        world: serving({ status: 'DEPLOYING' }),
        sentence: 'Serve application llm of RayService/demo is deploying',
      },
      {
        code: 'ServeNotStarted',
        title: 'no application yet',
        world: serving(undefined),
        sentence: 'Serve on RayCluster demo-a has no application yet',
      },
      {
        code: 'NoServeEndpoints',
        title: 'no ready proxies',
        world: serving({ status: 'RUNNING' }, {}, [condition('Ready', 'False', 'ZeroServeEndpoints', 'no endpoints')]),
        sentence: 'no pod is ready behind the serve Service of RayService/demo',
      },
      {
        code: 'InitializingTimeout',
        title: 'the initializing timeout',
        world: recorded({
          rayServices: seen(service({ conditions: [condition('Ready', 'False', 'InitializingTimeout', 'gave up')] })),
        }),
        sentence: 'RayService/demo did not become ready in time and the operator gave up',
      },
      {
        code: 'UpgradeRolledBack',
        title: 'a rolled-back upgrade',
        world: serving(
          { status: 'RUNNING' },
          told(event('RayService', 'demo', 'UpgradeRolledBack', 'the new cluster did not become ready')),
          [ready],
        ),
        sentence: 'the last upgrade of RayService/demo was rolled back: the new cluster did not become ready',
      },
      {
        code: 'UpgradeLacksRoom',
        title: 'no room for a second cluster',
        world: serving(
          { status: 'RUNNING' },
          told(event('RayService', 'demo', 'UpgradeLacksRoom', 'the new cluster needs 8 CPU, 2 are free')),
          [ready],
        ),
        sentence: 'the upgrade of RayService/demo waits: the new cluster needs 8 CPU, 2 are free',
      },
      {
        code: 'Upgrading',
        title: 'an upgrade under way',
        world: serving({ status: 'RUNNING' }, {}, [
          ready,
          condition('UpgradeInProgress', 'True', 'BothActivePendingClustersExist'),
        ]),
        sentence: 'RayService/demo is moving to a new cluster; the old one serves meanwhile',
      },
      {
        code: 'InvalidSpec',
        title: 'a spec that the operator refuses',
        world: recorded({
          rayServices: seen(
            service({
              conditions: [condition('Ready', 'False', 'ValidationFailed', 'spec.serveConfigV2 is not YAML')],
            }),
          ),
        }),
        sentence: 'the operator refuses RayService/demo: spec.serveConfigV2 is not YAML',
      },
      {
        code: 'GatewayApiMissing',
        title: 'no Gateway API',
        world: gatewayed({ gateways: { kind: 'absent' } }),
        sentence: 'RayService/demo moves traffic in steps, and the Gateway API is not installed',
      },
      {
        code: 'GatewayClassMissing',
        title: 'no GatewayClass',
        world: gatewayed({}),
        sentence: 'RayService/demo uses GatewayClass manta, which does not exist',
      },
      {
        code: 'GatewayClassNotServed',
        title: 'a class that no controller serves',
        world: gatewayed({
          gatewayClasses: seen({ metadata: { name: 'manta' }, spec: { controllerName: 'example.com/gone' } }),
        }),
        sentence: 'no controller serves GatewayClass manta (controllerName example.com/gone)',
      },
      {
        code: 'GatewayNotProgrammed',
        title: 'a Gateway that is not ready',
        world: gatewayed({
          gatewayClasses,
          gateways: gateway({ type: 'Programmed', status: 'False', message: 'port 80 is taken' }),
        }),
        sentence: 'Gateway demo-gateway of RayService/demo is not ready: port 80 is taken',
      },
      {
        code: 'RouteBackendMissing',
        title: 'a route without its Service',
        world: gatewayed({ gatewayClasses, gateways: programmed, httpRoutes: route('') }),
        sentence: 'HTTPRoute demo-httproute sends traffic to Service demo-a-serve-svc, which does not exist',
      },
      {
        code: 'RouteNotAccepted',
        title: 'a route that the Gateway refuses',
        world: gatewayed({
          gatewayClasses,
          gateways: programmed,
          httpRoutes: route('no listener allows it'),
          services: seen({ metadata: { name: 'demo-a-serve-svc', namespace: NAMESPACE } }),
        }),
        sentence: 'the Gateway does not accept HTTPRoute demo-httproute: no listener allows it',
      },
    ] as const
  ).map((row) => ({ ...row, kind: 'RayService' as const })),
  ...(
    [
      {
        code: 'InvalidSchedule',
        title: 'a schedule with a typo',
        world: scheduled(event('RayCronJob', 'demo', 'InvalidRayCronJobSpec', 'spec.schedule "* * *" has 3 fields')),
        sentence: 'the schedule of RayCronJob/demo cannot be read: spec.schedule "* * *" has 3 fields',
      },
      {
        code: 'FeatureGateOff',
        title: 'a schedule whose feature gate is off',
        world: recorded({
          rayCronJobs: seen(
            cron({
              status: {
                conditions: [
                  {
                    type: 'Scheduling',
                    status: 'False',
                    reason: 'FeatureGateOff',
                    message: 'The feature gate RayCronJob is off',
                    lastTransitionTime: ago(100),
                  },
                ],
              },
            }),
          ),
        }),
        sentence: 'the feature gate RayCronJob is off, so the operator creates no RayJobs for RayCronJob/demo',
      },
      {
        code: 'ScheduleBlocked',
        title: 'a RayJob that still runs',
        world: scheduled(event('RayCronJob', 'demo', 'JobAlreadyActive', 'demo-1 still runs')),
        sentence: 'RayCronJob/demo skips its times while an earlier RayJob runs: demo-1 still runs',
      },
      {
        code: 'ScheduleMissed',
        title: 'a missed time',
        world: scheduled(event('RayCronJob', 'demo', 'MissSchedule', 'missed 11:55')),
        sentence: 'RayCronJob/demo missed a time: missed 11:55',
      },
      {
        code: 'DeadlineExceeded',
        title: 'a failed RayJob of the schedule',
        world: recorded({
          rayCronJobs: seen(cron()),
          rayJobs: seen({
            metadata: { ...meta('demo-1'), labels: { 'ray.io/cronjob-name': 'demo' }, creationTimestamp: ago(100) },
            spec: { activeDeadlineSeconds: 5 },
            status: { jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' },
          }),
        }),
        sentence: 'RayJob/demo-1 ran longer than its 5 s and was ended',
      },
    ] as const
  ).map((row) => ({ ...row, kind: 'RayCronJob' as const })),
];
