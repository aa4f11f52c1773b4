import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { completeLock } from './complete.ts';

/** `npm run lock`: run it after `npm install` has changed package-lock.json. */
const path = resolve(import.meta.dirname, '../../../package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
writeFileSync(path, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
