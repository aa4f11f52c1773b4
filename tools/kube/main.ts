import { parseArgs } from 'node:util';
import { AssetsError } from './cache.ts';
import { isProgram, optionalPrograms, type Program } from './programs.ts';
import { provideKubeAssets } from './provide.ts';
import { killRunning } from './run.ts';

const usage = `usage: npm run --silent kube:assets [-- --with ${optionalPrograms.join(',')}]

Provides etcd, kube-apiserver, kube-controller-manager and kubectl, and prints the folder that holds them as its last line.
KUBEBUILDER_ASSETS, where set, names a folder to take them from; MANTA_CACHE the folder to keep them in.`;

function extraPrograms(text: string | undefined): readonly Program[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.map((name) => {
    if (isProgram(name)) return name;
    throw new AssetsError(`--with ${name}: there is no such program. Choose from ${optionalPrograms.join(', ')}.`);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { with: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) {
    console.log(usage);
    return;
  }
  console.log(await provideKubeAssets({ extra: extraPrograms(values.with) }));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killRunning();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

try {
  await main();
} catch (error) {
  const expected = error instanceof AssetsError || (error instanceof TypeError && 'code' in error);
  console.error(`kube:assets: ${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}`);
  process.exitCode = 1;
}
