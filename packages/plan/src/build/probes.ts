import {
  type Container,
  DefaultPort,
  isAtLeast,
  MAX_INT32,
  NodeType,
  OriginCrd,
  PortName,
  type Probe,
  parseGoInt,
  parseVersion,
  RayPath,
} from '@manta/api';
import type { StartParams } from './start-params.ts';

/** Inputs that decide a Ray container's probes. */
export interface ProbeInput {
  readonly nodeType: NodeType;
  readonly origin: OriginCrd;
  readonly rayVersion: string | undefined;
  readonly params: StartParams;
}

/** From this Ray release, one HTTP path reports the health of all processes of a node. */
const UNIFIED_HEALTH = [2, 53, 0] as const;

/** Adds the probes that the user has not set. */
export function withProbes(container: Container, input: ProbeInput): Container {
  return { livenessProbe: livenessProbe(input), readinessProbe: readinessProbe(input, container), ...container };
}

function livenessProbe(input: ProbeInput): Probe {
  return { ...timing(input, 30, 120), ...nodeHealth(input) };
}

function readinessProbe(input: ProbeInput, container: Container): Probe {
  if (input.nodeType !== NodeType.Worker || input.origin !== OriginCrd.RayService) {
    return { ...timing(input, 10, 10), ...nodeHealth(input) };
  }
  // A Serve worker leaves the Service at its first failed check.
  return { ...timing(input, 10, 1), ...shellCheck([raylet(input), serveProxy(container)]) };
}

function timing({ nodeType }: ProbeInput, initialDelaySeconds: number, failureThreshold: number): Probe {
  const timeoutSeconds = nodeType === NodeType.Head ? 5 : 2;
  return { initialDelaySeconds, timeoutSeconds, periodSeconds: 5, successThreshold: 1, failureThreshold };
}

function nodeHealth(input: ProbeInput): Probe {
  const version = parseVersion(input.rayVersion ?? '');
  if (version.ok && isAtLeast(version.value, UNIFIED_HEALTH)) {
    return { httpGet: { path: RayPath.NodeHealth, port: agentPort(input) } };
  }
  return shellCheck(input.nodeType === NodeType.Head ? [raylet(input), gcs(input)] : [raylet(input)]);
}

function shellCheck(commands: readonly string[]): Probe {
  return { exec: { command: ['bash', '-c', commands.join(' && ')] } };
}

const wget = (timeoutSeconds: number, port: number, path: string) =>
  `wget --tries 1 -T ${timeoutSeconds} -q -O- http://localhost:${port}/${path} | grep success`;
const raylet = (input: ProbeInput) => wget(2, agentPort(input), RayPath.RayletHealth);
const gcs = ({ params }: ProbeInput) =>
  wget(10, portFrom(params['dashboard-port'], DefaultPort.Dashboard), RayPath.GcsHealth);
const serveProxy = (container: Container) =>
  wget(10, namedPort(container, PortName.Serve) ?? DefaultPort.Serve, RayPath.ServeProxyHealth);
const agentPort = ({ params }: ProbeInput) =>
  portFrom(params['dashboard-agent-listen-port'], DefaultPort.DashboardAgent);

/** The number of the container port with that name. */
export function namedPort(container: Container, name: string): number | undefined {
  return container.ports?.find((port) => port.name === name)?.containerPort;
}

/** An invalid port is reported by Ray; the probes then use Ray's default. */
function portFrom(text: string | undefined, fallback: number): number {
  const port = parseGoInt(text ?? '');
  return port.ok && Math.abs(port.value) <= MAX_INT32 ? port.value : fallback;
}
