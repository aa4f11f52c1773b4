import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { LayoutFiles } from './oci-layout.ts';

/** Lays an image's layers over one another into a folder, as a container's root. Needs tar. */
export function unpackLayers(layout: LayoutFiles, folder: string): void {
  const read = (digest: string) => layout.get(`blobs/${digest.replace(':', '/')}`) ?? Buffer.alloc(0);
  mkdirSync(folder, { recursive: true });
  const index = JSON.parse(String(layout.get('index.json')));
  const manifest = JSON.parse(String(read(index.manifests[0].digest)));
  for (const { digest } of manifest.layers)
    execFileSync('tar', ['-xzpf', '-', '-C', folder], { input: read(digest), stdio: ['pipe', 'ignore', 'inherit'] });
}
