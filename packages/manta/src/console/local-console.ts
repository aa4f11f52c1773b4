import type { Duplex } from 'node:stream';
import { firstFreePort } from '../local/free-port.ts';
import { runConsole } from './run-console.ts';

/** Next to the ports of the API and the router. */
const DEFAULT_PORT = 7481;
const RAY_DASHBOARD_PORT = 7482;
const HOST = '127.0.0.1';

export interface LocalConsole {
  /** Undefined is the usual one, or any where that is taken; 0 is any. */
  readonly port: number | undefined;
  readonly kubeconfig: string;
  /** How pods are reached. */
  readonly dial: (ip: string, port: number) => Promise<Duplex>;
  /** Called with a link that logs in once: at the start, and again whenever one was used. */
  readonly onLink: (url: string, isFirst: boolean) => void;
}

/** Serves the web console of a local engine on a loopback port until told to stop. */
export async function runLocalConsole(local: LocalConsole, version: string, stop: AbortSignal): Promise<void> {
  const port = local.port ?? (await firstFreePort(DEFAULT_PORT, HOST));
  let isFirst = true;
  const onLink = (url: string) => {
    local.onLink(url, isFirst);
    isFirst = false;
  };
  const { kubeconfig } = local;
  const rayDashboards = {
    port: await firstFreePort(RAY_DASHBOARD_PORT, HOST),
    dial: ({ ip, port: target }: { readonly ip: string; readonly port: number }) => local.dial(ip, target),
  };
  const listen = { host: HOST, port };
  await runConsole({ listen, hosts: [], kubeconfig, rayDashboards, logFormat: 'console', onLink }, version, stop);
}
