import { runMachine } from './supervisor.ts';

/** The machine as a program: its settings are the last argument. */
await runMachine(JSON.parse(process.argv.at(-1) ?? ''));
