import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { onLines, readFirstLine } from './connection.ts';
import { Places } from './places.ts';
import type { Answer, Call, Hello, MachineSettings, Request } from './protocol.ts';
import { runTool } from './run-tool.ts';

/** Nobody spoke to it for so long after its start: whoever started it is gone. */
const LONELY_MS = 20_000;

/**
 * The program inside the namespaces, and the first process in them: when it ends, the kernel ends everything that runs there. It ends with
 * its control connection, so that nothing outlives the engine, however the engine went.
 */
export async function runMachine(settings: MachineSettings): Promise<void> {
  await raiseNetwork(settings.subnet);
  const places = new Places();
  for (const { port, socket } of settings.forwards) await forward(`${settings.subnet}.1`, port, socket);
  const lonely = setTimeout(() => process.exit(1), LONELY_MS);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    void greet(socket, places, () => clearTimeout(lonely)).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.socket, resolve);
  });
}

async function raiseNetwork(subnet: string): Promise<void> {
  await runTool('ip', ['link', 'set', 'lo', 'up']);
  await runTool('ip', ['link', 'add', 'manta0', 'type', 'bridge']);
  await runTool('ip', ['addr', 'add', `${subnet}.1/24`, 'dev', 'manta0']);
  await runTool('ip', ['link', 'set', 'manta0', 'up']);
}

/** Connections to a port of the machine go to a socket in the file system, out of the namespaces. */
function forward(host: string, port: number, path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (inside) =>
    join(inside, connect({ path, allowHalfOpen: true })),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

async function greet(socket: Socket, places: Places, onControl: () => void): Promise<void> {
  const hello: Hello = JSON.parse(await readFirstLine(socket));
  switch (hello.type) {
    case 'control':
      onControl();
      control(socket, places);
      return;
    case 'dial':
      dial(socket, hello.ip, hello.port);
      return;
    case 'stream':
      places.attach(hello.exec, hello.stream, socket);
      return;
  }
}

function control(socket: Socket, places: Places): void {
  const say = (answer: Answer) => void socket.write(`${JSON.stringify(answer)}\n`);
  places.onEnd = (process, end) => say({ type: 'ended', process, ...end });
  onLines(socket, (line) => {
    const { id, call }: Request = JSON.parse(line);
    carryOut(places, call).then(
      () => say({ type: 'done', id }),
      (error: unknown) => say({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) }),
    );
  });
  socket.once('close', () => process.exit(0));
  socket.once('end', () => process.exit(0));
}

async function carryOut(places: Places, call: Call): Promise<void> {
  switch (call.type) {
    case 'create':
      return await places.create(call);
    case 'start':
      return places.start(call);
    case 'exec':
      return places.exec(call);
    case 'signal':
      return places.signal(call.process, call.signal);
    case 'destroy':
      return await places.destroy(call.sandbox);
  }
}

/** Answers with one line, empty when the connection stands, and becomes that connection. */
function dial(socket: Socket, host: string, port: number): void {
  const pod = connect({ host, port, allowHalfOpen: true });
  pod.once('connect', () => {
    socket.write('\n');
    join(socket, pod);
  });
  pod.once('error', (error) => socket.end(`${error.message}\n`));
}

function join(a: Socket, b: Socket): void {
  a.on('error', () => b.destroy());
  b.on('error', () => a.destroy());
  a.pipe(b);
  b.pipe(a);
}

/** Whether this machine can be had at all: the tools are there and namespaces are allowed. Undefined when it can, else why not. */
export function whyNoNamespaces(flags: readonly string[]): Promise<string | undefined> {
  const trial =
    'ip link add manta-try type bridge && mount -t tmpfs tmpfs /mnt && command -v nsenter >/dev/null && command -v chroot >/dev/null';
  return new Promise((resolve) => {
    const child = spawn('unshare', [...flags, '--', 'sh', '-c', trial], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('error', (error) => resolve(`unshare cannot be run: ${error.message}`));
    child.once('close', (code) =>
      resolve(code === 0 ? undefined : said.trim().split('\n')[0] || `unshare ended with ${code}`),
    );
  });
}
