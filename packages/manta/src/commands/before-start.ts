import { parseGateSettings, resolveFeatureGates } from '@manta/api';
import { readEngineRecord } from '@manta/local';
import { isPortFree } from '../local/free-port.ts';
import type { UpOptions } from './up-options.ts';

/** Rejects with one readable line if `manta up` could not start later for a reason that is known before. */
export async function checkBeforeStart(options: UpOptions, dataDir: string): Promise<void> {
  refuseSecond(dataDir);
  checkGates(options.featureGates);
  if (!options.pods) return;
  await requirePort('--router-port', options.routerPort, 'Gateways');
  if (options.console) await requirePort('--console-port', options.consolePort, 'the web console');
}

function refuseSecond(dataDir: string): void {
  const running = readEngineRecord(dataDir);
  if (running === undefined) return;
  throw new Error(
    `an engine already serves ${dataDir}: process ${running.pid}, ${running.url}; manta down stops it, --data-dir chooses another directory`,
  );
}

/** The operator would refuse them too, but only after the API and the pods' network have been started. */
function checkGates(text: string | undefined): void {
  if (text === undefined) return;
  const settings = parseGateSettings(text);
  const resolved = settings.ok ? resolveFeatureGates(settings.value) : settings;
  if (!resolved.ok) throw new Error(`--feature-gates: ${resolved.error}`);
}

async function requirePort(flag: string, port: number | undefined, what: string): Promise<void> {
  if (port === undefined || port === 0 || (await isPortFree(port, '127.0.0.1'))) return;
  throw new Error(
    `cannot serve ${what} on 127.0.0.1:${port}: address already in use. Choose another port with ${flag}, or ${flag} 0 for any free port.`,
  );
}
