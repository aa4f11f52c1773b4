import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compatibilityPage } from './page.ts';

/** `npm run compatibility`: regenerates docs/compatibility.md from the tests and docs/differences/. */
const root = resolve(import.meta.dirname, '../../..');
writeFileSync(join(root, 'docs/compatibility.md'), compatibilityPage(root));
console.log('docs/compatibility.md');
