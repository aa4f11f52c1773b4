import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { SharedLibrary } from './shared-libraries.ts';

export interface SbomInput {
  readonly root: string;
  readonly version: string;
  readonly nodeVersion: string;
  /** What the bundle is made of. */
  readonly metafile: Metafile;
  readonly libraries: readonly SharedLibrary[];
}

interface Component {
  readonly type: 'library' | 'platform';
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly object[];
}

/** What is in the image, as CycloneDX 1.6: only what is really in the bundle, not what was installed to make it. */
export function softwareBill({ root, version, nodeVersion, metafile, libraries }: SbomInput): object {
  const node: Component = {
    type: 'platform',
    name: 'node',
    version: nodeVersion,
    purl: `pkg:generic/node@${nodeVersion}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const component = {
    type: 'application',
    name: 'manta-operator',
    version,
    licenses: [{ license: { id: 'Apache-2.0' } }],
  };
  const components = [node, ...bundledPackages(metafile).map((name) => npmComponent(root, name)), ...debian(libraries)];
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
}

/** The npm packages that files of a bundle come from, our own left out. */
export function bundledPackages({ inputs }: Pick<Metafile, 'inputs'>): readonly string[] {
  const names = Object.keys(inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

function npmComponent(root: string, name: string): Component {
  const { version, license } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', name, version, purl, licenses: [{ license: { id: license } }] };
}

function debian(libraries: readonly SharedLibrary[]): readonly Component[] {
  return libraries.map(({ path, data, from }) => ({
    type: 'library',
    name: path,
    ...(from === undefined
      ? {}
      : { version: from.version, purl: `pkg:deb/debian/${from.name}@${encodeURIComponent(from.version)}` }),
    hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(data).digest('hex') }],
  }));
}
