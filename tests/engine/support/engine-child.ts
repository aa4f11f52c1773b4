import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { type ApiRequester, type Credentials, createRequester } from '../../support/api-request.ts';

/** An engine in a process of its own. */
export interface EngineChild {
  readonly process: ChildProcess;
  readonly credentials: Credentials;
  readonly request: ApiRequester;
  /** Kills it as the kernel would, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts a program that prints `{"kubeconfig": ...}` when it serves. */
export async function startEngineChild(program: string, dataDir: string): Promise<EngineChild> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const exited = new Promise<void>((done) => {
    child.once('exit', () => {
      process.off('exit', endWithUs);
      done();
    });
  });
  const line = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('exit', (code, signal) => fail(new Error(`the engine ended with ${code ?? signal} before it served`)));
  });
  const credentials = credentialsOf(JSON.parse(line).kubeconfig);
  const request = createRequester(credentials);
  return {
    process: child,
    credentials,
    request,
    async kill() {
      child.kill('SIGKILL');
      await exited;
      request.close();
    },
  };
}

/** Who a kubeconfig with one context says that we are. */
export function credentialsOf(kubeconfig: string): Required<Pick<Credentials, 'url' | 'ca' | 'cert' | 'key'>> {
  const { clusters, users } = parse(kubeconfig);
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return {
    url: cluster.server,
    ca: text(cluster['certificate-authority-data']),
    cert: text(user['client-certificate-data']),
    key: text(user['client-key-data']),
  };
}
