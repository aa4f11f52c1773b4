import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Mount, type Sandbox, type SandboxDriver, startPlainDriver } from '@manta/kubelet';

const SUPERVISOR = resolve(import.meta.dirname, '../../packages/kubelet/src/supervisor/main.ts');
const env = { PATH: process.env['PATH'] ?? '', HOME: '/home/ray', HOSTNAME: 'the-pod' };

describe('pods without namespaces', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-plain-'));
  const pods: Sandbox[] = [];
  let driver: SandboxDriver;

  const startDriver = () =>
    startPlainDriver({
      description: 'plain',
      dataDir: folder,
      supervisorCommand: [process.execPath, '--disable-warning=ExperimentalWarning', SUPERVISOR],
      onApiConnection: (socket) => void socket.end('this is the API server'),
      // Every Service is the first pod.
      dial: (_, port) => (pods[0] === undefined ? Promise.reject(new Error('nobody')) : pods[0].connect(port)),
    });
  beforeAll(async () => {
    driver = await startDriver();
  });
  afterAll(async () => {
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function pod(): Promise<Sandbox> {
    const id = `pod${pods.length}`;
    mkdirSync(join(folder, id));
    const sandbox = await driver.create({ id, hostname: id, folder: join(folder, id), hosts: '' });
    pods.push(sandbox);
    return sandbox;
  }

  async function start(sandbox: Sandbox, command: readonly string[], mounts: readonly Mount[] = []) {
    const output = join(folder, `out-${Math.random()}`);
    const started = await sandbox.start({ name: 'main', command, env, mounts, shmBytes: 0, output });
    return { ...started, read: () => readFileSync(output, 'utf8') };
  }

  async function run(sandbox: Sandbox, command: readonly string[], mounts: readonly Mount[] = []) {
    const { ended, read } = await start(sandbox, command, mounts);
    return { ...(await ended), output: read() };
  }

  const web = ['python3', '-u', '-m', 'http.server', '8000'];
  const answers = (sandbox: Sandbox) =>
    vi.waitFor(async () => (await sandbox.connect(8000)).destroy(), { timeout: 20_000 });

  it('listen on the same port side by side, and are found by name, by address and by themselves', async () => {
    const [a, b] = [await pod(), await pod()];
    await start(a, web);
    const server = await start(b, web);
    await Promise.all([answers(a), answers(b)]);
    const ask = (host: string) => `urllib.request.urlopen("http://${host}:8000/").status`;
    const names = ['any.default.svc.cluster.local', a.ip, b.ip].map(ask).join(', ');
    const program = `import socket, urllib.request; print(socket.gethostname(), ${names}, ${ask('localhost')})`;
    expect(await run(b, ['python3', '-c', program])).toEqual({ code: 0, output: 'the-pod 200 200 200 200\n' });
    expect(server.read()).toContain('GET / HTTP');
  });

  it('are never taken for another Ray of this machine', async () => {
    const other = createServer().listen(0, '0.0.0.0');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    mkdirSync(join(folder, 'quiet'));
    const request = { id: 'quiet', hostname: 'quiet', folder: join(folder, 'quiet'), hosts: '', ports: [port] };
    const sandbox = await driver.create(request);
    // Whatever it is, it may be the pod's own program, until Ray is told to listen there.
    (await sandbox.connect(port)).destroy();
    await run(sandbox, ['true', `--dashboard-port=${port}`]);
    await expect(sandbox.connect(port)).rejects.toThrow('ECONNREFUSED');
    await sandbox.destroy();
    other.close();
  });

  it('have the programs of their image in a login shell too', async () => {
    const { output } = await run(await pod(), ['bash', '-c', 'echo "$PATH"; bash -lc \'echo "$PATH"\'']);
    const [plain, login] = output.trim().split('\n');
    expect(plain).toContain(env.PATH);
    expect(login).toBe(plain);
  });

  it('reach the API server', async () => {
    const { host, port } = driver.apiServer;
    const { output } = await run(await pod(), ['bash', '-c', `exec 3<>/dev/tcp/${host}/${port}; cat <&3`]);
    expect(output).toBe('this is the API server');
  });

  it('find their volumes where they were mounted, in commands and in Python', async () => {
    const source = join(folder, 'volume');
    mkdirSync(source);
    writeFileSync(join(source, 'file'), 'content');
    const mounts: Mount[] = [{ kind: 'bind', source, target: '/some/volume', isReadOnly: true }];
    const program = `import os, subprocess
path = "/some/" + "volume"
print(open(path + "/file").read(), os.path.exists(path), os.listdir(path))
subprocess.run("cat " + path + "/file", shell=True)`;
    expect((await run(await pod(), ['cat', '/some/volume/file'], mounts)).output).toBe('content');
    const { output } = await run(await pod(), ['python3', '-uc', program], mounts);
    expect(output).toBe("content True ['file']\ncontent");
  });

  it('run one more command beside a container, with its streams and its code', async () => {
    const sandbox = await pod();
    const main = await start(sandbox, ['sleep', '1000']);
    const exec = await sandbox.exec(main, ['sh', '-c', 'cat; echo oops >&2; exit 3']);
    exec.stdin.end('hello');
    expect(await Promise.all([text(exec.stdout), text(exec.stderr), exec.ended])).toEqual([
      'hello',
      'oops\n',
      { code: 3 },
    ]);
    await main.signal('SIGTERM');
    expect(await main.ended).toEqual({ code: 143, signal: 'SIGTERM' });
  });

  it('end with their first process, whatever they started', async () => {
    const sandbox = await pod();
    const script = 'setsid sleep 7771 & (setsid sleep 7772 &) ; sleep 0.2; exit 7';
    expect(await run(sandbox, ['bash', '-c', script])).toMatchObject({ code: 7 });
    expect(running('sleep\x00777')).toEqual([]);
  });

  it('end with their first process even where they have thrown their environment away', async () => {
    const sandbox = await pod();
    const script = '(env -i sleep 7781 &); sleep 0.2; exit 0';
    expect(await run(sandbox, ['bash', '-c', script])).toMatchObject({ code: 0 });
    expect(running('sleep\x007781')).toEqual([]);
    await start(sandbox, ['env', '-i', 'sleep', '7782']);
    await vi.waitFor(() => expect(running('sleep\x007782')).toHaveLength(1), { timeout: 10_000 });
    await sandbox.destroy();
    expect(running('sleep\x007782')).toEqual([]);
  });

  it('end when they are taken down', async () => {
    const sandbox = await pod();
    const main = await start(sandbox, ['bash', '-c', 'setsid sleep 7773 & wait']);
    await vi.waitFor(() => expect(running('sleep\x007773')).toHaveLength(1), { timeout: 10_000 });
    await sandbox.destroy();
    expect(running('sleep\x007773')).toEqual([]);
    expect((await main.ended).code).toBe(137);
  });

  it('end when what watches over them is killed, and can be started again', async () => {
    const sandbox = await pod();
    const main = await start(sandbox, ['bash', '-c', 'setsid sleep 7774 & wait']);
    await vi.waitFor(() => expect(running('sleep\x007774')).toHaveLength(1), { timeout: 10_000 });
    for (const pid of running(SUPERVISOR, folderOfSockets())) process.kill(pid, 'SIGKILL');
    expect((await main.ended).code).toBe(137);
    expect((await run(sandbox, ['echo', 'again'])).output).toBe('again\n');
    expect(running('sleep\x007774')).toEqual([]);
  });

  it('that cannot be made take no address with them', async () => {
    // A file, where nothing can be in.
    const request = { id: 'none', hostname: 'none', folder: join(folder, 'sockets'), hosts: '' };
    for (let attempt = 0; attempt < 254; attempt++) await expect(driver.create(request)).rejects.toThrow('ENOTDIR');
  });

  const folderOfSockets = () => readFileSync(join(folder, 'sockets'), 'utf8');
});

/** Processes whose command line holds these words. */
function running(...words: readonly string[]): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.every((word) => line.includes(word)) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}
