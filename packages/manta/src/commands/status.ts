import { readEngineRecord } from '@manta/local';
import { chosenDataDir } from './data-dir.ts';

/** Says what runs on a data directory; resolves with 1 where nothing does. */
export function status(options: { readonly dataDir?: string }): number {
  const dataDir = chosenDataDir(options.dataDir);
  const running = readEngineRecord(dataDir);
  if (running === undefined) {
    process.stdout.write(`nothing runs on ${dataDir}\n`);
    return 1;
  }
  const lines = [
    `running since ${running.startedAt}`,
    `process:        ${running.pid}`,
    `API:            ${running.url}`,
    `kubeconfig:     ${running.kubeconfig}`,
    `data directory: ${dataDir}`,
    `pods:           ${running.pods ?? 'not run (--no-pods)'}`,
    ...(running.router === undefined ? [] : [`router:         ${running.router}`]),
    ...(running.console === undefined ? [] : [`console:        ${running.console} (this link works once)`]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
