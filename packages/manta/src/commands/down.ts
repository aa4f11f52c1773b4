import { setTimeout as sleep } from 'node:timers/promises';
import { readEngineRecord } from '@manta/local';
import { checkMayLook, chosenDataDir } from './data-dir.ts';

const STOPS_WITHIN_MS = 15_000;

/** Stops the engine that serves a data directory and waits until it is gone. Nothing to stop is fine. */
export async function down(options: { readonly dataDir?: string }): Promise<void> {
  const dataDir = chosenDataDir(options.dataDir);
  checkMayLook(dataDir);
  const running = readEngineRecord(dataDir);
  if (running === undefined) {
    process.stdout.write(`nothing runs on ${dataDir}\n`);
    return;
  }
  send(running.pid);
  const deadline = performance.now() + STOPS_WITHIN_MS;
  while (readEngineRecord(dataDir)?.pid === running.pid) {
    if (performance.now() > deadline)
      throw new Error(`process ${running.pid} has not stopped within ${STOPS_WITHIN_MS / 1000} s; its output says why`);
    await sleep(20);
  }
  process.stdout.write(`stopped process ${running.pid}\n`);
}

function send(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw new Error(`may not stop process ${pid}: it belongs to another user`, { cause: error });
  }
}
