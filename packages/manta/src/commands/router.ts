import { guardProcess, messageOf } from '@manta/base';
import { stopSignal } from '@manta/operator/stop-signal';
import { DEFAULT_CLASS, ROUTER_RULES, type RouterOptions, runRouter, trustNetworks } from '@manta/router';
import { type ListenAddress, parseListenAddress } from '@manta/runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';

interface RouterFlags {
  readonly listen: readonly ListenAddress[];
  readonly metricsAddr?: ListenAddress;
  readonly gatewayClass: string;
  readonly namespace: readonly string[];
  readonly kubeconfig?: string;
  readonly address: readonly string[];
  readonly installCrds: boolean;
  readonly connectTimeout: number;
  readonly answerTimeout: number;
  readonly shutdownDelay: number;
  readonly shutdownGrace: number;
  readonly trustedProxies: readonly string[];
  readonly logFormat: 'console' | 'json';
  readonly printRbac: boolean;
}

const DEFAULT_LISTEN: ListenAddress = { host: undefined, port: 8000 };

const LESSON = `
The router serves Gateways of its class and the HTTPRoutes that name them, as RayServices with
the strategy NewClusterWithIncrementalUpgrade make them:

  upgradeStrategy:
    type: NewClusterWithIncrementalUpgrade
    clusterUpgradeOptions: { gatewayClassName: ${DEFAULT_CLASS}, stepSizePercent: 10, intervalSeconds: 30 }

Every listener of every Gateway is served at --listen, whatever its port. Where several Gateways have
routes for any host, requests choose one by the Host header <gateway>.<namespace>:

  manta router --listen 127.0.0.1:8000 --install-crds
  curl -H 'Host: my-service-gateway.default' http://127.0.0.1:8000/`;

/** Tells the command line what the router takes, and runs it; `version` is how it calls itself at the API server. */
export function describeRouter(command: Command, version: string): void {
  command
    .addOption(
      new Option('--listen <address...>', 'where clients are served').argParser(addAddress).default([], ':8000'),
    )
    .option('--gateway-class <name>', 'serve Gateways of this class', DEFAULT_CLASS)
    .addOption(new Option('--namespace <name...>', 'look at these namespaces only').default([], 'all'))
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .addOption(
      new Option('--address <address...>', 'what Gateways say of where they are reached').default([], 'nothing'),
    )
    .option('--install-crds', 'install minimal definitions of the Gateway API where there are none', false)
    .option('--connect-timeout <seconds>', 'how long a connection to a pod may take', seconds, 2)
    .option('--answer-timeout <seconds>', 'how long the first byte of an answer may take; 0 is any time', seconds, 0)
    .option('--shutdown-delay <seconds>', 'how long to go on serving once told to stop', seconds, 0)
    .option('--shutdown-grace <seconds>', 'how long requests under way may take to end after that', seconds, 25)
    .addOption(
      new Option(
        '--trusted-proxies <networks>',
        'pass on X-Forwarded-* of clients at these addresses or networks, separated by commas; those of others are replaced',
      )
        .argParser(networks)
        .default([], 'none'),
    )
    .option('--metrics-addr <address>', 'where /metrics is served; else nowhere', address)
    .addOption(
      new Option('--log-format <format>', 'how log lines look').choices(['console', 'json']).default('console'),
    )
    .option('--print-rbac', 'print the ClusterRole that the router needs as YAML, and end', false)
    .addHelpText('after', LESSON)
    .action(async (flags: RouterFlags) => {
      if (flags.printRbac) printRules();
      else await run(flags, version);
    });
}

async function run(flags: RouterFlags, version: string): Promise<void> {
  const stop = stopSignal();
  // An exception that belongs to no connection is logged and counted; other requests go on.
  const unguard = guardProcess();
  try {
    await runRouter(toOptions(flags), version, stop.signal);
  } finally {
    unguard();
    stop.dispose();
  }
}

function toOptions(flags: RouterFlags): RouterOptions {
  return {
    listen: flags.listen.length === 0 ? [DEFAULT_LISTEN] : flags.listen,
    metrics: flags.metricsAddr,
    gatewayClass: flags.gatewayClass,
    namespaces: flags.namespace,
    kubeconfig: flags.kubeconfig,
    addresses: flags.address,
    installCrds: flags.installCrds,
    connectTimeoutMs: flags.connectTimeout * 1000,
    answerTimeoutMs: flags.answerTimeout === 0 ? undefined : flags.answerTimeout * 1000,
    shutdownDelayMs: flags.shutdownDelay * 1000,
    shutdownGraceMs: flags.shutdownGrace * 1000,
    trustedProxies: flags.trustedProxies,
    logFormat: flags.logFormat,
  };
}

function printRules(): void {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'manta-router' },
    rules: ROUTER_RULES,
  };
  process.stdout.write(stringify(role, { aliasDuplicateObjects: false }));
}

function addAddress(text: string, before: readonly ListenAddress[]): readonly ListenAddress[] {
  return [...before, address(text)];
}

function address(text: string): ListenAddress {
  const parsed = parseListenAddress(text);
  if (parsed.kind === 'listen') return parsed.address;
  throw new InvalidArgumentError(parsed.kind === 'invalid' ? parsed.message : 'An address is needed, such as ":8000".');
}

function networks(text: string, before: readonly string[]): readonly string[] {
  const named = text.split(',').map((network) => network.trim());
  try {
    trustNetworks(named);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
  return [...before, ...named];
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 86_400) return value;
  throw new InvalidArgumentError('Give a number of seconds from 0 to 86400.');
}
