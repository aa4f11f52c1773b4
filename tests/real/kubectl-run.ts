import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** How a kubectl ended and what it said. */
export interface KubectlAnswer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl against one server; never throws. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlAnswer>;

export interface KubectlOptions {
  readonly input?: string;
  /** Ends it as soon as it has written so many lines: for commands that watch. */
  readonly lines?: number;
  /** Called when it has written its first line. */
  readonly onFirstLine?: () => Promise<unknown>;
}

/** The kubectl of our Kubernetes programs with a kubeconfig and a cache of its own, in a folder of the test's. */
export function kubectlOf(program: string, kubeconfig: string, namespace: string, folder: string): Kubectl {
  const cache = mkdtempSync(join(folder, 'kubectl-'));
  return (args, { input = '', lines = Number.POSITIVE_INFINITY, onFirstLine } = {}) =>
    new Promise((done, fail) => {
      const common = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cache}`, `--namespace=${namespace}`];
      const child = spawn(program, [...args, ...common], { stdio: ['pipe', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      let first = onFirstLine;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        const call = first;
        first = undefined;
        call?.().catch(fail);
        if (stdout.split('\n').length > lines) child.kill();
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', fail);
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      const patience = setTimeout(() => child.kill(), 30_000);
      child.on('close', (status) => {
        clearTimeout(patience);
        done({ status, stdout, stderr });
      });
    });
}

/** Takes out what differs from run to run and server to server: times, ids, revisions, places. */
export function normalised({ status, stdout, stderr }: KubectlAnswer): string {
  const text = `${stdout}${stderr === '' ? '' : `\nstderr:\n${stderr}`}`
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)/g, '<time>')
    .replaceAll(/(resource ?version\\?"?: *\\?"?)\d+/gi, '$1<revision>')
    // The order of managers follows the second of their last write, which the two servers need not share.
    .replaceAll(/(\\"managedFields\\":)\[.*?\](?=,\\"name\\")/g, '$1<managers>')
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1')
    .replaceAll(/ +\d+m?\d*s(?=\s|$)/gm, ' <age>')
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(/\b(test|kubectl)-[0-9a-f]{10}\b/g, '<namespace>')
    .replaceAll(/ +$/gm, '');
  return `ended with ${status}\n${text}`;
}
