import { forwardPorts, isNotFound, type PortForwarding } from '@manta/kube';
import { CliError, ExitCode, messageOf } from '../cli-error.ts';
import { clusterOf, headPodOf } from '../head-pod.ts';
import type { Invocation } from '../invocation.ts';
import { parseTarget, type RayKind, type Target } from '../target.ts';

interface AppPort {
  readonly label: string;
  readonly port: number;
}

export const DASHBOARD: AppPort = { label: 'Ray Dashboard', port: 8265 };
const CLIENT: AppPort = { label: 'Ray Interactive Client', port: 10_001 };
export const SERVE: AppPort = { label: 'Ray Serve', port: 8000 };
const PORTS: Readonly<Record<RayKind, readonly AppPort[]>> = {
  raycluster: [DASHBOARD, CLIENT],
  rayjob: [DASHBOARD],
  rayservice: [DASHBOARD, SERVE],
  raycronjob: [],
};

export interface SessionFlags {
  readonly verbose?: boolean;
  readonly address?: string;
}

/**
 * `session (NAME | TYPE/NAME)`: forwards local ports to the head until Ctrl-C. Each connection goes to the head that runs then, so a
 * session outlives replaced heads and upgrades. Ends with an error when the object itself is deleted. `onReady` gets the local addresses.
 */
export async function session(
  call: Invocation,
  text: string,
  flags: SessionFlags,
  onReady: (urls: Readonly<Record<string, string>>) => void = () => undefined,
): Promise<void> {
  const target = parseTarget(text);
  const namespace = await call.namespace();
  const { serviceName } = await clusterOf(await call.client(), namespace, target);
  if (serviceName === '')
    throw new CliError(
      `${target.kind}/${target.name} has no head Service yet. Use kubectl ray wait ${target.kind}/${target.name} first.`,
      ExitCode.NotReady,
    );
  call.print(`Forwarding ports to service ${serviceName}`);
  const failures = new Failures(call, namespace, target);
  const forwardings: PortForwarding[] = [];
  const urls: Record<string, string> = {};
  try {
    for (const { label, port } of PORTS[target.kind]) {
      const forwarding = await listen(call, namespace, target, port, flags, failures);
      forwardings.push(forwarding);
      const url = `http://localhost:${forwarding.ports[0]?.local}`;
      urls[label] = url;
      call.print(`${label}: ${url}`);
    }
    call.print('');
    onReady(urls);
    await failures.untilOver;
  } finally {
    await Promise.all(forwardings.map((forwarding) => forwarding.close()));
  }
}

/** Listens on the usual port, or on any free port if that one is taken. */
async function listen(
  call: Invocation,
  namespace: string,
  target: Target,
  remote: number,
  { address, verbose }: SessionFlags,
  failures: Failures,
): Promise<PortForwarding> {
  const client = await call.client();
  const connection = await call.connection();
  const pod = async () => {
    const { clusterName } = await clusterOf(client, namespace, target);
    const head = await headPodOf(client, namespace, clusterName);
    if (verbose === true) call.print(`Connecting to pod ${head.metadata?.name}, port ${remote}`);
    return head.metadata?.name ?? '';
  };
  const open = (local: number) =>
    forwardPorts(connection, {
      namespace,
      pod,
      address,
      ports: [{ local, remote }],
      onError: (error) => failures.note(error),
    });
  try {
    return await open(remote);
  } catch (error) {
    const isTaken =
      error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
    if (!isTaken) throw error;
    call.say(`Port ${remote} is taken on this machine; another one is used.`);
    return await open(0);
  }
}

/** Reports connections that failed, and ends the session when its object no longer exists. */
class Failures {
  readonly untilOver: Promise<void>;
  readonly #call: Invocation;
  readonly #namespace: string;
  readonly #target: Target;
  readonly #fail: (error: Error) => void;
  #lastMessage = '';

  constructor(call: Invocation, namespace: string, target: Target) {
    this.#call = call;
    this.#namespace = namespace;
    this.#target = target;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.untilOver = promise;
    this.untilOver.catch(() => undefined);
    this.#fail = reject;
    const { signal } = call.world;
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  }

  note(error: Error): void {
    const message = messageOf(error);
    // A browser opens many connections at once; the same failure is worth one line.
    if (message !== this.#lastMessage)
      this.#call.print(`failed to port-forward: ${message}. The next connection tries again.`);
    this.#lastMessage = message;
    void this.#checkTarget();
  }

  async #checkTarget(): Promise<void> {
    const { kind, name } = this.#target;
    try {
      await clusterOf(await this.#call.client(), this.#namespace, this.#target);
    } catch (error) {
      const cause = error instanceof CliError ? error.cause : error;
      if (isNotFound(cause))
        this.#fail(new CliError(`${kind}/${name} no longer exists in namespace ${this.#namespace}`));
    }
  }
}
