import { Readable, Writable } from 'node:stream';
import { type CliWorld, runKubectlRay } from '@manta/cli';
import { systemClock } from '@manta/kube';

/** What a command printed, and how it ended. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly input?: string | Readable;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  /** Hears of each piece that is printed to standard output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs one command line in this process, against the server of the kubeconfig. */
export async function runCli(
  kubeconfig: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const stdout = new Sink(options.onOutput);
  const stderr = new Sink();
  const world: CliWorld = {
    stdin: options.input instanceof Readable ? options.input : Readable.from([options.input ?? []].flat()),
    stdout,
    stderr,
    env: { KUBECONFIG: kubeconfig, ...options.env },
    homeDir: '/nonexistent',
    clock: systemClock,
    signal: options.signal ?? new AbortController().signal,
    version: '0.0.0-test',
  };
  const code = await runKubectlRay(args, world);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Sink extends Writable {
  text = '';
  readonly #onText: ((text: string) => void) | undefined;

  constructor(onText?: (text: string) => void) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    this.#onText?.(chunk.toString('utf8'));
    done();
  }
}
