import { expect, it } from 'vitest';
import { bundledPackages } from './sbom.ts';
import { libraryPaths } from './shared-libraries.ts';

it('the packages of a bundle are those its files lie in, once each', () => {
  const inputs = Object.fromEntries(
    [
      'packages/kube/src/client/client.ts',
      'node_modules/yaml/dist/a.js',
      'node_modules/yaml/dist/b.js',
      'node_modules/@scope/name/index.js',
    ].map((path) => [path, { bytes: 1, imports: [] }]),
  );
  expect(bundledPackages({ inputs })).toEqual(['@scope/name', 'yaml']);
});

it('the libraries of a program are those that ldd names, the loader included, what the kernel brings left out', () => {
  const ldd =
    '\tlinux-vdso.so.1 (0x0000)\n\tlibm.so.6 => /lib/x/libm.so.6 (0x00007f)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n';
  expect(libraryPaths(ldd)).toEqual(['/lib/x/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
});

it('a library that the machine lacks is an error that names it', () => {
  expect(() => libraryPaths('\tlibatomic.so.1 => not found\n')).toThrow('libatomic.so.1');
});
