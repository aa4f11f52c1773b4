import { enableCompileCache } from 'node:module';
import { runOperator } from '@manta/operator';
import { VERSION } from './version.ts';

/** `manta operator` as a program of its own: it must start fast and stay small, so nothing of the other commands is in its bundle. */
enableCompileCache();
process.exitCode = await runOperator(process.argv.slice(3), VERSION);
