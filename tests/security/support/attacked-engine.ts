import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNamespaceDriver } from '@manta/kubelet';

/*
 * Starts pods as an engine does, in a process of its own so that it can be another user's, and lets one of them attack. Arguments: the mode and a
 * folder of its own; HOME lies in it. Writes what the attacker got to `results.json` there.
 */
const [mode = 'user', folder = ''] = process.argv.slice(2);
const attempts = resolve(import.meta.dirname, 'escape-attempts.py');
const supervisorMain = resolve(import.meta.dirname, '../../../packages/kubelet/src/supervisor/main.ts');
const MARKER = 'manta-host-secret';
const home = homedir();
const dataDir = join(home, '.local/share/manta');
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/ray' };
const shared = { env, shmBytes: 1 << 26 };

const secrets = [
  join(dataDir, 'kubeconfig'),
  join(home, '.kube/config'),
  join(home, '.ssh/id_ed25519'),
  join(home, '.aws/credentials'),
  join(folder, 'another-home', MARKER),
];
for (const secret of secrets) {
  mkdirSync(resolve(secret, '..'), { recursive: true });
  writeFileSync(secret, 'secret');
}
const programs = join(folder, 'programs');
mkdirSync(programs, { recursive: true });
writeFileSync(join(programs, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
writeFileSync(join(dataDir, MARKER), 'secret');

const abstract = `manta-${process.pid}`;
const host = createServer((socket) => socket.end()).listen(`\0${abstract}`);
const loopback = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
await new Promise((done) => loopback.once('listening', done));
const address = loopback.address();

const driver = await startNamespaceDriver({
  mode: mode === 'root' ? 'root' : 'user',
  description: mode,
  dataDir,
  supervisorCommand: [process.execPath, '--disable-warning=ExperimentalWarning', supervisorMain],
  onApiConnection: (socket) => void socket.end(),
  onEgressConnection: (socket) => void socket.end(),
});
try {
  const pod = async (name: string) => {
    const own = join(dataDir, 'pods', name);
    mkdirSync(own, { recursive: true });
    return await driver.create({ id: name, hostname: name, folder: own, hosts: '127.0.0.1 localhost\n' });
  };
  const victim = await pod('victim');
  const sleeper = await victim.start({
    ...shared,
    name: 'victim',
    command: ['sh', '-c', `echo secret > /dev/shm/${MARKER}; exec sleep 987654`],
    mounts: [],
    output: join(folder, 'victim.log'),
  });
  const facts = {
    victim: '987654',
    secrets,
    marker: MARKER,
    key: 'manta-host-key',
    socket: join(readFileSync(join(dataDir, 'sockets'), 'utf8'), 'supervisor'),
    abstract,
    port: typeof address === 'object' ? address?.port : 0,
    programs: [programs],
  };
  const attacker = await pod('attacker');
  const mounts = [{ kind: 'bind', source: attempts, target: '/attempts.py', isReadOnly: true }] as const;
  const attack = ['python3', '/attempts.py', JSON.stringify(facts)];
  const output = join(folder, 'attack.log');
  const first = await attacker.start({
    ...shared,
    name: 'first',
    command: attack,
    mounts,
    programs: [programs],
    output,
  });
  await first.ended;
  // The same beside a running container: commands come in another way.
  const idle = await attacker.start({
    ...shared,
    name: 'idle',
    command: ['sleep', '1000'],
    mounts,
    programs: [programs],
    output: join(folder, 'idle.log'),
  });
  const command = await attacker.exec(idle, attack);
  command.stdin.end();
  const said = await Promise.all([text(command.stdout), text(command.stderr)]);
  const write = (state: string) =>
    writeFileSync(
      join(folder, 'results.json'),
      JSON.stringify({
        container: parse(readFileSync(output, 'utf8')),
        exec: parse(said.join('\n')),
        victim: state,
      }),
    );
  // In case that what follows ends the engine itself.
  write('');
  // Signals to its own process group and to everything reach nothing of another pod.
  const killer = ['python3', '-c', 'import os; os.fork() or os.kill(-1, 9); os.kill(0, 9)'];
  const raging = await attacker.start({
    ...shared,
    name: 'killer',
    command: killer,
    mounts: [],
    output: join(folder, 'kill.log'),
  });
  await raging.ended;
  await sleep(500);
  const alive = await victim.exec(sleeper, ['echo', 'alive']).then(
    ({ stdin, stdout }) => (stdin.end(), text(stdout)),
    () => '',
  );
  write(alive.trim());
  for (const each of [victim, attacker]) await each.destroy();
} finally {
  await driver.close();
  host.close();
  loopback.close();
}

function parse(log: string): unknown {
  return Object.assign({}, ...[...log.matchAll(/^RESULT (.*)$/gm)].map(([, line = '']) => JSON.parse(line)));
}
