import { once } from 'node:events';
import { join } from 'node:path';
import type { Engine } from '@manta/local';
import { answerHistory, HISTORY_GROUP, HISTORY_VERSION, HistoryStore, startRecorder } from '@manta/history';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import { createLogger, createStderrSink, encodeConsole } from '@manta/runtime';

const FILE = 'history.db';

/**
 * Records the history of a local engine into its data directory, and serves it as an API group of the engine, so that viewers see what they
 * may list. Until told to stop.
 */
export async function runLocalHistory(
  engine: Pick<Engine, 'api'>,
  { dataDir, kubeconfig }: { readonly dataDir: string; readonly kubeconfig: string },
  version: string,
  stop: AbortSignal,
): Promise<void> {
  const store = new HistoryStore(join(dataDir, FILE));
  const clock = systemClock;
  const log = createLogger({ clock, main: { sink: createStderrSink(clock), encode: encodeConsole } });
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock, userAgent: `manta-history/${version}` });
  const client = createKubeClient({ transport, clock });
  const recorder = startRecorder({ clock, random: Math.random, client, transport, log: log.named('history'), store });
  engine.api.aggregated.set(HISTORY_GROUP, {
    version: HISTORY_VERSION,
    answer: ({ path: { plural, namespace, name, subresource }, query, mayList }) => {
      // What was seen up to now is part of the answer.
      recorder.flush();
      return answerHistory(store, {
        plural,
        namespace,
        name,
        subresource,
        query,
        mayList: (resource, where) => mayList({ group: resource === 'pods' ? '' : 'ray.io', plural: resource }, where),
      });
    },
  });
  if (!stop.aborted) await once(stop, 'abort');
  engine.api.aggregated.delete(HISTORY_GROUP);
  await recorder.close();
  await transport.close();
  store.close();
  await log.flush();
}
