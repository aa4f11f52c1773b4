import {
  type Container,
  DEFAULT_APP_PROTOCOL,
  DefaultPort,
  isServePortName,
  PortName,
  type ServicePort,
} from '@manta/api';

/**
 * The ports of the head's Service: what the Ray container declares, and one for metrics; Ray's usual ones where it declares none. Of two
 * with one number, which no Service may have, the one that was declared first.
 */
export function headServicePorts(container: Container): readonly ServicePort[] {
  const all = [...portsOf(container)];
  const once = all.filter(([, port], at) => all.findIndex(([, other]) => other === port) === at);
  return byName(new Map(once)).map((port) => ({ ...port, appProtocol: DEFAULT_APP_PROTOCOL }));
}

/** The ports on which Ray Serve takes traffic, as far as the Ray container declares them. */
export function servePorts(container: Container): readonly ServicePort[] {
  return byName(portsOf(container)).filter(({ name }) => isServePortName(name));
}

/**
 * A user's own ports. A target or a node port of 0 says the same as none, and is what Go programs write for it: the port leads to its own
 * number, and the API server chooses the node port.
 */
export function portsOfUser(ports: readonly ServicePort[] = []): readonly ServicePort[] {
  return ports.map(({ targetPort, nodePort, ...port }) => ({
    ...port,
    ...(targetPort ? { targetPort } : {}),
    ...(nodePort ? { nodePort } : {}),
  }));
}

/** The number of the port that leads to the dashboard. */
export function dashboardPort(container: Container): number {
  return portsOf(container).get(PortName.Dashboard) ?? DefaultPort.Dashboard;
}

function portsOf({ ports = [] }: Container): ReadonlyMap<string, number> {
  if (ports.length === 0) return USUAL_PORTS;
  const declared = ports.map(({ name, containerPort }) => [name || `${containerPort}-port`, containerPort] as const);
  const named = new Map<string, number>(declared);
  return named.has(PortName.Metrics) ? named : named.set(PortName.Metrics, DefaultPort.Metrics);
}

/** One order for all: a list that came out differently each time would look like a change. */
function byName(ports: ReadonlyMap<string, number>): readonly { readonly name: string; readonly port: number }[] {
  return [...ports].map(([name, port]) => ({ name, port })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const USUAL_PORTS: ReadonlyMap<string, number> = new Map([
  [PortName.Client, DefaultPort.Client],
  [PortName.Dashboard, DefaultPort.Dashboard],
  [PortName.GcsServer, DefaultPort.GcsServer],
  [PortName.Metrics, DefaultPort.Metrics],
  [PortName.Serve, DefaultPort.Serve],
]);
