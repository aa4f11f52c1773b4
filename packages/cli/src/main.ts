import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { runKubectlRay, systemWorld } from './index.ts';
import { VERSION } from './plugin-version.ts';

// Parsing our own sources is a good part of a short command's time; V8's code cache makes the second run start faster.
enableCompileCache();

// `kubectl ray get cluster | head` ends silently when head has seen enough.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** What a command gets to end in order after Ctrl-C: hang up, close files. */
const ORDERLY_MS = 3_000;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Pressed again, Ctrl-C does not wait for an orderly end.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
    setTimeout(() => process.exit(130), ORDERLY_MS).unref();
  });
}

// Timers of commands do not keep the process alive; one that waits between two requests must not end it.
const alive = setInterval(() => undefined, 60_000);
process.exitCode = await runKubectlRay(
  process.argv.slice(2),
  systemWorld(VERSION, stopping.signal, process.env['HOME'] ?? homedir()),
);
clearInterval(alive);
