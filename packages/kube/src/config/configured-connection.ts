import type { Socket } from 'node:net';
import type { Connection, Credentials, ServerTls } from '../transport/connection.ts';
import { ConfigError } from './config-error.ts';
import { type Identity, makeCredentials } from './credentials.ts';
import type { ExecCredential } from './exec-credential.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { Host } from './host.ts';
import { certificateProblem } from './pem.ts';
import { connectThroughProxy, tunnelTarget } from './proxy-connect.ts';
import { type FileContents, RefreshedFiles } from './refreshed-files.ts';

/** A connection that knows where its settings came from. */
export interface LoadedConnection extends Connection {
  /** For a log line, e.g. `/home/me/.kube/config, context "dev"` or `the service account of this pod`. */
  readonly origin: string;
  /** The proxy in use, if any. */
  readonly proxy: URL | undefined;
  /** Naming the credentials that were refused keeps newer ones from being dropped by a late answer. */
  invalidateCredentials(rejected?: Credentials): void;
}

/** Everything that the sources of configuration (kubeconfig, service account) have to say. */
export interface ConnectionParts {
  readonly origin: string;
  readonly server: URL;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly serverName?: string | undefined;
  readonly isInsecure: boolean;
  readonly identity: Identity;
  readonly exec?: ExecPlugin | undefined;
  readonly proxy: URL | undefined;
  readonly defaultNamespace?: string | undefined;
}

/** Reads every file once, so that mistakes come to light now, and gives the connection. Plugins run at the first request. */
export async function openConnection(parts: ConnectionParts, host: Host): Promise<LoadedConnection> {
  const connection = new ConfiguredConnection(parts, host);
  await connection.prepare();
  return connection;
}

interface Derived {
  readonly files: FileContents;
  readonly exec: ExecCredential | undefined;
  readonly credentials: Credentials;
}

class ConfiguredConnection implements LoadedConnection {
  readonly origin: string;
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly defaultNamespace: string | undefined;
  readonly connectSocket?: (signal: AbortSignal) => Promise<Socket>;
  readonly #parts: ConnectionParts;
  readonly #files: RefreshedFiles;
  #tls: ServerTls;
  #derived: Derived | undefined;

  constructor(parts: ConnectionParts, host: Host) {
    this.origin = parts.origin;
    this.server = parts.server;
    this.proxy = parts.proxy;
    this.defaultNamespace = parts.defaultNamespace;
    this.#parts = parts;
    this.#files = new RefreshedFiles(parts.identity.files, host);
    this.#tls = { ca: parts.ca, serverName: parts.serverName, rejectUnauthorized: !parts.isInsecure };
    const { proxy } = parts;
    if (proxy !== undefined) {
      this.connectSocket = (signal) => connectThroughProxy(proxy, tunnelTarget(parts.server), signal, this.#tls);
    }
  }

  get tls(): ServerTls {
    return this.#tls;
  }

  async prepare(): Promise<void> {
    const files = await this.#files.current();
    const problem = files.ca ? certificateProblem(files.ca) : undefined;
    if (problem !== undefined) throw new ConfigError(`${this.#parts.identity.files.ca?.field} ${problem}`);
    this.#useCa(files);
    if (this.#parts.exec === undefined) this.#derive(files, undefined);
  }

  credentials(): Credentials | Promise<Credentials> {
    const files = this.#files.current();
    return files instanceof Promise ? files.then((read) => this.#withExec(read)) : this.#withExec(files);
  }

  invalidateCredentials(rejected?: Credentials): void {
    if (rejected !== undefined && rejected !== this.#derived?.credentials) return;
    this.#files.invalidate();
    this.#parts.exec?.invalidate(this.#derived?.exec);
  }

  #withExec(files: FileContents): Credentials | Promise<Credentials> {
    const exec = this.#parts.exec?.current();
    return exec instanceof Promise ? exec.then((answer) => this.#derive(files, answer)) : this.#derive(files, exec);
  }

  #derive(files: FileContents, exec: ExecCredential | undefined): Credentials {
    const last = this.#derived;
    if (last !== undefined && last.files === files && last.exec === exec) return last.credentials;
    this.#useCa(files);
    let made: Credentials;
    try {
      made = makeCredentials(this.#parts.identity, files, exec);
    } catch (error) {
      if (last === undefined) throw error;
      this.#files.retrySoon();
      return last.credentials;
    }
    const credentials = last !== undefined && isSame(last.credentials, made) ? last.credentials : made;
    this.#derived = { files, exec, credentials };
    return credentials;
  }

  #useCa(files: FileContents): void {
    if (!files.ca || files.ca === this.#tls.ca || certificateProblem(files.ca) !== undefined) return;
    this.#tls = { ...this.#tls, ca: files.ca };
  }
}

/** Headers other than `authorization` are fixed for a connection. */
function isSame(a: Credentials, b: Credentials): boolean {
  return a.headers['authorization'] === b.headers['authorization'] && a.cert === b.cert && a.key === b.key;
}
