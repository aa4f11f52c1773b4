import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../packages/cli/src/plugin-version.ts';
import { buildExecutable, bundlePlugin } from '../../tools/ship/plugin/executable.ts';
import { NPM_BANNER, npmPackage } from '../../tools/ship/plugin/npm-package.ts';
import { hostTarget } from '../../tools/ship/plugin/targets.ts';
import { CliStage } from '../cli/cli-stage.ts';
import { type ConformanceEngine, startConformanceEngine } from '../conformance/support/engine-access.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'manta-plugin-test-'));
const executable = join(folder, 'kubectl-ray');

let engine: ConformanceEngine;
let stage: CliStage;

beforeAll(async () => {
  const bundle = join(folder, 'bundle.mjs');
  await bundlePlugin(bundle);
  await buildExecutable(hostTarget(), bundle, executable);
  engine = await startConformanceEngine();
  stage = await CliStage.open(engine.access);
}, 300_000);

afterAll(async () => {
  await stage.close();
  await engine.stop();
  rmSync(folder, { recursive: true });
});

describe('the single executable', () => {
  /** Runs it in a folder of its own, with no program on PATH and no Node options that it would take over. */
  const plugin = (...args: string[]) =>
    run(executable, args, { cwd: folder, env: { PATH: '/nowhere', HOME: folder, NODE_OPTIONS: '--no-such-option' } });

  it('runs without Node, kubectl and the repository', async () => {
    expect((await plugin('--version')).stdout).toBe(`${VERSION}\n`);
    expect((await plugin('--help')).stdout).toContain('Usage: kubectl ray [flags] COMMAND');
  });

  it('reads and writes objects of an API server', async () => {
    const flags = ['--kubeconfig', stage.kubeconfig, '-n', stage.namespace];
    await plugin('create', 'cluster', 'packed', ...flags);
    await stage.admin.get(resources.rayClusters, { namespace: stage.namespace, name: 'packed' });
    expect((await plugin('get', 'cluster', ...flags)).stdout).toMatch(/^NAME .*\npacked /);
  });

  it('prints templates that it accepts itself, so YAML, schemas and CEL are part of the file', async () => {
    const manifest = join(folder, 'job.yaml');
    writeFileSync(manifest, (await plugin('init', 'job')).stdout);
    expect((await plugin('validate', '-f', manifest)).stdout).toContain('valid');
  });
});

describe('the npm package', () => {
  it('installs a program that runs on the Node of the machine', async () => {
    const bundle = join(folder, 'npm.mjs');
    await bundlePlugin(bundle, NPM_BANNER);
    const archive = join(folder, 'kubectl-ray.tgz');
    writeFileSync(archive, npmPackage(VERSION, readFileSync(bundle), Buffer.from('the licence')));
    const target = join(folder, 'installed');
    mkdirSync(target);
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
    await run('npm', ['install', '--prefix', target, '--offline', '--no-audit', '--no-fund', archive], { env });
    const { stdout } = await run(join(target, 'node_modules/.bin/kubectl-ray'), ['--version'], { env });
    expect(stdout).toBe(`${VERSION}\n`);
  });
});
