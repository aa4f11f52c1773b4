import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pageFolder } from '../../../packages/manta/src/console/page-folder.ts';
import { VERSION } from '../../../packages/manta/src/version.ts';
import { bundle, IMAGE_NODE } from '../build/bundle.ts';
import type { ImageInput } from './oci-layout.ts';
import { softwareBill } from './sbom.ts';
import { type SharedLibrary, sharedLibraries } from './shared-libraries.ts';
import type { TarEntry } from './tar.ts';

const root = resolve(import.meta.dirname, '../../..');
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** One arena for all threads, and what was large goes back at once (docs/decisions/0003-memory.md). */
const MALLOC = [
  'MALLOC_ARENA_MAX=1',
  'MALLOC_MMAP_THRESHOLD_=32768',
  'MALLOC_TRIM_THRESHOLD_=65536',
  'MALLOC_TOP_PAD_=32768',
] as const;
/** Who programs in the image are: the number that distroless images use. */
const USER = 65_532;

/** The operator's image for this machine's architecture: Node, the libraries that it needs, and one file of ours. */
export async function operatorImage(): Promise<{ readonly input: ImageInput; readonly sbom: object }> {
  const architecture = ARCHITECTURES[arch()];
  if (process.platform !== 'linux' || architecture === undefined)
    throw new Error(
      'An image holds the Node and the C library of the machine that makes it, so it has to be Linux on x64 or arm64; elsewhere, use the Dockerfile.',
    );
  const nodeFolder = join(root, 'node_modules', `node-linux-${arch()}`);
  const node = join(nodeFolder, 'bin/node');
  const libraries = sharedLibraries(node);
  const { code, metafile } = await bundled('manager');
  const web = await bundled('web-console');
  const nodeVersion = process.version.slice(1);
  const sbom = softwareBill({
    root,
    version: VERSION,
    nodeVersion,
    metafile: { ...metafile, inputs: { ...metafile.inputs, ...web.metafile.inputs } },
    libraries,
  });
  const base = baseLayer(readFileSync(node), readFileSync(join(nodeFolder, 'LICENSE')), libraries);
  const input: ImageInput = {
    name: `manta/operator:${VERSION}`,
    architecture,
    layers: [
      { what: `Node ${nodeVersion} and its libraries`, entries: base },
      { what: 'the web console', entries: webLayer(web.code, await builtPage()) },
      { what: 'the operator', entries: appLayer(code, sbom) },
    ],
    user: `${USER}:${USER}`,
    entrypoint: ['/manager'],
    env: ['PATH=/nodejs/bin', ...MALLOC],
    labels: {
      'org.opencontainers.image.title': 'manta-operator',
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  };
  return { input, sbom };
}

async function bundled(name: 'manager' | 'web-console') {
  const folder = mkdtempSync(join(tmpdir(), 'manta-image-'));
  try {
    const outfile = join(folder, `${name}.mjs`);
    const metafile = await bundle(name, outfile);
    return { code: readFileSync(outfile), metafile };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function baseLayer(node: Buffer, license: Buffer, libraries: readonly SharedLibrary[]): readonly TarEntry[] {
  const files: readonly TarEntry[] = [
    { kind: 'file', path: IMAGE_NODE.slice(1), mode: 0o755, data: node },
    { kind: 'file', path: 'usr/share/doc/node/LICENSE', data: license },
    ...libraries.map(({ path, data }): TarEntry => ({ kind: 'file', path: path.slice(1), mode: 0o755, data })),
    text('etc/passwd', `root:x:0:0:root:/:/none\nnonroot:x:${USER}:${USER}:nonroot:/:/none\n`),
    text('etc/group', `root:x:0:\nnonroot:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
  ];
  return [
    ...foldersOf(files),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    { kind: 'folder', path: 'proc' },
    { kind: 'folder', path: 'dev' },
    ...files,
  ];
}

function appLayer(code: Buffer, sbom: object): readonly TarEntry[] {
  const files: readonly TarEntry[] = [
    { kind: 'file', path: 'app/manager.mjs', mode: 0o755, data: code },
    { kind: 'link', path: 'manager', target: 'app/manager.mjs' },
    text('usr/share/sbom/manta-operator.cdx.json', `${JSON.stringify(sbom, undefined, 2)}\n`),
  ];
  return [...foldersOf(files), ...files];
}

async function builtPage(): Promise<string> {
  const folder = await pageFolder(join(root, 'nowhere'));
  if (folder === undefined) throw new Error("the console's page could not be built: run npm run console:build");
  return folder;
}

/** The page lies beside the name under which the program is started. */
function webLayer(code: Buffer, page: string): readonly TarEntry[] {
  const names = readdirSync(page, { recursive: true, encoding: 'utf8' }).toSorted();
  const files: readonly TarEntry[] = [
    { kind: 'file', path: 'app/web-console.mjs', mode: 0o755, data: code },
    { kind: 'link', path: 'web-console', target: 'app/web-console.mjs' },
    ...names
      .filter((name) => statSync(join(page, name)).isFile())
      .map((name): TarEntry => ({ kind: 'file', path: `console/${name}`, data: readFileSync(join(page, name)) })),
  ];
  return [...foldersOf(files), ...files];
}

/** Every folder that files lie in, those outside first. */
function foldersOf(files: readonly TarEntry[]): readonly TarEntry[] {
  const paths = new Set<string>();
  for (const { path } of files)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) paths.add(folder);
  return [...paths].toSorted().map((path) => ({ kind: 'folder', path }));
}

function text(path: string, content: string): TarEntry {
  return { kind: 'file', path, data: Buffer.from(content) };
}
