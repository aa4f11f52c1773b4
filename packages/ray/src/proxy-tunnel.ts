import { request as requestHttp } from 'node:http';
import type { Duplex } from 'node:stream';

/** What a proxy with a user and password in its address wants to see. */
export function proxyAuthorization(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '' && proxy.password === '') return {};
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** Where a proxy listens, once it is sure that we can talk to it. */
export function proxyAddress(proxy: URL, target: URL): { readonly host: string; readonly port: string } {
  if (proxy.protocol !== 'http:') {
    throw new Error(
      `${target.host} can be reached only through an http:// proxy, not through ${proxy.protocol}//${proxy.host}`,
    );
  }
  return { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || '80' };
}

/** A stream to `target` through an HTTP proxy; TLS is the caller's affair. */
export function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Duplex> {
  const authority = `${target.hostname}:${target.port || (/^(https|wss):$/.test(target.protocol) ? '443' : '80')}`;
  const address = proxyAddress(proxy, target);
  return new Promise((resolve, reject) => {
    const headers = { host: authority, ...proxyAuthorization(proxy) };
    const asking = requestHttp({ ...address, method: 'CONNECT', path: authority, headers, signal, agent: false });
    asking.once('connect', (response, socket) => {
      if (response.statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new Error(`the proxy http://${proxy.host} answered ${response.statusCode} to CONNECT ${authority}`));
    });
    asking.once('error', reject);
    asking.end();
  });
}
