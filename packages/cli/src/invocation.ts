import {
  ConfigError,
  createKubeClient,
  createTransport,
  type KubeClient,
  type LoadedConnection,
  loadConnection,
  systemHost,
  type Transport,
} from '@manta/kube';
import { type GlobalFlags, overridesOf } from './global-flags.ts';
import { localKubeconfig } from './local-kubeconfig.ts';
import type { CliWorld } from './world.ts';

/**
 * One call of the program: its global flags, the terminal and the API server. The connection is opened by the first request, so that
 * commands which need no server work without one.
 */
export class Invocation {
  readonly world: CliWorld;
  readonly flags: GlobalFlags;
  #connection: Promise<LoadedConnection> | undefined;
  #transport: Transport | undefined;
  #client: Promise<KubeClient> | undefined;

  /** The words behind `--`, which commander itself drops; undefined without `--`. */
  readonly behindDashes: readonly string[] | undefined;

  constructor(world: CliWorld, flags: GlobalFlags, args: readonly string[]) {
    this.world = world;
    this.flags = flags;
    const at = args.indexOf('--');
    this.behindDashes = at < 0 ? undefined : args.slice(at + 1);
  }

  /** Rejects with a `ConfigError` that says what to do when no API server is configured. */
  connection(): Promise<LoadedConnection> {
    this.#connection ??= this.#load();
    return this.#connection;
  }

  client(): Promise<KubeClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async transport(): Promise<Transport> {
    await this.client();
    if (this.#transport === undefined) throw new Error('client() opens the transport');
    return this.#transport;
  }

  /** `--namespace`, else the namespace of the context, else `default`. */
  async namespace(): Promise<string> {
    return this.flags.namespace ?? (await this.connection()).defaultNamespace ?? 'default';
  }

  /** The namespace to list in; undefined is all of them. */
  async scope(allNamespaces: boolean | undefined): Promise<string | undefined> {
    return allNamespaces === true ? undefined : await this.namespace();
  }

  /** Writes one line, or several, to standard output. */
  print(text: string): void {
    this.world.stdout.write(`${text}\n`);
  }

  /** Writes a line for people, not for scripts, to standard error. */
  say(text: string): void {
    this.world.stderr.write(`${text}\n`);
  }

  async close(): Promise<void> {
    await this.#transport?.close();
  }

  async #load(): Promise<LoadedConnection> {
    const { kubeconfig, context } = this.flags;
    const { env, homeDir, clock } = this.world;
    const host = { ...systemHost(), env, homeDir, clock };
    const overrides = overridesOf(this.flags);
    try {
      return await loadConnection({ kubeconfig, context, overrides, host });
    } catch (error) {
      const isNothingConfigured = error instanceof ConfigError && error.file === undefined;
      const local = isNothingConfigured ? localKubeconfig(env, homeDir) : undefined;
      if (local === undefined) throw error;
      return await loadConnection({ kubeconfig: local, context, overrides, host });
    }
  }

  async #connect(): Promise<KubeClient> {
    const { clock, version, signal } = this.world;
    const connection = await this.connection();
    const transport = createTransport({ connection, clock, userAgent: `kubectl-ray/${version}` });
    this.#transport = withTimeout(transport, this.flags.requestTimeout);
    // Ctrl-C ends whatever request is under way.
    if (signal.aborted) await transport.close();
    signal.addEventListener('abort', () => void transport.close(), { once: true });
    return createKubeClient({ transport: this.#transport, clock, host: connection.server.host });
  }
}

/** `--request-timeout` in place of the client's own timeouts; for a watch or a log it bounds the time until the server answers. */
function withTimeout(transport: Transport, requestTimeoutMs: number | undefined): Transport {
  if (requestTimeoutMs === undefined) return transport;
  const timeoutMs = requestTimeoutMs === 0 ? undefined : requestTimeoutMs;
  return {
    send: (request) => transport.send({ ...request, timeoutMs }),
    close: () => transport.close(),
    explainUnauthorized: () => transport.explainUnauthorized?.(),
  };
}
