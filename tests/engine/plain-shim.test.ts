import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type PodFacts, writeShim } from '../../packages/kubelet/src/plain/shim.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-shim-'));
const shim = writeShim(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** What a Python program in a pod prints. */
function python(device: string | undefined, program: string): readonly string[] {
  const facts: PodFacts = {
    ip: '127.77.0.9',
    device,
    seenIp: '10.244.0.9',
    ports: {},
    paths: [],
    porter: ['127.0.0.1', 1],
    hosts: '/dev/null',
  };
  const env = { ...process.env, PYTHONPATH: shim, MANTA_POD: JSON.stringify(facts) };
  return execFileSync('python3', ['-c', `import socket\n${program}`], { env, encoding: 'utf8' })
    .trim()
    .split('\n');
}

const LISTEN = `
def held(server):
    return server.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16).rstrip(b"\\0").decode()
def found(server, *hosts):
    answers = []
    for host in hosts:
        try:
            socket.create_connection((host, server.getsockname()[1]), 5).close()
            answers.append("yes")
        except OSError:
            answers.append("no")
    return " ".join(answers)
`;

it('a program in a pod that listens on all addresses is held to the loopback interface', () => {
  const program = `${LISTEN}
for family, host in ((socket.AF_INET, ""), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
    server = socket.create_server((host, 0), family=family, dualstack_ipv6=family == socket.AF_INET6)
    print(held(server), found(server, "127.0.0.1", "localhost", "127.77.0.9"))`;
  expect(python('lo', program)).toEqual(['lo yes yes yes', 'lo yes yes yes', 'lo yes yes yes']);
});

it('where sockets cannot be held, it listens on the pod’s address alone, and the pod’s programs find it there', () => {
  const program = `${LISTEN}
dual = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
for server in (socket.create_server(("0.0.0.0", 0)), dual):
    print(server.getsockname()[0], found(server, "127.0.0.1", "localhost", "127.77.0.9", "${outside ?? '127.5.5.5'}"))
six = socket.create_server(("::", 0), family=socket.AF_INET6)
print(six.getsockname()[0])`;
  expect(python(undefined, program)).toEqual(['127.77.0.9 yes yes yes no', '::ffff:127.77.0.9 yes yes yes no', '::1']);
});

it('what asks for one address gets it, and what only sends is left alone', () => {
  const program = `${LISTEN}
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[0], held(server) or "free")
sender = socket.socket(type=socket.SOCK_DGRAM)
sender.bind(("", 0))
print(sender.getsockname()[0], held(sender) or "free")`;
  expect(python('lo', program)).toEqual(['127.0.0.1 free', '0.0.0.0 free']);
});
