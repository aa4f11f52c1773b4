import { systemClock } from '@manta/kube';
import { createProxy, type Proxy, type ProxyOptions } from '../proxy/proxy.ts';
import { startBackend, startHttp2Backend, startTcpBackend, type TestBackend } from './backends.ts';

/** What a test has opened, and how it is all closed again. */
export interface Parts {
  readonly proxy: (options?: Partial<ProxyOptions>) => Promise<{ readonly proxy: Proxy; readonly port: number }>;
  readonly backend: (...args: Parameters<typeof startBackend>) => Promise<TestBackend>;
  http2Backend(...args: Parameters<typeof startHttp2Backend>): Promise<TestBackend>;
  tcpBackend(...args: Parameters<typeof startTcpBackend>): Promise<TestBackend>;
  /** A backend that answers every request with this text. */
  readonly says: (text: string) => Promise<TestBackend>;
  /** Closes it after the test. */
  also(stop: () => void | Promise<void>): void;
  close(): Promise<void>;
}

/** Proxies and backends on loopback that end with their test. */
export function createParts(): Parts {
  const opened: (() => void | Promise<void>)[] = [];
  const kept = (started: TestBackend) => {
    opened.push(() => started.stop());
    return started;
  };
  const backend = async (...args: Parameters<typeof startBackend>) => kept(await startBackend(...args));
  return {
    async proxy(options = {}) {
      const proxy = createProxy({ clock: systemClock, random: () => 0.5, ...options });
      const port = await proxy.listen({ host: '127.0.0.1', port: 0 });
      opened.push(() => proxy.close(0));
      return { proxy, port };
    },
    backend,
    http2Backend: async (...args) => kept(await startHttp2Backend(...args)),
    tcpBackend: async (...args) => kept(await startTcpBackend(...args)),
    says: (text) => backend((_, response) => void response.end(text)),
    also: (stop) => void opened.push(stop),
    async close() {
      for (const stop of opened.splice(0).toReversed()) await stop();
    },
  };
}
