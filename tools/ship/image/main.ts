import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { imageLayout } from './oci-layout.ts';
import { operatorImage } from './operator-image.ts';
import { tarOf, type TarEntry } from './tar.ts';
import { unpackLayers } from './unpack.ts';

/**
 * `npm run image`: makes the operator's image without an image engine, as an OCI layout in dist/image, and as one archive of it that
 * `ctr image import`, `podman load` and `skopeo copy oci-archive:…` read. The same sources on the same machine give the same digests.
 * `--rootfs FOLDER` also unpacks it, which is how the Dockerfile makes the same image.
 */
const { values } = parseArgs({ options: { rootfs: { type: 'string' } } });
const dist = resolve(import.meta.dirname, '../../../dist');
const target = join(dist, 'image');
const { input, sbom } = await operatorImage();
const layout = imageLayout(input);
rmSync(target, { recursive: true, force: true });
for (const [path, data] of layout) {
  mkdirSync(join(target, dirname(path)), { recursive: true });
  writeFileSync(join(target, path), data);
}
const folders = ['blobs', 'blobs/sha256'].map((path): TarEntry => ({ kind: 'folder', path }));
const files = [...layout].map(([path, data]): TarEntry => ({ kind: 'file', path, data }));
writeFileSync(join(dist, 'manta-operator.oci.tar'), tarOf([...folders, ...files]));
writeFileSync(join(dist, 'manta-operator.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
if (values.rootfs !== undefined) unpackLayers(layout, resolve(values.rootfs));
const { manifests } = JSON.parse(String(layout.get('index.json')));
console.log(`image: ${input.name} (${input.architecture}) ${manifests[0].digest}`);
console.log('image: dist/image, dist/manta-operator.oci.tar, dist/manta-operator.cdx.json');
