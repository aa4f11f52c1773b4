import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { AssetsError, cacheRoot, type Environment } from './cache.ts';
import { findGo } from './go-toolchain.ts';
import { Progress, type ProgressSink } from './progress.ts';
import { lastLines, run } from './run.ts';

/** Definitions that a project publishes in its Go module. */
export interface PublishedDefinitions {
  /** Whose they are, for messages. */
  readonly project: string;
  /** Path and version, such as `example.org/module@v1.2.3`. */
  readonly module: string;
  /** Where they are in the module. */
  readonly folder: string;
  /** The environment variable that names a folder with them instead. */
  readonly variable: string;
}

/** The folder with the definitions: the one that the environment names, else from the Go module proxy (seconds, once). */
export async function provideDefinitions(
  { project, module, folder, variable }: PublishedDefinitions,
  env: Environment = process.env,
  sink: ProgressSink = process.stderr,
): Promise<string> {
  const given = env[variable];
  if (given) return given;
  const cache = join(cacheRoot(env, homedir()), 'kube');
  const progress = new Progress(sink);
  await mkdir(cache, { recursive: true });
  const go = await withLock(
    join(cache, 'build.lock'),
    () => undefined,
    () => findGo(cache, env, progress),
  );
  const outcome = await run(go.command, ['mod', 'download', '-json', module], { env: { ...go.env, GOWORK: 'off' } });
  if (outcome.code !== 0)
    throw new AssetsError(
      `The definitions of ${project} could not be fetched:\n${lastLines(outcome.stdout + outcome.stderr, 5)}\nSet ${variable} to a folder with them.`,
    );
  const { Dir: downloaded } = JSON.parse(outcome.stdout);
  return join(downloaded, folder);
}
