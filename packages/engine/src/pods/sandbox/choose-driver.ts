import { whyNoNamespaces } from '../machine/machine.ts';
import { EGRESS_PORT, NAMESPACE_FLAGS, type NamespaceDriverOptions, startNamespaceDriver } from './namespace-driver.ts';
import type { SandboxDriver } from './sandbox.ts';

export { EGRESS_PORT };

/** `user`: namespaces without privileges; `root`: namespaces as root. */
export type SandboxMode = 'user' | 'root';

export interface ChooseOptions
  extends Pick<NamespaceDriverOptions, 'dataDir' | 'machineCommand' | 'onApiConnection' | 'onEgressConnection'> {
  /** Forced; chosen by trying unless told. */
  readonly mode?: SandboxMode | undefined;
}

const DESCRIPTIONS: Readonly<Record<SandboxMode, string>> = {
  user: 'pods run in a user namespace: own network, processes and mounts, no privileges',
  root: 'pods run in namespaces as root: own network, processes and mounts (user namespaces are not allowed here)',
};

/** Starts the best driver that this machine allows. */
export async function chooseDriver({ mode, ...rest }: ChooseOptions): Promise<SandboxDriver> {
  const modes: readonly SandboxMode[] = mode === undefined ? ['user', 'root'] : [mode];
  const reasons: string[] = [];
  for (const each of modes) {
    const reason = await whyNoNamespaces(NAMESPACE_FLAGS[each]);
    if (reason === undefined)
      return await startNamespaceDriver({ ...rest, mode: each, description: DESCRIPTIONS[each] });
    reasons.push(`${each}: ${reason}`);
  }
  throw new Error(
    `pods cannot be isolated on this machine (${reasons.join('; ')}); install iproute2 and util-linux, or allow user namespaces`,
  );
}
