import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Mount,
  type ProcessRequest,
  type Sandbox,
  type SandboxDriver,
  startNamespaceDriver,
} from '@manta/kubelet';

const SUPERVISOR = resolve(import.meta.dirname, '../../../packages/kubelet/src/supervisor/main.ts');

/** The isolation that this user can have. */
export const modes = process.getuid?.() === 0 ? (['user', 'root'] as const) : (['user'] as const);
export const podEnv = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/ray' };

/** Pods in namespaces as an engine with this data directory has them. */
export interface SandboxedPods {
  readonly driver: SandboxDriver;
  pod(): Promise<Sandbox>;
  /** What starts a container that runs a shell script. */
  request(script: string, more?: Partial<ProcessRequest>): ProcessRequest;
  /** Runs a shell script in a pod to its end. */
  run(sandbox: Sandbox, script: string, more?: Partial<ProcessRequest>): Promise<{ code: number; output: string }>;
  close(): Promise<void>;
}

export async function startSandboxedPods(mode: 'user' | 'root', dataDir: string): Promise<SandboxedPods> {
  mkdirSync(dataDir, { recursive: true });
  const driver = await startNamespaceDriver({
    mode,
    description: mode,
    dataDir,
    supervisorCommand: [process.execPath, '--disable-warning=ExperimentalWarning', SUPERVISOR],
    onApiConnection: (socket) => void socket.end(),
    onEgressConnection: (socket) => void socket.end(),
  });
  let count = 0;
  const request = (script: string, more: Partial<ProcessRequest> = {}): ProcessRequest => {
    count += 1;
    const output = join(dataDir, `output-${count}`);
    const mounts: readonly Mount[] = [];
    return {
      name: `c${count}`,
      command: ['sh', '-c', script],
      env: podEnv,
      mounts,
      shmBytes: 1 << 24,
      output,
      ...more,
    };
  };
  return {
    driver,
    request,
    async pod() {
      count += 1;
      const folder = join(dataDir, 'pods', `p${count}`);
      mkdirSync(folder, { recursive: true });
      return await driver.create({ id: `p${count}`, hostname: `p${count}`, folder, hosts: '127.0.0.1 localhost\n' });
    },
    async run(sandbox, script, more) {
      const asked = request(script, more);
      const { code } = await (await sandbox.start(asked)).ended;
      return { code, output: readFileSync(asked.output, 'utf8') };
    },
    async close() {
      await driver.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
