import { BlockList, connect, isIPv6 } from 'node:net';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { type Clock, openPodPorts } from '@manta/kube';
import type { ViewerAccess } from '../identity/viewer.ts';

/** A port of a head pod. */
export interface HeadAddress {
  readonly namespace: string;
  readonly pod: string;
  /** From the pod's status, which only kubelets write. */
  readonly ip: string;
  readonly port: number;
}

/** Opens a connection to a head pod and to nothing else. */
export type HeadDial = (head: HeadAddress, viewer: ViewerAccess, signal: AbortSignal) => Promise<Duplex>;

const CONNECT_MS = 5000;

/** Addresses that no pod has: a status that names one was forged. */
const NOT_PODS = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
] as const)
  NOT_PODS.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  NOT_PODS.addSubnet(network, bits, 'ipv6');

/** For a console that runs inside the cluster: straight to the pod's address. */
export const dialPod: HeadDial = async ({ ip, port }, _viewer, signal) => {
  if (NOT_PODS.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4')) throw new Error(`${ip} is not the address of a pod`);
  const socket = connect({ host: ip, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

/** For a console outside the cluster: a port-forward with the viewer's identity, which needs `create` on pods/portforward. */
export function forwardToPod(clock: Clock): HeadDial {
  return async ({ namespace, pod, port }, { connection }, signal) => {
    const [stream] = await openPodPorts(connection, { namespace, pod, ports: [port], signal, clock });
    if (stream === undefined) throw new Error(`no connection to pod ${pod}`);
    return stream;
  };
}
