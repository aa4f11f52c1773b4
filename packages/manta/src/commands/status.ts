import { messageOf } from '@manta/base';
import { createKubeClient, createTransport, loadConnection, resources, systemClock } from '@manta/kube';
import { nodeLoad, readEngineRecord } from '@manta/local';
import { checkMayLook, chosenDataDir } from './data-dir.ts';
import { type EngineState, statusLines } from './status-lines.ts';

/** A busy engine answers within milliseconds; one that hangs must not make this command hang. */
const ASK_MS = 10_000;

/** Prints what runs on a data directory; resolves with 1 if nothing does. Rejects if this user may not look. */
export async function showStatus(options: { readonly dataDir?: string }): Promise<number> {
  const dataDir = chosenDataDir(options.dataDir);
  checkMayLook(dataDir);
  const running = readEngineRecord(dataDir);
  if (running === undefined) {
    process.stdout.write(`nothing runs on ${dataDir}\n`);
    return 1;
  }
  const state = await askEngine(running.kubeconfig).catch((error: unknown) => messageOf(error));
  process.stdout.write(`${statusLines(running, dataDir, state).join('\n')}\n`);
  return 0;
}

async function askEngine(kubeconfig: string): Promise<EngineState> {
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta-status' });
  const client = createKubeClient({ transport, clock: systemClock });
  const signal = AbortSignal.timeout(ASK_MS);
  try {
    const [pods, nodes] = await Promise.all([
      client.list(resources.pods, { signal }),
      client.list(resources.nodes, { signal }),
    ]);
    return { pods: pods.items, load: nodeLoad(nodes.items, pods.items) };
  } finally {
    await transport.close();
  }
}
