import { inspect, parseArgs } from 'node:util';
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

function parseArguments() {
  try {
    return parseArgs({ options: { with: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    throw new AssetsError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArguments();
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
  const text = error instanceof AssetsError ? error.message : inspect(error);
  console.error(`kube:assets: ${text}`);
  process.exitCode = 1;
}
