import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { VERSION } from '../../../packages/cli/src/plugin-version.ts';
import { tarOf } from '../image/tar.ts';
import { buildExecutable, bundlePlugin } from './executable.ts';
import { executableName, krewManifest, type PluginArchive } from './krew-manifest.ts';
import { NPM_BANNER, npmPackage } from './npm-package.ts';
import { type Target, TARGETS, targetName } from './targets.ts';

const HELP = `npm run plugin [-- options]

Packages kubectl-ray into dist/plugin: an archive with a single executable for each platform, an npm package, SHA-256 checksums
and, with --base-url, a krew manifest.

  --target OS/ARCH  package for one platform (${TARGETS.map(targetName).join(', ')}); may be given several times
  --base-url URL    where the archives will be published; krew's manifest points there
  --help            this text
`;

const root = resolve(import.meta.dirname, '../../..');
const compress = promisify(gzip);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      'base-url': { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const targets = chosenTargets(values.target);
  const baseUrl = values['base-url'];
  if (baseUrl !== undefined && !baseUrl.startsWith('https://'))
    throw new Error(`--base-url must start with https://, because krew fetches from nowhere else: "${baseUrl}"`);
  const folder = join(root, 'dist/plugin');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const license = await readFile(join(root, 'LICENSE'));
  const workshop = await mkdtemp(join(tmpdir(), 'manta-plugin-'));
  try {
    const bundle = join(workshop, 'kubectl-ray.mjs');
    await bundlePlugin(bundle);
    const archives: PluginArchive[] = [];
    for (const target of targets) {
      const executable = join(workshop, executableName(target));
      await buildExecutable(target, bundle, executable);
      const tar = tarOf([
        { kind: 'file', path: executableName(target), mode: 0o755, data: await readFile(executable) },
        { kind: 'file', path: 'LICENSE', data: license },
      ]);
      const file = `kubectl-ray_${VERSION}_${target.os}_${target.arch}.tar.gz`;
      archives.push({ target, file, sha256: await write(folder, file, tar) });
    }
    const npmBundle = join(workshop, 'npm.mjs');
    await bundlePlugin(npmBundle, NPM_BANNER);
    const npmFile = `kubectl-ray-${VERSION}.tgz`;
    const npmSum = await write(folder, npmFile, npmPackage(VERSION, await readFile(npmBundle), license));
    const sums = [...archives, { file: npmFile, sha256: npmSum }];
    await writeFile(join(folder, 'checksums.txt'), sums.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(''));
    if (baseUrl === undefined) console.log('no krew manifest: give --base-url to make one');
    else await writeFile(join(folder, 'ray.yaml'), krewManifest(VERSION, archives, baseUrl));
  } finally {
    await rm(workshop, { recursive: true });
  }
}

function chosenTargets(names: readonly string[] | undefined): readonly Target[] {
  if (names === undefined) return TARGETS;
  return names.map((name) => {
    const target = TARGETS.find((candidate) => targetName(candidate) === name);
    if (target === undefined)
      throw new Error(`there is no target ${name}. Use one of ${TARGETS.map(targetName).join(', ')}.`);
    return target;
  });
}

/** Writes a compressed archive and returns its SHA-256. */
async function write(folder: string, file: string, tar: Uint8Array): Promise<string> {
  const data = await compress(tar, { level: 9 });
  await writeFile(join(folder, file), data);
  console.log(`dist/plugin/${file}  ${(data.length / 1024 / 1024).toFixed(1)} MiB`);
  return createHash('sha256').update(data).digest('hex');
}

try {
  await main();
} catch (error) {
  console.error(`plugin: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
