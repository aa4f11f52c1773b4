import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedFolder } from '../support/shared-folder.ts';
import { WHY_NOT_READY } from '../support/samples-on-engine.ts';
import { endLocalRay, startLocalRay } from './support/local-ray.ts';
import { bringToReady, possibleSamples } from './support/samples.ts';

/** Brings every sample that needs nothing but this machine to ready, one after the other, and says how each went. */
const { positionals } = parseArgs({ allowPositionals: true });
const folder = join(sharedFolder(), 'reference/samples');
const files = possibleSamples(folder).filter(
  (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
);
// There is no cert-manager here: the operator issues the certificates that a sample asks for.
process.env['ISSUE_MTLS_CERTIFICATES'] = 'true';
const ray = await startLocalRay({
  args: ['--feature-gates=GCSFaultToleranceEmbeddedStorage=true,RayClusterNetworkPolicy=true,RayClusterMTLS=true'],
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
let failed = 0;
for (const file of files) {
  const startedMs = performance.now();
  const problem = await bringToReady(ray, join(folder, file)).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem !== undefined) failed += 1;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
  say(
    `${seconds} s  ${problem === undefined ? 'ready ' : 'FAILED'}  ${file}${problem === undefined ? '' : `: ${problem}`}`,
  );
}
await endLocalRay(ray);
say(`${files.length - failed} ready, ${failed} failed, ${Object.keys(WHY_NOT_READY).length} left out for a reason`);
process.exitCode = failed === 0 ? 0 : 1;
