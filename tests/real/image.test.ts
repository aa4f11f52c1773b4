import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { START_FLAGS } from '../../packages/manta/src/start-small.ts';
import { VERSION } from '../../packages/manta/src/version.ts';
import { imageLayout, type LayoutFiles } from '../../tools/ship/image/oci-layout.ts';
import { operatorImage } from '../../tools/ship/image/operator-image.ts';
import { unpackLayers } from '../../tools/ship/image/unpack.ts';
import { freePort } from '../support/free-port.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { installCrds } from './ray-api.ts';

const plane = sharedControlPlane();
const folder = mkdtempSync(join(tmpdir(), 'manta-image-'));
const rootfs = join(folder, 'rootfs');
const running: ChildProcess[] = [];
/** As a container runtime does it: the root read-only, a /tmp of its own, nobody special, and no privilege that could be had. */
const CONTAINER = [
  'mount --bind "$1" "$1"',
  'mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"',
  '[ -z "$2" ] || { cp "$2" "$1/tmp/kubeconfig" && chmod 0444 "$1/tmp/kubeconfig"; }',
  'mount -o remount,bind,ro "$1"',
  'root=$1; shift 2; exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin KUBECONFIG=/tmp/kubeconfig setpriv --no-new-privs --inh-caps=-all chroot --userspec=65532:65532 "$root" "$@"',
].join('\n');
const inContainer = (kubeconfig: string, command: readonly string[]) => [
  '--mount',
  'sh',
  '-ec',
  CONTAINER,
  'sh',
  rootfs,
  kubeconfig,
  ...command,
];
/** An image holds the Node and the C library of the machine that makes it. */
const isLinux = process.platform === 'linux';
const canUnshare = isLinux && spawnSync('unshare', ['--mount', 'true']).status === 0;
let layout: LayoutFiles;
let sbom: object;

beforeAll(async () => {
  if (!isLinux) return;
  const image = await operatorImage();
  layout = imageLayout(image.input);
  ({ sbom } = image);
  chmodSync(folder, 0o755);
  mkdirSync(rootfs);
  unpackLayers(layout, rootfs);
  await installCrds(plane);
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const blob = (digest: string): Buffer => layout.get(`blobs/${digest.replace(':', '/')}`) ?? Buffer.alloc(0);
const sha256 = (data: Buffer) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const index = () => JSON.parse(String(layout.get('index.json')));
const manifest = () => JSON.parse(String(blob(index().manifests[0].digest)));

describe.runIf(isLinux)(`the image${isLinux ? '' : '; left out, since images are made on Linux only'}`, () => {
  it('is an OCI layout in which every digest and size is true, and every layer is the one that the configuration names', () => {
    expect(JSON.parse(String(layout.get('oci-layout')))).toEqual({ imageLayoutVersion: '1.0.0' });
    const { config, layers } = manifest();
    for (const { digest, size } of [...index().manifests, config, ...layers]) {
      expect(sha256(blob(digest))).toBe(digest);
      expect(blob(digest)).toHaveLength(size);
    }
    const { rootfs: named, config: settings } = JSON.parse(String(blob(config.digest)));
    expect(named.diff_ids).toEqual(layers.map(({ digest }: { digest: string }) => sha256(gunzipSync(blob(digest)))));
    expect(settings).toMatchObject({ User: '65532:65532', Entrypoint: ['/manager'] });
  });

  it('is the same to the byte when it is made again', async () => {
    const again = imageLayout((await operatorImage()).input);
    expect(String(again.get('index.json'))).toBe(String(layout.get('index.json')));
  });

  it('holds Node, its libraries, the operator and the web console, and nothing to get a shell from', () => {
    const list = execFileSync('find', ['.', '-type', 'f'], { cwd: rootfs, encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
    const others = list.filter((path) => !/^\.\/(lib|lib64|usr\/lib|etc|console\/assets)\//.test(path)).toSorted();
    expect(others).toEqual([
      './app/manager.mjs',
      './app/web-console.mjs',
      './console/favicon.svg',
      './console/index.html',
      './nodejs/bin/node',
      './usr/share/doc/node/LICENSE',
      './usr/share/sbom/manta-operator.cdx.json',
    ]);
    const special = execFileSync('find', ['.', '-perm', '/6000'], { cwd: rootfs, encoding: 'utf8' });
    expect(special).toBe('');
    expect(statSync(join(rootfs, 'app/manager.mjs')).mode & 0o022).toBe(0);
  });

  it('carries a bill of what is in it, which names what the bundle was made from', () => {
    const file = JSON.parse(readFileSync(join(rootfs, 'usr/share/sbom/manta-operator.cdx.json'), 'utf8'));
    expect(file).toEqual(sbom);
    const names = file.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'ws', 'yaml']));
    expect(names).not.toContain('esbuild');
    expect(names.some((name: string) => name.endsWith('/libc.so.6'))).toBe(true);
  });
});

const leftOut = canUnshare ? '' : '; left out, since this user may not make mounts';
describe.runIf(canUnshare)(`the image as a container: not root, its file system read-only${leftOut}`, () => {
  const run = (...command: readonly string[]) => spawnSync('unshare', inContainer('', command), { encoding: 'utf8' });

  it('says its version', () => {
    expect(run('/manager', '--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it('says its flags', () => {
    const { status, stdout } = run('/manager', '--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--metrics-addr');
  });

  it('has the web console', () => {
    const { status, stdout } = run('/web-console', '--help');
    expect([status, stdout]).toEqual([0, expect.stringContaining('--oidc-issuer')]);
  });

  it('can write nowhere but in /tmp', () => {
    const script =
      "const fs=require('fs');const t=p=>{try{fs.writeFileSync(p+'/x','');return p}catch(e){return e.code}};console.log(process.getuid(),['/','/app','/etc','/tmp'].map(t).join())";
    expect(run('/nodejs/bin/node', '-e', script).stdout).toBe('65532 EROFS,EROFS,EROFS,/tmp\n');
  });

  it('works on a real API server', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, plane.adminKubeconfig.text);
    const port = await freePort();
    const flags = [
      '--enable-leader-election=false',
      '--metrics-addr=0',
      `--health-probe-bind-address=127.0.0.1:${port}`,
      '--watch-namespace=image',
    ];
    const child = spawn('unshare', inContainer(kubeconfig, ['/manager', ...flags]), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).text();
    await vi.waitFor(async () => expect(await readyz()).toMatch(/^\[\+\]controllers ok$/m), {
      timeout: 30_000,
      interval: 200,
    });
    expect(log).toContain('starting manager');
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0')).toEqual(
      expect.arrayContaining([...START_FLAGS]),
    );
    child.kill('SIGTERM');
    const status = await new Promise((resolve) => void child.once('close', resolve));
    expect(status).toBe(0);
  });
});
