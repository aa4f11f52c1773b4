import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { provideHelm } from '../../fetch/helm/provide.ts';
import { deployFiles } from './manifests.ts';

/** `npm run deploy`: makes the manifests for `kubectl apply -k deploy/…` anew, from the chart. It deploys nothing. */
const target = resolve(import.meta.dirname, '../../../deploy');
const files = await deployFiles(await provideHelm());
for (const folder of new Set([...files.keys()].map((path) => path.split('/')[0] ?? '')))
  rmSync(join(target, folder), { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(join(target, dirname(path)), { recursive: true });
  writeFileSync(join(target, path), text);
}
console.log(`deploy: ${files.size} files`);
