import {
  type Container,
  DEFAULT_APP_PROTOCOL,
  DefaultPort,
  isServePortName,
  PortName,
  type ServicePort,
} from '@manta/api';

/**
 * The ports of the head Service: those that the Ray container declares, else Ray's defaults, plus one for metrics. A Service must not have a
 * number twice: the first declared port wins.
 */
export function headServicePorts(container: Container): readonly ServicePort[] {
  const all = [...portsOf(container)];
  const once = all.filter(([, port], at) => all.findIndex(([, other]) => other === port) === at);
  return byName(new Map(once)).map((port) => ({ ...port, appProtocol: DEFAULT_APP_PROTOCOL }));
}

/** The ports for Ray Serve that the Ray container declares. */
export function servePorts(container: Container): readonly ServicePort[] {
  return byName(portsOf(container)).filter(({ name }) => isServePortName(name));
}

/**
 * The user's ports. `targetPort: 0` and `nodePort: 0` mean unset, as Go clients write them: the port leads to its own number, and the API
 * server allocates the node port.
 */
export function portsOfUser(ports: readonly ServicePort[] = []): readonly ServicePort[] {
  return ports.map(({ targetPort, nodePort, ...port }) => ({
    ...port,
    ...(targetPort ? { targetPort } : {}),
    ...(nodePort ? { nodePort } : {}),
  }));
}

/** The number of the dashboard port. */
export function dashboardPort(container: Container): number {
  return portsOf(container).get(PortName.Dashboard) ?? DefaultPort.Dashboard;
}

function portsOf({ ports = [] }: Container): ReadonlyMap<string, number> {
  if (ports.length === 0) return USUAL_PORTS;
  const declared = ports.map(({ name, containerPort }) => [name || `${containerPort}-port`, containerPort] as const);
  const named = new Map<string, number>(declared);
  return named.has(PortName.Metrics) ? named : named.set(PortName.Metrics, DefaultPort.Metrics);
}

/** Sorted, so that the same ports always give the same list. */
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
