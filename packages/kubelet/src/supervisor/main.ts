import { runSupervisor } from './supervisor.ts';

/** The supervisor as a program: its settings are the last argument. */
await runSupervisor(JSON.parse(process.argv.at(-1) ?? ''));
