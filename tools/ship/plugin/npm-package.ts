import { tarOf } from '../image/tar.ts';
import { REQUIRE } from '../build/bundle.ts';

/** What the bundle in the npm package starts with. */
export const NPM_BANNER = `#!/usr/bin/env -S node --disable-warning=ExperimentalWarning\n${REQUIRE}`;

/** The npm package `kubectl-ray`: the bundle alone, for machines that have Node. An archive as `npm publish` and `npm install` take it. */
export function npmPackage(version: string, bundle: Uint8Array, license: Uint8Array): Buffer {
  const manifest = {
    name: 'kubectl-ray',
    version,
    description: 'kubectl plugin for Ray on Kubernetes',
    license: 'Apache-2.0',
    type: 'module',
    bin: { 'kubectl-ray': 'kubectl-ray.mjs' },
    engines: { node: '>=24' },
  };
  return tarOf([
    { kind: 'file', path: 'package/package.json', data: Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`) },
    { kind: 'file', path: 'package/kubectl-ray.mjs', mode: 0o755, data: bundle },
    { kind: 'file', path: 'package/LICENSE', data: license },
  ]);
}
