import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type OperatorEnv, readOperatorEnv } from '@manta/api';
import {
  type Clock,
  ConfigError,
  createKubeClient,
  createTransport,
  loadConnection,
  systemClock,
  type Transport,
} from '@manta/kube';
import {
  createHealth,
  createManager,
  createMetricsRegistry,
  createRestClientObserver,
  type Logger,
  registerProcessMetrics,
  thisProcess,
  type World,
} from '@manta/runtime';
import { type ClusterFacts, discoverFacts } from './cluster/facts.ts';
import { keepFactsFresh } from './cluster/fresh-facts.ts';
import { createShortcomings } from './cluster/shortcomings.ts';
import { unmetRequirement } from './cluster/requirements.ts';
import { createControllers } from './controllers/controllers.ts';
import type { OperatorOptions } from './options/options.ts';
import { readOptions } from './options/read-options.ts';
import { relevantPermissions } from './permissions/relevant.ts';
import { joinElection } from './process/election.ts';
import { openLog } from './process/logging.ts';
import { startServers } from './process/servers.ts';
import { stopSignal } from './process/signals.ts';
import { StartError } from './process/start-error.ts';

/**
 * Runs the operator until it is told to stop; resolves with the exit status. What is wrong has been said by then. It heeds SIGTERM and
 * SIGINT, unless whoever runs it in a process with other things brings a `stop` of their own.
 */
export async function runOperator(args: readonly string[], version: string, stop?: AbortSignal): Promise<number> {
  const read = await readOptions(args);
  if (read.kind === 'help') {
    process.stdout.write(`${read.text}\n`);
    return 0;
  }
  if (read.kind === 'error') return complain(read.message);
  const clock = systemClock;
  const log = openLog(read.options.log, clock);
  if (!log.ok) return complain(log.error);
  process.once('exit', () => log.value.flushSync());
  try {
    await run(read.options, version, clock, log.value, stop);
    return 0;
  } catch (error) {
    if (!(error instanceof StartError || error instanceof ConfigError))
      log.value.error('problem running manager', error);
    return complain(error instanceof Error ? error.message : String(error));
  } finally {
    await log.value.flush();
  }
}

/** From options to a running manager, top to bottom. */
async function run(
  options: OperatorOptions,
  version: string,
  clock: Clock,
  root: Logger,
  outerStop: AbortSignal | undefined,
): Promise<void> {
  const log = root.named('setup');
  const env = readOperatorEnv(process.env);
  sayHello(options, env, version, log);
  const metrics = createMetricsRegistry();
  registerProcessMetrics(metrics, thisProcess());
  const health = createHealth();

  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const transport = createTransport({
    connection,
    clock,
    userAgent: `kuberay-operator/${version}`,
    observer: createRestClientObserver(metrics),
  });
  const client = createKubeClient({ transport, clock, rateLimit: options.rateLimit });
  const world: World = { clock, random: Math.random, client, log: root, metrics };
  const stop =
    outerStop === undefined
      ? stopSignal((name) => log.info('Stopping', { signal: name }))
      : { signal: outerStop, dispose: () => undefined };
  try {
    const facts = await firstContact(world, connection.server);
    const unmet = unmetRequirement(options, facts);
    if (unmet !== undefined) throw new StartError(unmet);
    const election = await joinElection(options, world, randomUUID());
    const servers = await startServers(options, metrics, health, log);
    const shortcomings = createShortcomings({
      ...world,
      log,
      wanted: relevantPermissions(options, facts),
      namespaces: options.watchNamespaces,
    });
    const { controllers, informers, events } = createControllers(world, {
      options,
      env,
      version,
      facts: keepFactsFresh(facts, client, clock, log),
      hostname: hostname(),
    });
    const manager = createManager(world, {
      informers,
      controllers,
      leadership: election,
      runnables: [{ name: 'shortcomings', needsLeader: false, run: (signal) => shortcomings.watch(signal) }],
    });
    health.addCheck('readyz', 'permissions', shortcomings.permissionsCheck);
    health.addCheck('readyz', 'crds', shortcomings.crdsCheck);
    addControllerCheck();
    log.info('starting manager');
    try {
      await manager.run(stop.signal);
    } finally {
      await events.stop(EVENT_FLUSH_MS);
      await servers.close();
    }

    function addControllerCheck(): void {
      health.addCheck('readyz', 'controllers', () => {
        const { controllers: states, isLeading } = manager.status();
        const off = states.flatMap((state) => (state.state === 'off' ? [`${state.name} is off: ${state.reason}`] : []));
        return { isOk: true, note: isLeading && off.length > 0 ? off.join('; ') : undefined };
      });
    }
  } finally {
    stop.dispose();
    await closeTransport(transport);
  }
}

const EVENT_FLUSH_MS = 3_000;
const FIRST_CONTACT_MS = 4_000;

/** The first question to the API server: whoever cannot ask it cannot do anything, and hears why at once. */
async function firstContact(world: World, server: URL): Promise<ClusterFacts> {
  try {
    return await discoverFacts(world.client, { timeoutMs: FIRST_CONTACT_MS });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      reason.includes(server.host) ? reason : `cannot use the API server at ${server.origin}: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

function sayHello(options: OperatorOptions, env: OperatorEnv, version: string, log: Logger): void {
  log.info('Manta operator', { version, node: process.version });
  log.info('Loaded feature gates', { featureGates: options.gates });
  if (options.watchNamespaces.length > 0)
    log.info('Only watch custom resources in the namespaces', { namespaces: options.watchNamespaces });
  for (const note of [...options.notes, ...env.notes]) log.warn(note);
  if (env.webhooks) log.warn('ENABLE_WEBHOOKS is set, but this version does not serve webhooks yet');
}

/** One line for people; the log has the rest. */
function complain(message: string): number {
  process.stderr.write(`manta operator: ${message}\n`);
  return 1;
}

async function closeTransport(transport: Transport): Promise<void> {
  await transport.close();
}
