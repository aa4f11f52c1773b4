import { whyNoNamespaces } from '../supervisor/supervisor.ts';
import { type PlainDriverOptions, startPlainDriver } from '../plain/plain-driver.ts';
import { NAMESPACE_FLAGS, type NamespaceDriverOptions, startNamespaceDriver } from './namespace-driver.ts';
import type { SandboxDriver } from './sandbox.ts';

/** `user`: namespaces without privileges; `root`: namespaces as root; `none`: processes like all others, on ports of their own. */
export type SandboxMode = 'user' | 'root' | 'none';

export interface ChooseOptions
  extends Omit<NamespaceDriverOptions, 'mode' | 'description'>,
    Pick<PlainDriverOptions, 'dial' | 'admit'> {
  /** The driver to use; default: the best one that works. */
  readonly mode?: SandboxMode | undefined;
}

const DESCRIPTIONS: Readonly<Record<SandboxMode, string>> = {
  user: 'pods run in a user namespace: own network, processes and mounts, no privileges',
  root: 'pods run in namespaces as root: own network, processes and mounts (user namespaces are not allowed here)',
  none: 'pods run without namespaces: own ports and folders, nothing keeps them from each other or from this machine, and ports of Ray’s core are open to its network',
};

/** Starts the best driver that this machine allows. */
export async function chooseDriver({ mode, ...rest }: ChooseOptions): Promise<SandboxDriver> {
  const modes: readonly SandboxMode[] = mode === undefined ? ['user', 'root', 'none'] : [mode];
  const reasons: string[] = [];
  for (const each of modes) {
    const description = DESCRIPTIONS[each];
    if (each === 'none') return await startPlainDriver({ ...rest, description: because(description, reasons) });
    const reason = await whyNoNamespaces(NAMESPACE_FLAGS[each]);
    if (reason === undefined) return await startNamespaceDriver({ ...rest, mode: each, description });
    reasons.push(`${each}: ${reason}`);
  }
  throw new Error(
    `pods cannot be isolated on this machine as asked (${reasons.join('; ')}); install iproute2 and util-linux, allow user namespaces, or leave out --sandbox`,
  );
}

function because(description: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? description : `${description} (${reasons.join('; ')})`;
}
