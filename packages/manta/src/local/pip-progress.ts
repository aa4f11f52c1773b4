import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How far an installation is. */
export type InstallProgress =
  | { readonly step: 'download'; readonly bytes: number; readonly packages: number }
  | { readonly step: 'unpack'; readonly done: number; readonly of: number };

/** Understands what pip says as it goes. Nothing of it is promised by pip: what is not understood is passed over. */
export class PipReader {
  #line = '';
  #packages = 0;
  #toUnpack: number | undefined;

  /** How many packages it has begun to fetch, and how many it unpacks once it has them all. */
  get packages(): number {
    return this.#packages;
  }

  get toUnpack(): number | undefined {
    return this.#toUnpack;
  }

  /** Takes what pip said next, cut anywhere. */
  read(text: string): void {
    const lines = `${this.#line}${text}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#take(line.trim());
  }

  #take(line: string): void {
    const fetched = /^(?:Downloading|Using cached|Processing) (\S+)/.exec(line)?.[1];
    if (fetched !== undefined && !fetched.endsWith('.metadata')) this.#packages += 1;
    const list = /^Installing collected packages: (.+)$/.exec(line)?.[1];
    if (list !== undefined) this.#toUnpack = list.split(', ').length;
  }
}

/** What lies in a folder and below, in bytes; nothing where there is none. Files that go meanwhile do not count. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** How many packages an environment holds. */
export async function packagesIn(environment: string): Promise<number> {
  const lib = join(environment, 'lib');
  const pythons = await readdir(lib).catch(() => []);
  const names = await Promise.all(pythons.map((python) => readdir(join(lib, python, 'site-packages')).catch(() => [])));
  return names.flat().filter((name) => name.endsWith('.dist-info')).length;
}
