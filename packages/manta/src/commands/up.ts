import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createImageTable,
  type DashboardLink,
  type ImageTableOptions,
  type LocalPods,
  openLoopbackAccess,
  type PodsContext,
  PLAIN_GATEWAY,
  POD_GATEWAY,
  startPods,
} from '@manta/kubelet';
import { OperatorEnvName } from '@manta/api';
import {
  type EngineRecord,
  prepareDataDirectory,
  removeEngineRecord,
  startEngine,
  writeEngineRecord,
} from '@manta/local';
import { guardProcess, messageOf } from '@manta/base';
import { ApiError, proxyFor, systemClock } from '@manta/kube';
import { stopSignal } from '@manta/operator/stop-signal';
import { openEngineLog } from '../local/engine-log.ts';
import { nextSteps } from '../local/next-steps.ts';
import { startStep } from '../local/start-step.ts';
import { rayVersionsBeside } from '../local/ray-versions.ts';
import { rayWithView } from '../local/ray-with-view.ts';
import { checkBeforeStart } from './before-start.ts';
import { chosenDataDir } from './data-dir.ts';
import { ensureCrds, firstDefinitions, rememberCrds } from './engine-crds.ts';
import { resetDataDir } from '../local/reset.ts';
import { refuseForeign, writeKubeconfig } from './kubeconfig-out.ts';
import type { UpOptions } from './up-options.ts';

/** How long the API has for its first clients before the rest begins. */
const HEAD_START_MS = 30;
/** How long the next steps wait for the links above them: the console's page may have to be built first. */
const LINKS_MS = 5000;
/** No step takes a tenth of this on an idle machine. The installation of Ray has limits of its own. */
const STEP_LIMIT_MS = 120_000;
/** A terminal that is closed stops the engine in order, like Ctrl-C. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Serves the API with our CRDs and the operator until SIGINT, SIGTERM or SIGHUP; resolves with the exit status. */
export async function up(options: UpOptions, version: string): Promise<number> {
  const dataDir = chosenDataDir(options.dataDir);
  await checkBeforeStart(options, dataDir);
  const kubeconfig = resolve(options.kubeconfigOut ?? join(dataDir, 'kubeconfig'));
  refuseForeign(kubeconfig);
  prepareDataDirectory(dataDir);
  if (options.reset === true) resetDataDir(dataDir);
  const log = openEngineLog(dataDir);
  const signals = stopSignal(undefined, STOP_SIGNALS);
  // Everything that serves beside the operator ends when the operator has ended for whatever reason.
  const over = new AbortController();
  const stop = AbortSignal.any([signals.signal, over.signal]);
  // An exception that belongs to no connection is reported, and the engine goes on: its pods would end with it.
  const unguard = guardProcess();
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  // As it is now: what this process sets for itself later is no proxy for pods.
  const environment = { ...process.env };
  const outgoing = (url: URL) => proxyFor(url, environment);
  const ray = options.pods ? await rayWithView(process.stdout, stop) : undefined;
  const rayOfVersion =
    ray !== undefined && options.rayFromTag === true
      ? await rayVersionsBeside(ray, { say, signal: stop, env: environment })
      : undefined;
  const admit = options.pods
    ? await startStep(
        'checking the owners of loopback connections',
        STEP_LIMIT_MS,
        openLoopbackAccess(options.loopbackAccess, environment, (line) => log.warn('loopback ports', line)),
      )
    : undefined;
  let dashboards: readonly DashboardLink[] = [];
  let announce: (links: readonly DashboardLink[]) => void = () => undefined;
  /** Resolved when the router and the console serve. */
  const serving = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let pods: LocalPods | undefined;
  let routing: Promise<void> | undefined;
  let consoleServing: Promise<void> | undefined;
  let recording: Promise<void> | undefined;
  const starting = startEngine({
    world: { clock: systemClock, newUid: randomUUID, random: Math.random },
    dataDir,
    definitions: await firstDefinitions(options.pods),
    port: options.port,
    toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
    onError: (where, error) => log.error(where, error),
    furtherAddresses: [POD_GATEWAY, PLAIN_GATEWAY],
    ...(ray === undefined
      ? {}
      : {
          pods: async (context: PodsContext) => {
            pods = await startPods(context, {
              dataDir,
              images: createImageTable({ rayBin: ray.bin, rayOfVersion, configured: imageFolders(options.image) }),
              supervisorCommand: supervisorCommand(),
              mode: options.sandbox,
              hidden: [kubeconfig, ...(typeof options.kubeconfigMerge === 'string' ? [options.kubeconfigMerge] : [])],
              env: process.env,
              proxyFor: outgoing,
              egressAllowed: options.egressAllow,
              admit,
              capacity: { cpus: options.cpus, memory: options.memory },
              onDashboards: (links) => announce((dashboards = links)),
            });
            return pods;
          },
        }),
  });
  const engine = await startStep('starting the API and the network of the pods', STEP_LIMIT_MS, starting);
  try {
    await startStep('installing the CRDs', STEP_LIMIT_MS, ensureCrds(engine, dataDir));
    const access = engine.kubeconfig({ name: 'admin', groups: ['system:masters'] });
    writeKubeconfig(kubeconfig, access);
    await merge(options.kubeconfigMerge, access);
    const how = pods === undefined ? {} : { pods: pods.description, node: pods.node };
    const { file: logFile } = log;
    let record: Omit<EngineRecord, 'pid'> = {
      url: engine.url,
      kubeconfig,
      startedAt: new Date().toISOString(),
      ...how,
      ...(logFile === undefined ? {} : { log: logFile }),
    };
    const publish = (more: Partial<EngineRecord>) => {
      record = { ...record, ...more };
      writeEngineRecord(dataDir, record);
    };
    publish({});
    if (pods !== undefined) {
      say(pods.description);
      say(pods.node);
      // The operator runs in this process, outside of the pods' network.
      process.env['HTTP_PROXY'] = pods.proxy.url;
    }
    say(`ready\nkubeconfig: ${kubeconfig}`);
    if (pods !== undefined) {
      announce = announceDashboards(publish, say);
      // Clusters of an earlier run may have been ready before there was anything to announce.
      announce(dashboards);
      const onServing = (router: string) => {
        publish({ router });
        say(`router: ${router}`);
        serving[0].resolve();
      };
      const { dial } = pods;
      const { runLocalRouter } = await import('../local/router.ts');
      routing = runLocalRouter({ port: options.routerPort, kubeconfig, dial, admit, onServing }, version, stop).catch(
        (error: unknown) => log.error('router', error),
      );
    }
    // Whoever has waited for the API gets an answer first: what follows keeps this thread busy for a while.
    await delay(HEAD_START_MS);
    await rememberCrds(engine, dataDir);
    if (options.history && options.pods) {
      const { runLocalHistory } = await import('../history/local-history.ts');
      recording = runLocalHistory(engine, { dataDir, kubeconfig }, version, stop).catch((error: unknown) =>
        log.warn('history', messageOf(error)),
      );
    }
    if (!options.console) serving[1].resolve();
    if (options.console && pods !== undefined) {
      const { dial } = pods;
      const { runLocalConsole } = await import('../console/local-console.ts');
      const onLink = (link: string, isFirst: boolean) => {
        publish({ console: link });
        if (isFirst) say(`console: ${link}`);
        serving[1].resolve();
      };
      consoleServing = runLocalConsole({ port: options.consolePort, kubeconfig, dial, onLink }, version, stop).catch(
        (error: unknown) => log.warn('console', messageOf(error)),
      );
    }
    if (!options.operator) {
      if (pods !== undefined) say(`proxy: ${pods.proxy.url}`);
      await untilAborted(stop);
      return 0;
    }
    // One machine has little room: a submitter only waits for Ray, so it takes none of it.
    process.env[OperatorEnvName.SubmitterRequests] ??= 'false';
    const onStop = `objects stay in ${dataDir} and return at the next start`;
    const sayNext = async () => {
      const links = Promise.all(serving.map(({ promise }) => promise));
      await Promise.race([links, delay(LINKS_MS, undefined, { ref: false })]);
      if (!stop.aborted) say(nextSteps({ kubeconfig, logFile, dataDir: options.dataDir, onStop }));
    };
    if (options.pods) void sayNext();
    const { runOperator } = await import('@manta/operator');
    return await runOperator(operatorFlags(kubeconfig, options.featureGates), version, stop);
  } finally {
    over.abort();
    await Promise.all([routing, consoleServing, recording]);
    await engine.stop();
    removeEngineRecord(dataDir);
    signals.dispose();
    unguard();
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

async function merge(where: UpOptions['kubeconfigMerge'], access: string): Promise<void> {
  if (where === undefined) return;
  const { mergeKubeconfig } = await import('../local/merge-kubeconfig.ts');
  mergeKubeconfig(where === true ? join(homedir(), '.kube/config') : resolve(where), access);
}

function imageFolders(image: UpOptions['image'] = {}): NonNullable<ImageTableOptions['configured']> {
  return Object.fromEntries(Object.entries(image).map(([name, bin]) => [name, { bin: resolve(bin) }]));
}

/** This very program, as the one inside the pods' namespaces. */
function supervisorCommand(): readonly string[] {
  return [
    process.execPath,
    '--max-semi-space-size=1',
    '--no-node-snapshot',
    '--disable-warning=ExperimentalWarning',
    process.argv[1] ?? '',
    'supervisor',
  ];
}

/** Records the links of all Ray dashboards for `manta status`, and prints each new one. */
function announceDashboards(publish: (more: Partial<EngineRecord>) => void, say: (line: string) => void) {
  const said = new Set<string>();
  return (links: readonly DashboardLink[]) => {
    const dashboards = links.map(({ namespace, cluster, url }) => ({ cluster: `${namespace}/${cluster}`, url }));
    publish({ dashboards });
    for (const { cluster, url } of dashboards)
      if (!said.has(cluster)) say(`ray dashboard: ${url} (RayCluster ${cluster})`);
    said.clear();
    for (const { cluster } of dashboards) said.add(cluster);
  };
}

/** There is nobody to lead but this one, and whoever scrapes or probes would have to know its ports: any free ones will do. */
function operatorFlags(kubeconfig: string, featureGates: string | undefined): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--enable-leader-election=false',
    '--log-stdout-encoder=console',
    '--metrics-addr=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
    `--feature-gates=${localGates(featureGates)}`,
  ];
}

/** A schedule that is applied should run. What the user says of the gate counts. */
function localGates(featureGates = ''): string {
  const isNamed = /(^|,)\s*RayCronJob\s*=/.test(featureGates);
  return [isNamed ? '' : 'RayCronJob=true', featureGates].filter((gates) => gates !== '').join(',');
}
