import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createImageTable,
  type ImageTableOptions,
  type LoopbackAccess,
  type LocalPods,
  openLoopbackAccess,
  type PodsContext,
  PLAIN_GATEWAY,
  POD_GATEWAY,
  type SandboxMode,
  startPods,
} from '@manta/kubelet';
import { type EngineRecord, readEngineRecord, removeEngineRecord, startEngine, writeEngineRecord } from '@manta/local';
import { OperatorEnvName } from '@manta/api';
import { guardProcess } from '@manta/base';
import { ApiError, proxyFor, systemClock } from '@manta/kube';
import { stopSignal } from '@manta/operator/stop-signal';
import { rayVersionsBeside } from '../local/ray-versions.ts';
import { rayWithView } from '../local/ray-with-view.ts';
import { chosenDataDir } from './data-dir.ts';
import { ensureCrds, firstDefinitions, rememberCrds } from './engine-crds.ts';
import { resetDataDir } from '../local/reset.ts';
import { refuseForeign, writeKubeconfig } from './kubeconfig-out.ts';

/** What `manta up` was asked for. */
export interface UpOptions {
  /** False where `--no-pods` was given. */
  readonly pods: boolean;
  /** False where `--no-operator` was given. */
  readonly operator: boolean;
  readonly port: number;
  readonly dataDir?: string;
  readonly kubeconfigOut?: string;
  /** A file of other clusters to which ours is added; true is the user's own. */
  readonly kubeconfigMerge?: string | true;
  /** Empties the data directory first. */
  readonly reset?: boolean;
  /** The operator's, as its own flag takes them. */
  readonly featureGates?: string;
  /** Images, without tags, and the folder whose programs stand for each. */
  readonly image?: Readonly<Record<string, string>>;
  /** Gives each of Ray's images the version that its tag says, instead of the one that is installed. */
  readonly rayFromTag?: boolean;
  /** Where Gateways are served; undefined is a port of its own, or any where that is taken. */
  readonly routerPort?: number;
  /** Addresses and CIDR ranges that the egress proxy of pods allows although it refuses others like them. */
  readonly egressAllow?: readonly string[];
  /** Which users of this machine the loopback ports serve; `user` if the system tells who owns a connection, unless given. */
  readonly loopbackAccess?: LoopbackAccess;
  /** False where `--no-console` was given. */
  readonly console: boolean;
  /** False where `--no-history` was given. */
  readonly history: boolean;
  /** Where the web console is served; undefined is a port of its own, or any where that is taken. */
  readonly consolePort?: number;
  /** How pods are kept apart; chosen by trying unless told. */
  readonly sandbox?: SandboxMode;
}

/** How long the API has for its first clients before the rest begins. */
const HEAD_START_MS = 30;

/** Serves the API with our CRDs and the operator until SIGINT or SIGTERM; resolves with the exit status. */
export async function up(options: UpOptions, version: string): Promise<number> {
  const dataDir = chosenDataDir(options.dataDir);
  refuseSecond(dataDir);
  const kubeconfig = resolve(options.kubeconfigOut ?? join(dataDir, 'kubeconfig'));
  refuseForeign(kubeconfig);
  if (options.reset === true) resetDataDir(dataDir);
  const stop = stopSignal();
  // An exception that belongs to no connection is reported, and the engine goes on: its pods would end with it.
  const unguard = guardProcess();
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  // As it is now: what this process sets for itself later is no proxy for pods.
  const environment = { ...process.env };
  const outgoing = (url: URL) => proxyFor(url, environment);
  const ray = options.pods ? await rayWithView(process.stdout, stop.signal) : undefined;
  const rayOfVersion =
    ray !== undefined && options.rayFromTag === true
      ? await rayVersionsBeside(ray, { say, signal: stop.signal, env: environment })
      : undefined;
  const admit = options.pods
    ? await openLoopbackAccess(options.loopbackAccess, environment, (line) => sayWarning('loopback ports', line))
    : undefined;
  let pods: LocalPods | undefined;
  let routing: Promise<void> | undefined;
  let consoleServing: Promise<void> | undefined;
  let recording: Promise<void> | undefined;
  const engine = await startEngine({
    world: { clock: systemClock, newUid: randomUUID, random: Math.random },
    dataDir,
    definitions: await firstDefinitions(options.pods),
    port: options.port,
    toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
    onError: sayError,
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
            });
            return pods;
          },
        }),
  });
  try {
    await ensureCrds(engine, dataDir);
    const access = engine.kubeconfig({ name: 'admin', groups: ['system:masters'] });
    writeKubeconfig(kubeconfig, access);
    await merge(options.kubeconfigMerge, access);
    const how = pods === undefined ? {} : { pods: pods.description };
    let record: Omit<EngineRecord, 'pid'> = {
      url: engine.url,
      kubeconfig,
      startedAt: new Date().toISOString(),
      ...how,
    };
    const publish = (more: Partial<EngineRecord>) => {
      record = { ...record, ...more };
      writeEngineRecord(dataDir, record);
    };
    publish({});
    if (pods !== undefined) {
      say(pods.description);
      // The operator runs in this process, outside of the pods' network.
      process.env['HTTP_PROXY'] = pods.proxy.url;
    }
    say(`ready\nkubeconfig: ${kubeconfig}`);
    if (pods !== undefined) {
      const onServing = (router: string) => {
        publish({ router });
        say(`router: ${router}`);
      };
      const { dial } = pods;
      const { runLocalRouter } = await import('../local/router.ts');
      routing = runLocalRouter(
        { port: options.routerPort, kubeconfig, dial, admit, onServing },
        version,
        stop.signal,
      ).catch((error: unknown) => sayError('router', error));
    }
    // Whoever has waited for the API gets an answer first: what follows keeps this thread busy for a while.
    await delay(HEAD_START_MS);
    await rememberCrds(engine, dataDir);
    if (options.history && options.pods) {
      const { runLocalHistory } = await import('../history/local-history.ts');
      recording = runLocalHistory(engine, { dataDir, kubeconfig }, version, stop.signal).catch((error: unknown) =>
        sayWarning('history', error instanceof Error ? error.message : String(error)),
      );
    }
    if (options.console && pods !== undefined) {
      const { dial } = pods;
      const { runLocalConsole } = await import('../console/local-console.ts');
      const onLink = (link: string, isFirst: boolean) => {
        publish({ console: link });
        if (isFirst) say(`console: ${link}`);
      };
      consoleServing = runLocalConsole(
        { port: options.consolePort, kubeconfig, dial, onLink },
        version,
        stop.signal,
      ).catch((error: unknown) => sayWarning('console', error instanceof Error ? error.message : String(error)));
    }
    if (!options.operator) {
      if (pods !== undefined) say(`proxy: ${pods.proxy.url}`);
      await untilAborted(stop.signal);
      return 0;
    }
    // One machine has little room: a submitter only waits for Ray, so it takes none of it.
    process.env[OperatorEnvName.SubmitterRequests] ??= 'false';
    const { runOperator } = await import('@manta/operator');
    return await runOperator(operatorFlags(kubeconfig, options.featureGates), version, stop.signal);
  } finally {
    await Promise.all([routing, consoleServing, recording]);
    await engine.stop();
    removeEngineRecord(dataDir);
    stop.dispose();
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

function refuseSecond(dataDir: string): void {
  const running = readEngineRecord(dataDir);
  if (running === undefined) return;
  throw new Error(
    `an engine already serves ${dataDir}: process ${running.pid}, ${running.url}; manta down stops it, --data-dir chooses another directory`,
  );
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

function sayWarning(where: string, line: string): void {
  process.stderr.write(`manta: ${where}: ${line}\n`);
}

function sayError(where: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`manta: ${where}: ${text}\n`);
}
