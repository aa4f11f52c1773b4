import { enableCompileCache } from 'node:module';
import { runOperator } from '@manta/operator';
import { keepSmall } from './keep-small.ts';
import { VERSION } from './version.ts';

/** `manta operator` as a program of its own: it must start fast and stay small, so nothing of the other commands is in its bundle. */
keepSmall();
enableCompileCache();
process.exitCode = await runOperator(process.argv.slice(3), VERSION);
