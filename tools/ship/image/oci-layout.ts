import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type TarEntry, tarOf } from './tar.ts';

/** What an image is made of: its layers, lowest first, and what is run how. */
export interface ImageInput {
  /** `manta/operator:0.1.0`: the name under which it is imported. */
  readonly name: string;
  readonly architecture: string;
  readonly layers: readonly { readonly what: string; readonly entries: readonly TarEntry[] }[];
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly env: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** The files of an OCI image layout, by path. */
export type LayoutFiles = ReadonlyMap<string, Buffer>;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const OCI = 'application/vnd.oci.image';
/** When everything was made: always the same moment, so that the same content has the same digest. */
const CREATED = '1970-01-01T00:00:00Z';

/** Puts an image together; the same input gives the same bytes, wherever it is done. */
export function imageLayout(input: ImageInput): LayoutFiles {
  const files = new Map<string, Buffer>();
  const store = (mediaType: string, data: Buffer): Descriptor => {
    const digest = `sha256:${hash(data)}`;
    files.set(`blobs/${digest.replace(':', '/')}`, data);
    return { mediaType, digest, size: data.length };
  };
  const tars = input.layers.map(({ entries }) => tarOf(entries));
  const layers = tars.map((tar) => store(`${OCI}.layer.v1.tar+gzip`, gzipSync(tar, { level: 6 })));
  const config = store(`${OCI}.config.v1+json`, json(imageConfig(input, tars)));
  const manifest = { schemaVersion: 2, mediaType: `${OCI}.manifest.v1+json`, config, layers };
  const platform = { os: 'linux', architecture: input.architecture };
  const annotations = {
    'org.opencontainers.image.ref.name': input.name.split(':').at(-1) ?? 'latest',
    'io.containerd.image.name': `docker.io/${input.name}`,
  };
  const manifests = [{ ...store(manifest.mediaType, json(manifest)), platform, annotations }];
  files.set('index.json', json({ schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests }));
  files.set('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  return files;
}

function imageConfig(input: ImageInput, tars: readonly Buffer[]): object {
  return {
    created: CREATED,
    architecture: input.architecture,
    os: 'linux',
    config: {
      User: input.user,
      Entrypoint: input.entrypoint,
      Env: input.env,
      WorkingDir: '/',
      Labels: input.labels,
      ExposedPorts: { '8080/tcp': {}, '8082/tcp': {}, '9443/tcp': {} },
    },
    rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${hash(tar)}`) },
    history: input.layers.map(({ what }) => ({ created: CREATED, created_by: what })),
  };
}

function hash(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
