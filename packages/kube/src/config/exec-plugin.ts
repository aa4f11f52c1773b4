import { isAbsolute, join, dirname } from 'node:path';
import { type ConfigError, errorCode, errorMessage } from './config-error.ts';
import { decodeExecCredential, type ExecCredential } from './exec-credential.ts';
import type { Fields } from './fields.ts';
import type { CommandResult, Env, Host } from './host.ts';

/** The cluster information for an exec plugin with `provideClusterInfo`. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Base64 of the PEM. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly config?: unknown;
}

/** A `users[].user.exec` section, checked. */
export interface ExecPluginConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly installHint: string | undefined;
  readonly wantsClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** For error messages. */
  readonly fields: Fields;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Timeout of a non-interactive plugin. */
const TIMEOUT_MS = 120_000;

/** Checks an `exec` section; a command with a slash in it is relative to the kubeconfig. */
export function readExecPlugin(exec: Fields): ExecPluginConfig {
  const apiVersion = exec.text('apiVersion');
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    const found = apiVersion === undefined ? 'is missing' : `"${apiVersion}" is not supported`;
    throw exec.error('apiVersion', `${found}; use ${API_VERSIONS.join(' or ')}, whichever the plugin answers in`);
  }
  const command = exec.text('command');
  if (command === undefined) throw exec.error('command', 'is missing; name the program that prints the credential');
  const isRelative = command.includes('/') && !isAbsolute(command);
  return {
    apiVersion,
    command: isRelative ? join(dirname(exec.file), command) : command,
    args: exec.texts('args'),
    env: readEnv(exec),
    installHint: exec.text('installHint'),
    wantsClusterInfo: exec.flag('provideClusterInfo'),
    interactiveMode: readInteractiveMode(exec, apiVersion),
    fields: exec,
  };
}

function readEnv(exec: Fields): Env {
  const env: Record<string, string> = {};
  for (const entry of exec.mappings('env')) {
    const name = entry.text('name');
    if (name === undefined) throw entry.error('name', 'is missing');
    env[name] = entry.text('value') ?? '';
  }
  return env;
}

function readInteractiveMode(exec: Fields, apiVersion: string): ExecPluginConfig['interactiveMode'] {
  const mode = exec.text('interactiveMode') ?? (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : undefined);
  switch (mode) {
    case 'Never':
    case 'IfAvailable':
    case 'Always':
      return mode;
    case undefined:
      throw exec.error('interactiveMode', 'is missing, and v1 asks for it: Never, IfAvailable or Always');
    default:
      throw exec.error('interactiveMode', `"${mode}" is unknown; use Never, IfAvailable or Always`);
  }
}

/** Runs the plugin when a credential is needed, one run at a time, and keeps its answer until it expires or is refused. */
export class ExecPlugin {
  readonly #config: ExecPluginConfig;
  readonly #host: Host;
  readonly #cluster: () => ExecClusterInfo;
  #credential: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(config: ExecPluginConfig, cluster: () => ExecClusterInfo, host: Host) {
    this.#config = config;
    this.#cluster = cluster;
    this.#host = host;
  }

  current(): ExecCredential | Promise<ExecCredential> {
    const kept = this.#credential;
    if (kept !== undefined && !hasExpired(kept, this.#host.clock.now())) return kept;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The server refused `rejected`. A credential that was fetched in the meantime is kept. */
  invalidate(rejected?: ExecCredential): void {
    if (rejected === undefined || rejected === this.#credential) this.#credential = undefined;
  }

  async #run(): Promise<ExecCredential> {
    const isInteractive = this.#isInteractive();
    let result: CommandResult;
    try {
      result = await this.#host.run({
        file: this.#config.command,
        args: this.#config.args,
        env: { ...this.#host.env, ...this.#config.env, KUBERNETES_EXEC_INFO: this.#execInfo(isInteractive) },
        isInteractive,
        timeoutMs: isInteractive ? undefined : TIMEOUT_MS,
      });
    } catch (error) {
      throw this.#cannotStart(error);
    }
    this.#checkEnd(result);
    this.#credential = this.#decode(result.stdout);
    return this.#credential;
  }

  #isInteractive(): boolean {
    const { interactiveMode, fields } = this.#config;
    if (interactiveMode === 'Always' && !this.#host.isStdinTerminal) {
      throw fields.error('interactiveMode', 'is Always, but standard input is not a terminal; log in by hand first');
    }
    return interactiveMode !== 'Never' && this.#host.isStdinTerminal;
  }

  #execInfo(interactive: boolean): string {
    const { apiVersion, wantsClusterInfo } = this.#config;
    const spec = wantsClusterInfo ? { cluster: this.#cluster(), interactive } : { interactive };
    return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
  }

  #checkEnd(result: CommandResult): void {
    if (result.hasTimedOut) throw this.#error(`did not answer within ${TIMEOUT_MS / 1000} seconds and was stopped`);
    if (result.exitCode === 0) return;
    const how = result.exitCode === undefined ? 'was killed by a signal' : `failed with exit code ${result.exitCode}`;
    const lastLine = result.stderrTail.trim().split('\n').at(-1)?.trim() ?? '';
    throw this.#error(lastLine === '' ? how : `${how}: ${oneLine(lastLine)}`);
  }

  #decode(stdout: string): ExecCredential {
    let credential: ExecCredential;
    try {
      credential = decodeExecCredential(this.#config.apiVersion, stdout);
    } catch (error) {
      throw this.#error(errorMessage(error), error);
    }
    if (hasExpired(credential, this.#host.clock.now())) {
      const when = new Date(credential.expiresAtMs ?? 0).toISOString();
      throw this.#error(`printed a credential that expired at ${when}; log in again, and check this machine's clock`);
    }
    return credential;
  }

  #cannotStart(error: unknown): ConfigError {
    const code = errorCode(error);
    if (code === 'EACCES') return this.#error('may not be executed; check its permissions', error);
    if (code !== 'ENOENT') return this.#error(`could not be started (${errorMessage(error)})`, error);
    const hint = this.#config.installHint === undefined ? '' : ` (${oneLine(this.#config.installHint)})`;
    return this.#error(`was not found; install it or correct the path${hint}`, error);
  }

  #error(problem: string, cause?: unknown): ConfigError {
    return this.#config.fields.error('command', `"${this.#config.command}" ${problem}`, cause);
  }
}

function hasExpired(credential: ExecCredential, now: number): boolean {
  return credential.expiresAtMs !== undefined && credential.expiresAtMs <= now;
}

/** Joins lines and drops control characters, so that foreign text can neither break the line nor colour the terminal. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}
