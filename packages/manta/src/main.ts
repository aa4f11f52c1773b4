import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolder } from '@manta/base';
import { cacheRoot } from './local/cache-root.ts';
import { VERSION } from './version.ts';

// Parsing our own sources is a good part of a short command's time; V8's code cache makes the second run start faster.
const compiled = join(cacheRoot(process.env), 'node');
try {
  // Node itself would try endlessly to create a folder below /proc.
  makeFolder(compiled);
  enableCompileCache(compiled);
} catch {
  // It is only slower without.
}

const [command, ...args] = process.argv.slice(2);

// The operator reads Go-style flags and must start fast and stay small: it does not pass through the command-line library.
if (command === 'operator') {
  const { runOperator } = await import('@manta/operator');
  process.exitCode = await runOperator(args, VERSION);
} else if (command === 'supervisor') {
  // Started by `manta up` inside the namespaces of its pods; not for people. It stays small: nothing else of the engine is loaded.
  const { runSupervisor } = await import('@manta/kubelet/supervisor');
  await runSupervisor(JSON.parse(args.at(-1) ?? ''));
} else {
  // A reader that has seen enough, as in `manta crds | head`, is no mistake of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(process.argv, VERSION);
}
