import { proxyFor, type Transport } from '@manta/kube';
import { createHttpSend, type HttpSend, sendThroughApiServerProxy } from '@manta/ray';

/** How requests reach Ray heads: through the API server, or straight and by the proxy that the environment names. */
export function openRaySend(throughApiServer: boolean, transport: Transport): HttpSend {
  if (throughApiServer) return { send: sendThroughApiServerProxy(transport), close: () => undefined };
  return createHttpSend({ proxyFor: (url) => proxyFor(url, process.env) });
}
