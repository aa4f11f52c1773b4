import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCgroups } from './cgroups.ts';
import { limitsOf } from './limits-of.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'manta-cgroups-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const limits = { memoryBytes: 1 << 30, cpus: 2.5 };

describe('control groups', () => {
  it('of version 1 are made in the tree of each controller, below this process’s own', () => {
    mkdirSync(join(root, 'memory/own'), { recursive: true });
    mkdirSync(join(root, 'cpu,cpuacct'));
    const self = '4:memory:/own\n2:cpu,cpuacct:/not/here\n1:name=systemd:/\n';
    const group = openCgroups({ mark: 'x', root, self })?.create('pod-main', limits);
    expect(group?.joins.map((path) => path.slice(root.length))).toEqual([
      '/memory/own/manta-x/pod-main/cgroup.procs',
      '/cpu,cpuacct/manta-x/pod-main/cgroup.procs',
    ]);
    expect(read('memory/own/manta-x/pod-main/memory.limit_in_bytes')).toBe('1073741824');
    expect(read('cpu,cpuacct/manta-x/pod-main/cpu.cfs_quota_us')).toBe('250000');
    writeFileSync(join(root, 'memory/own/manta-x/pod-main/memory.oom_control'), 'under_oom 0\noom_kill 0\n');
    expect(group?.hasRunOut()).toBe(false);
    writeFileSync(join(root, 'memory/own/manta-x/pod-main/memory.oom_control'), 'under_oom 0\noom_kill 2\n');
    expect(group?.hasRunOut()).toBe(true);
  });

  it('of version 2 are made in the one tree, with its controllers handed down', () => {
    mkdirSync(join(root, 'user.slice'));
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory');
    writeFileSync(join(root, 'user.slice/cgroup.subtree_control'), 'cpu io memory pids\n');
    const group = openCgroups({ mark: 'x', root, self: '0::/user.slice\n' })?.create('pod-main', limits);
    expect(group?.joins).toEqual([join(root, 'user.slice/manta-x/pod-main/cgroup.procs')]);
    expect(read('user.slice/manta-x/cgroup.subtree_control')).toBe('+memory +cpu');
    expect(read('user.slice/manta-x/pod-main/memory.max')).toBe('1073741824');
    expect(read('user.slice/manta-x/pod-main/cpu.max')).toBe('250000 100000');
  });

  it('are made even where the kernel refuses a limit, and hold to the others', () => {
    for (const controller of ['memory', 'cpu']) mkdirSync(join(root, controller));
    const cgroups = openCgroups({ mark: 'x', root, self: '' });
    // A folder takes no value, as a quota above the parent's does not.
    mkdirSync(join(root, 'cpu/manta-x/pod-main/cpu.cfs_quota_us'), { recursive: true });
    expect(cgroups?.create('pod-main', limits).joins).toHaveLength(2);
    expect(read('memory/manta-x/pod-main/memory.limit_in_bytes')).toBe('1073741824');
  });

  it('are none where they cannot be made', () => {
    expect(openCgroups({ mark: 'x', root: '/proc/no/such', self: '0::/\n' })).toBeUndefined();
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory');
    expect(openCgroups({ mark: 'x', root, self: '0::/\n' })).toBeUndefined();
  });

  it('that a killed engine left are removed, and all go in the end', () => {
    mkdirSync(join(root, 'memory/manta-x/old'), { recursive: true });
    mkdirSync(join(root, 'cpu'));
    const cgroups = openCgroups({ mark: 'x', root, self: '4:memory:/\n2:cpu:/\n' });
    expect(existsSync(join(root, 'memory/manta-x/old'))).toBe(false);
    cgroups?.create('pod-main', {}).remove();
    expect(existsSync(join(root, 'memory/manta-x/pod-main'))).toBe(false);
    cgroups?.close();
    expect([existsSync(join(root, 'memory/manta-x')), existsSync(join(root, 'cpu/manta-x'))]).toEqual([false, false]);
  });
});

describe('limits', () => {
  it('are read as Kubernetes writes them; less than a CPU counts as one', () => {
    const container = { name: 'c', resources: { limits: { cpu: '200m', memory: '1500Mi' } } };
    expect(limitsOf(container)).toEqual({ memoryBytes: 1500 * 2 ** 20, cpus: 0.2 });
    const none = { memoryBytes: undefined, cpus: undefined };
    expect(limitsOf({ name: 'c' })).toEqual(none);
    expect(limitsOf({ name: 'c', resources: { limits: { cpu: '0', memory: '0' } } })).toEqual(none);
    mkdirSync(join(root, 'memory'));
    mkdirSync(join(root, 'cpu'));
    openCgroups({ mark: 'x', root, self: '' })?.create('c', limitsOf(container));
    expect(read('cpu/manta-x/c/cpu.cfs_quota_us')).toBe('100000');
  });
});
