import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Mount, type Sandbox, type SandboxDriver, startNamespaceDriver } from '@manta/kubelet';

const SUPERVISOR = resolve(import.meta.dirname, '../../packages/kubelet/src/supervisor/main.ts');
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/ray' };
const isRoot = process.getuid?.() === 0;

describe.each(isRoot ? (['user', 'root'] as const) : (['user'] as const))('pods in namespaces (%s)', (mode) => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-sandbox-'));
  let driver: SandboxDriver;
  let pods = 0;

  beforeAll(async () => {
    driver = await startNamespaceDriver({
      mode,
      description: mode,
      dataDir: folder,
      supervisorCommand: [process.execPath, '--disable-warning=ExperimentalWarning', SUPERVISOR],
      onApiConnection: (socket) => void socket.end('this is the API server'),
      onEgressConnection: (socket) => void socket.end(),
    });
  });
  afterAll(async () => {
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function pod(hosts = '127.0.0.1 localhost\n'): Promise<Sandbox> {
    pods += 1;
    const own = join(folder, `pod${pods}`);
    mkdirSync(own);
    return await driver.create({ id: `pod${pods}`, hostname: `pod-${pods}`, folder: own, hosts });
  }

  /** Runs a shell script to its end. */
  async function run(sandbox: Sandbox, script: string, mounts: readonly Mount[] = []) {
    const output = join(folder, `out-${Math.random()}`);
    const process = await sandbox.start({
      name: 'main',
      command: ['bash', '-c', script],
      env,
      mounts,
      shmBytes: 1 << 26,
      output,
    });
    const end = await process.ended;
    return { ...end, output: readFileSync(output, 'utf8') };
  }

  it('have a name and an address of their own, and reach each other', async () => {
    const [server, client] = await Promise.all([pod(), pod()]);
    const output = join(folder, 'server');
    const web = await server.start({
      name: 'web',
      command: ['python3', '-u', '-m', 'http.server', '8000'],
      env,
      mounts: [],
      shmBytes: 1 << 26,
      output,
    });
    await vi.waitFor(async () => (await server.connect(8000)).destroy(), { timeout: 20_000 });
    const asked = await run(
      client,
      `hostname; exec 3<>/dev/tcp/${server.ip}/8000; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; head -1 <&3`,
    );
    expect(asked.output).toMatch(/^pod-\d+\nHTTP\/1\.0 200 OK/);
    await expect(server.connect(9999)).rejects.toThrow('ECONNREFUSED');
    await web.signal('SIGKILL');
    expect(await web.ended).toEqual({ code: 137, signal: 'SIGKILL' });
    await Promise.all([server.destroy(), client.destroy()]);
  });

  it('have the programs of their image in a login shell too', async () => {
    const sandbox = await pod();
    const said = await run(sandbox, 'echo "$PATH"; bash -lc \'echo "$PATH"\'');
    expect(said).toEqual({ code: 0, output: `${env.PATH}\n${env.PATH}\n` });
    await sandbox.destroy();
  });

  it('may use the same port side by side', async () => {
    const [a, b] = await Promise.all([pod(), pod()]);
    const listen = (sandbox: Sandbox, word: string) =>
      sandbox.start({
        name: word,
        command: ['python3', '-u', '-m', 'http.server', '8000'],
        env,
        mounts: [],
        shmBytes: 1 << 26,
        output: join(folder, word),
      });
    const both = await Promise.all([listen(a, 'a'), listen(b, 'b')]);
    for (const each of [a, b]) await vi.waitFor(async () => (await each.connect(8000)).destroy(), { timeout: 20_000 });
    await Promise.all([a.destroy(), b.destroy()]);
    expect(await Promise.all(both.map(({ ended }) => ended))).toHaveLength(2);
  });

  it('reach the API server', async () => {
    const sandbox = await pod();
    const { host, port } = driver.apiServer;
    expect((await run(sandbox, `exec 3<>/dev/tcp/${host}/${port}; cat <&3`)).output).toBe('this is the API server');
    await sandbox.destroy();
  });

  it('reach a Service at its own address and port, and are refused where it has no pod', async () => {
    const [server, client] = await Promise.all([pod(), pod()]);
    const listen = (from: Sandbox, output: string) =>
      from.start({
        name: 'web',
        command: ['python3', '-u', '-m', 'http.server', '8000', '--directory', '/dev/shm'],
        env,
        mounts: [],
        shmBytes: 1 << 26,
        output: join(folder, output),
      });
    const isUp = () => vi.waitFor(async () => (await server.connect(8000)).destroy(), { timeout: 20_000 });
    const lead = (...targets: readonly { ip: string; port: number }[]) =>
      driver.servicesAre([
        {
          service: { metadata: { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '' } },
          clusterIp: '10.0.7.7',
          ports: [{ name: '', port: 80, nodePort: undefined, targets }],
        },
      ]);
    const ask = async (from = client) =>
      await run(from, `exec 3<>/dev/tcp/10.0.7.7/80 || exit 1; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; head -1 <&3`);
    await listen(server, `service-${mode}`);
    await isUp();
    await lead({ ip: client.ip, port: 8000 }, { ip: server.ip, port: 8000 });
    expect((await ask()).output).toMatch(/^HTTP\/1\.0 200 OK/);
    expect((await ask(server)).output).toMatch(/^HTTP\/1\.0 200 OK/);
    await lead();
    expect(await ask()).toMatchObject({ code: 1, output: expect.stringContaining('Connection refused') });
    await lead({ ip: server.ip, port: 8000 });
    for (const pid of supervisors()) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => listen(server, `service-again-${mode}`), { timeout: 20_000 });
    await isUp();
    expect((await ask()).output).toMatch(/^HTTP\/1\.0 200 OK/);
    await Promise.all([server.destroy(), client.destroy()]);
  });

  it('end with the code of their first process, and everything in them ends with it', async () => {
    const sandbox = await pod();
    expect(await run(sandbox, 'sleep 1000 & exit 7')).toMatchObject({ code: 7 });
    expect((await run(sandbox, 'ps ax | grep -c "[s]leep 1000"')).output).toBe('0\n');
    await sandbox.destroy();
  });

  it('see their volumes wherever they are mounted, and cannot change the host', async () => {
    const volume = join(folder, `volume-${mode}`);
    mkdirSync(volume);
    writeFileSync(join(volume, 'file'), 'content');
    const sandbox = await pod();
    const mounts: Mount[] = [
      { kind: 'bind', source: volume, target: '/home/ray/samples', isReadOnly: true },
      { kind: 'bind', source: join(volume, 'file'), target: '/etc/manta-test/deep/file.txt', isReadOnly: false },
      { kind: 'bind', source: volume, target: '/data', isReadOnly: false },
      // On most systems a link to /run, which is the pod's own.
      { kind: 'bind', source: volume, target: '/var/run/secrets/some/account', isReadOnly: true },
      { kind: 'memory', target: '/cache', bytes: 1 << 20 },
    ];
    const script = `cat /home/ray/samples/file /etc/manta-test/deep/file.txt /var/run/secrets/some/account/file; echo written > /data/new
      touch /home/ray/samples/no /usr/no /lib/no /bin/no 2>&1 | grep -c 'Read-only'; touch /etc/own /root/own; head -c 5 /etc/passwd; df --output=size /cache | tail -1`;
    const etc = readdirSync('/etc');
    const { output } = await run(sandbox, script, mounts);
    expect(output.replaceAll(/\s+/g, ' ').trim()).toMatch(/^contentcontentcontent4 root: 1024$/);
    expect(readFileSync(join(volume, 'new'), 'utf8')).toBe('written\n');
    expect(readdirSync('/etc')).toEqual(etc);
    expect(existsSync('/data/new')).toBe(false);
    await sandbox.destroy();
  });

  it('keep what is in a volume where the host has a folder too, also with something mounted inside it', async () => {
    const volume = join(folder, `over-${mode}`);
    const message = join(folder, `inside-${mode}`);
    mkdirSync(join(volume, 'deep'), { recursive: true });
    writeFileSync(join(volume, 'deep', 'kept'), 'kept ');
    writeFileSync(message, '');
    const sandbox = await pod();
    const bind = { kind: 'bind', isReadOnly: false } as const;
    const mounts: Mount[] = [
      { ...bind, source: volume, target: '/var/log' },
      { ...bind, source: message, target: '/var/log/message' },
      { ...bind, source: message, target: '/var/log/deep/message' },
      { kind: 'memory', target: '/opt', bytes: 1 << 20 },
      { ...bind, source: message, target: '/opt/message' },
    ];
    const script = `cat /var/log/deep/kept; echo new > /var/log/new; echo said > /var/log/message; ls /var/log
      cat /var/log/deep/message; echo /opt/*`;
    const { output } = await run(sandbox, script, mounts);
    expect(output.replaceAll(/\s+/g, ' ').trim()).toBe('kept deep message new said /opt/message');
    expect(readFileSync(join(volume, 'new'), 'utf8')).toBe('new\n');
    expect(readFileSync(message, 'utf8')).toBe('said\n');
    await sandbox.destroy();
  });

  it('have devices and a terminal of their own, and may be given files beside them', async () => {
    const message = join(folder, `message-${mode}`);
    writeFileSync(message, '');
    const sandbox = await pod();
    const script = `echo lost > /dev/null; head -c 4 /dev/zero | wc -c; [ -c /dev/urandom ] && echo random
      script -qec tty /dev/null | tr -d '\\r'; ls /dev/shm | wc -l; echo "my last words" > /dev/termination-log`;
    const mounts: Mount[] = [{ kind: 'bind', source: message, target: '/dev/termination-log', isReadOnly: false }];
    writeFileSync(`/dev/shm/manta-${mode}`, 'not for pods');
    const { output } = await run(sandbox, script, mounts);
    rmSync(`/dev/shm/manta-${mode}`);
    expect(output).toBe('4\nrandom\n/dev/pts/0\n0\n');
    expect(readFileSync(message, 'utf8')).toBe('my last words\n');
    expect(existsSync('/dev/termination-log')).toBe(false);
    await sandbox.destroy();
  });

  it('share folders in memory, of the size that was asked for, that nobody else sees', async () => {
    const own = join(folder, `memory-${mode}`);
    const path = join(own, 'fast');
    mkdirSync(path, { recursive: true });
    const memory = [{ path, bytes: 1 << 20 }];
    const sandbox = await driver.create({ id: `m-${mode}`, hostname: 'm', folder: own, hosts: '', memory });
    const all: Mount = { kind: 'bind', source: path, target: '/fast', isReadOnly: false };
    const part: Mount = { ...all, within: 'part', target: '/part' };
    const write = `echo shared > /part/file; df --output=fstype,size /fast | tail -1; head -c 2000000 /dev/zero > /fast/big`;
    const { code, output } = await run(sandbox, write, [all, part]);
    expect([code, output]).toEqual([1, expect.stringMatching(/^tmpfs +1024\n.*No space left/)]);
    expect((await run(sandbox, 'cat /fast/part/file', [all])).output).toBe('shared\n');
    expect(readdirSync(path)).toEqual([]);
    await sandbox.destroy();
    rmSync(own, { recursive: true });
  });

  it('may listen on any port, write where images are written to, and trace processes of their own', async () => {
    const sandbox = await pod();
    const program = `
import ctypes, os, socket, subprocess
socket.create_server(("", 80)).close()
for path in ("/etc/made", "/root/made", "/var/lib/made", "/var/tmp/made", "/opt/made", "/run/made", "/dev/shm/made", "/made", "/home/ray/made"):
    open(path, "w").close()
child = subprocess.Popen(["sleep", "100"])
libc = ctypes.CDLL(None, use_errno=True)
assert libc.ptrace(16, child.pid, None, None) == 0, os.strerror(ctypes.get_errno())
os.waitpid(child.pid, 0)
assert libc.ptrace(17, child.pid, None, None) == 0
child.kill()
os.chmod("/made", 0)
open("/made").close()
os.chown("/made", 0, 0)
print("all of it")`;
    const said = await run(sandbox, `python3 -c '${program}'`);
    expect(said).toEqual({ code: 0, output: 'all of it\n' });
    await sandbox.destroy();
  });

  it('say what is wrong with a mount, a program or a folder that does not exist', async () => {
    const sandbox = await pod();
    const missing: Mount = { kind: 'bind', source: '/no/such', target: '/x', isReadOnly: true };
    expect(await run(sandbox, 'true', [missing])).toMatchObject({
      code: 125,
      output: 'cannot mount /no/such: it does not exist\n',
    });
    const start = (command: readonly string[], workingDir: string) =>
      sandbox.start({
        name: 'bad',
        command,
        env,
        mounts: [],
        shmBytes: 1 << 26,
        workingDir,
        output: join(folder, `bad-${mode}`),
      });
    expect(await (await start(['no-such-program'], '/')).ended).toEqual({ code: 127 });
    expect(await (await start(['true'], '/no/where')).ended).toEqual({ code: 126 });
    expect(readFileSync(join(folder, `bad-${mode}`), 'utf8')).toContain(
      'the working directory /no/where does not exist',
    );
    await sandbox.destroy();
  });

  it('see new host names at once, in the file that they have open', async () => {
    const sandbox = await pod('1.1.1.1 first\n');
    const output = join(folder, `hosts-${mode}`);
    const script = 'exec 3</etc/hosts; cat /etc/hosts; until grep -q second /etc/hosts; do sleep 0.05; done; cat <&3';
    const process = await sandbox.start({
      name: 'main',
      command: ['bash', '-c', script],
      env,
      mounts: [],
      shmBytes: 1 << 26,
      output,
    });
    await vi.waitFor(() => expect(readFileSync(output, 'utf8')).toContain('first'), { timeout: 10_000 });
    await sandbox.setHosts('2.2.2.2 second\n');
    await process.ended;
    expect(readFileSync(output, 'utf8')).toBe('1.1.1.1 first\n2.2.2.2 second\n');
    await sandbox.destroy();
  });

  it('run one more command in a container, with its streams and its code, as soon as it is started', async () => {
    const sandbox = await pod('1.1.1.1 its own\n');
    const main = await sandbox.start({
      name: 'main',
      command: ['sleep', '1000'],
      env,
      mounts: [],
      shmBytes: 1 << 26,
      output: join(folder, 'x'),
    });
    const exec = await sandbox.exec(main, ['sh', '-c', 'cat - /etc/hosts; echo oops >&2; exit 3']);
    exec.stdin.end('hello ');
    expect(await Promise.all([text(exec.stdout), text(exec.stderr), exec.ended])).toEqual([
      'hello 1.1.1.1 its own\n',
      'oops\n',
      { code: 3 },
    ]);
    await sandbox.destroy();
    expect((await main.ended).code).not.toBe(0);
  });

  it('run again, at the same address, after all that was around them has been killed', async () => {
    const sandbox = await pod();
    const main = await sandbox.start({
      name: 'main',
      command: ['sleep', '1000'],
      env,
      mounts: [],
      shmBytes: 1 << 26,
      output: join(folder, 'killed'),
    });
    for (const pid of supervisors()) process.kill(pid, 'SIGKILL');
    expect(await main.ended).toEqual({ code: 137, signal: 'SIGKILL' });
    expect((await run(sandbox, 'hostname -I')).output.trim()).toBe(sandbox.ip);
    await sandbox.destroy();
  });

  it('are taken down where all that was around them has been killed', async () => {
    const sandbox = await pod();
    const main = await sandbox.start({
      name: 'main',
      command: ['sleep', '1000'],
      env,
      mounts: [],
      shmBytes: 1 << 26,
      output: join(folder, 'gone'),
    });
    for (const pid of supervisors()) process.kill(pid, 'SIGKILL');
    await main.ended;
    await expect(sandbox.destroy()).resolves.toBeUndefined();
  });

  it('that cannot be made take no address with them', async () => {
    // A file, where nothing can be in.
    const request = { id: 'none', hostname: 'none', folder: join(folder, 'sockets'), hosts: '' };
    for (let attempt = 0; attempt < 254; attempt++) await expect(driver.create(request)).rejects.toThrow('ENOTDIR');
  });

  /** Processes of the supervisor: their arguments contain the folder of its sockets. */
  function supervisors(): readonly number[] {
    const sockets = readFileSync(join(folder, 'sockets'), 'utf8');
    return readdirSync('/proc').flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${sockets}/supervisor`) ? [Number(pid)] : [];
      } catch {
        return [];
      }
    });
  }
});
