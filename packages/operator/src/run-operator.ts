import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type OperatorEnv, readOperatorEnv } from '@manta/api';
import { type Clock, ConfigError, serviceAccountNamespace, systemClock, systemHost } from '@manta/kube';
import {
  createHealth,
  createManager,
  createMetricsRegistry,
  DEFAULT_TIMINGS,
  type Health,
  informersCheck,
  type Logger,
  type ManagerStatus,
  registerProcessMetrics,
  reportFailures,
  thisProcess,
  type World,
  watchLoop,
  workersCheck,
} from '@manta/runtime';
import { unmetRequirement } from './cluster/requirements.ts';
import { createShortcomings } from './cluster/shortcomings.ts';
import { type ControllersInput, createControllers } from './controllers/controllers.ts';
import type { OperatorOptions } from './options/options.ts';
import { readOptions } from './options/read-options.ts';
import { relevantPermissions } from './permissions/relevant.ts';
import { connect } from './process/connect.ts';
import { joinElection, leaseNamespace } from './process/election.ts';
import { createFirstContact } from './process/first-contact.ts';
import { openLog } from './process/logging.ts';
import { openRaySend } from './process/ray-send.ts';
import { rayTokenReader } from './process/ray-token.ts';
import { startServers } from './process/servers.ts';
import { stopSignal } from './process/signals.ts';
import { StartError } from './process/start-error.ts';
import { stopOnUnknownFailure } from './process/unknown-failure.ts';
import { readWebhookSettings } from './webhooks/read-settings.ts';
import { runWebhooks } from './webhooks/run-webhooks.ts';
import { createYamlOffLoop, PARSE_YAML, parseYamlFromStdin } from './yaml-process.ts';

/**
 * Runs the operator until it is stopped; resolves with the exit status, after errors were reported. Handles SIGTERM and SIGINT itself unless
 * the caller passes `stop`, e.g. to run it in a process with other programs.
 */
export async function runOperator(args: readonly string[], version: string, stop?: AbortSignal): Promise<number> {
  if (args[0] === PARSE_YAML) return await parseYamlFromStdin();
  const read = await readOptions(args);
  if (read.kind === 'help') {
    process.stdout.write(`${read.text}\n`);
    return 0;
  }
  if (read.kind === 'error') return complain(read.message);
  const clock = systemClock;
  const log = openLog(read.options.log, clock);
  if (!log.ok) return complain(log.error);
  const flushLog = () => log.value.flushSync();
  process.once('exit', flushLog);
  // The clock's timers do not keep the process alive, and without an API server nothing else may.
  const stayAlive = setInterval(() => undefined, STAY_ALIVE_MS);
  // Only in a process of its own: otherwise the embedding program decides what an unknown failure ends.
  const fatal = stop === undefined ? stopOnUnknownFailure() : undefined;
  try {
    await run(read.options, version, clock, log.value, { stop, fatal: fatal?.signal });
    if (fatal?.signal.aborted !== true) return 0;
    return complain('stopped in order after an unexpected error; the log has its stack');
  } catch (error) {
    if (!(error instanceof StartError || error instanceof ConfigError))
      log.value.error('problem running manager', error);
    return complain(error instanceof Error ? error.message : String(error));
  } finally {
    await log.value.flush();
    clearInterval(stayAlive);
    fatal?.dispose();
    process.off('exit', flushLog);
  }
}

/** From options to a running manager, top to bottom. */
async function run(
  options: OperatorOptions,
  version: string,
  clock: Clock,
  root: Logger,
  outer: { readonly stop: AbortSignal | undefined; readonly fatal: AbortSignal | undefined },
): Promise<void> {
  const log = root.named('setup');
  const env = readOperatorEnv(process.env);
  sayHello(options, env, version, log);
  const metrics = createMetricsRegistry();
  registerProcessMetrics(metrics, thisProcess());
  const stopReports = reportFailures(log, metrics);
  const { client, transport, server } = await connect(options, version, { clock, metrics, log: root });
  const world: World = { clock, random: Math.random, client, log: root, metrics };
  const raySend = openRaySend(options.useKubernetesProxy, transport);
  const stop =
    outer.stop === undefined
      ? stopSignal((name) => log.info('Stopping', { signal: name }))
      : { signal: outer.stop, dispose: () => undefined };
  const either = AbortSignal.any([stop.signal, ...(outer.fatal === undefined ? [] : [outer.fatal])]);
  const health = createHealth();
  const contact = createFirstContact(world, server);
  health.addCheck('readyz', 'api-server', contact.check);
  const loop = watchLoop({ clock, monotonic: () => performance.now(), limitMs: LEASE_MS, reportMs: BLOCK_REPORT_MS });
  for (const probe of ['healthz', 'readyz'] as const) health.addCheck(probe, 'event-loop', loop.check);
  let servers: Awaited<ReturnType<typeof startServers>> | undefined;
  try {
    servers = await startServers(options, metrics, health, log);
    const facts = await contact.facts(either);
    if (facts === undefined) return;
    const unmet = unmetRequirement(options, facts);
    if (unmet !== undefined) throw new StartError(unmet);
    const { send: sendToRay } = raySend;
    const rayToken = rayTokenReader(clock, env.rayTokenFile);
    const yamlOffLoop = createYamlOffLoop();
    const input = { options, env, version, facts, hostname: hostname(), sendToRay, rayToken, yamlOffLoop };
    await manage(world, input, health, either);
  } finally {
    loop.stop();
    stop.dispose();
    stopReports();
    await servers?.close();
    raySend.close();
    await transport.close();
  }
}

/** Starts all parts and runs them until `stop` is aborted. */
async function manage(world: World, input: ControllersInput, health: Health, stop: AbortSignal): Promise<void> {
  const { options, facts } = input;
  const log = world.log.named('setup');
  const namespace = await leaseNamespace(options);
  const leadership = namespace === undefined ? undefined : joinElection(namespace, world, randomUUID());
  const ownNamespace = process.env['POD_NAMESPACE'] || (await serviceAccountNamespace(systemHost()));
  const webhookSettings = readWebhookSettings(process.env, input.env.clusterDomain, ownNamespace);
  const wanted = relevantPermissions(options, facts, input.env, namespace);
  const shortcomings = createShortcomings({ ...world, log, wanted, namespaces: options.watchNamespaces });
  const { controllers, informers, events, poller } = createControllers(world, { ...input, ownNamespace });
  const manager = createManager(world, {
    informers,
    controllers,
    leadership,
    onMayAct: (mayAct) => (mayAct ? poller.resumeCommands() : poller.suspendCommands()),
    runnables: [
      { name: 'shortcomings', needsLeader: false, run: (signal) => shortcomings.watch(signal) },
      ...(input.env.webhooks
        ? [
            {
              name: 'webhooks',
              needsLeader: false,
              run: (signal: AbortSignal) => runWebhooks(world, signal, webhookSettings),
            },
          ]
        : []),
    ],
  });
  health.addCheck('readyz', 'permissions', shortcomings.permissionsCheck);
  health.addCheck('readyz', 'crds', shortcomings.crdsCheck);
  health.addCheck('readyz', 'informers', informersCheck(informers));
  health.addCheck('readyz', 'controllers', () => ({ isOk: true, note: controllersNote(manager.status()) }));
  for (const probe of ['healthz', 'readyz'] as const) health.addCheck(probe, 'workers', workersCheck(controllers));
  log.info('starting manager');
  try {
    await manager.run(stop);
  } finally {
    poller.close();
    await events.stop(EVENT_FLUSH_MS);
  }
}

/** Which controllers of a leader do not work, and why. */
function controllersNote({ controllers, isLeading, isSuspended }: ManagerStatus): string | undefined {
  if (isSuspended) return 'resting: the leader lease could not be renewed, trying again';
  const off = controllers.flatMap((state) => (state.state === 'off' ? [`${state.name} is off: ${state.reason}`] : []));
  return isLeading && off.length > 0 ? off.join('; ') : undefined;
}

const EVENT_FLUSH_MS = 3_000;
/** The lease's renew deadline: an event loop that is blocked for longer cannot have renewed it. */
const LEASE_MS = DEFAULT_TIMINGS.retryPeriodMs + DEFAULT_TIMINGS.renewDeadlineMs;
/** Longer than liveness probes need to give up: a loop that is blocked again within this time is not getting better. */
const BLOCK_REPORT_MS = 30_000;
const STAY_ALIVE_MS = 2 ** 30;

function sayHello(options: OperatorOptions, env: OperatorEnv, version: string, log: Logger): void {
  log.info('Manta operator', { version, node: process.version });
  log.info('Loaded feature gates', { featureGates: options.gates });
  if (options.watchNamespaces.length > 0)
    log.info('Only watch custom resources in the namespaces', { namespaces: options.watchNamespaces });
  for (const note of [...options.notes, ...env.notes]) log.warn(note);
}

/** One line for users; the log has the details. */
function complain(message: string): number {
  process.stderr.write(`manta operator: ${message}\n`);
  return 1;
}
