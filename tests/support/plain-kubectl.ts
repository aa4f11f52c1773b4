import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface KubectlOutput {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl with exactly these arguments and this input; never throws. */
export type PlainKubectl = (args: readonly string[], input?: string) => Promise<KubectlOutput>;

/** A kubectl with a kubeconfig, and a cache in a folder of the test. */
export function plainKubectl(program: string, kubeconfig: string, folder: string): PlainKubectl {
  return async (args, input = '') => {
    const all = [...args, `--kubeconfig=${kubeconfig}`, `--cache-dir=${folder}`];
    const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const ended = new Promise<number | null>((done) => void child.once('close', done));
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { status, stdout, stderr };
  };
}
