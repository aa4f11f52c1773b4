import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a container may use. */
export interface Limits {
  readonly memoryBytes?: number | undefined;
  readonly cpus?: number | undefined;
}

/** The control groups of one container. */
export interface ContainerGroup {
  /** A process that writes 0 to all of these is in them, and so is all that it starts. */
  readonly joins: readonly string[];
  /** Whether the kernel has killed something in it because its memory was used up. */
  hasRunOut(): boolean;
  /** Nothing may run in it any more. */
  remove(): void;
}

/** Makes control groups where this process may: those that hold its containers to their limits. */
export interface Cgroups {
  create(name: string, limits: Limits): ContainerGroup;
  /** Removes all that is left. */
  close(): void;
}

export interface CgroupsOptions {
  /** Part of the groups' name: what an engine that was killed left under it is removed. */
  readonly mark: string;
  readonly root?: string;
  /** The content of `/proc/self/cgroup`. */
  readonly self?: string;
}

const PERIOD_US = 100_000;
/** The minimum CPU limit: a lower one would slow every start down several times, without benefit on a user's own machine. */
const LEAST_CPUS = 1;

/** Undefined where no group can be made: no rights, or not delegated. */
export function openCgroups({ mark, root = '/sys/fs/cgroup', self = readSelf() }: CgroupsOptions): Cgroups | undefined {
  const name = `manta-${mark}`;
  try {
    return existsSync(join(root, 'cgroup.controllers')) ? unified(root, self, name) : separate(root, self, name);
  } catch {
    return undefined;
  }
}

/** Version 2: one tree with all controllers, which have to be handed down folder by folder. */
function unified(root: string, self: string, name: string): Cgroups {
  const own = /^0::(.*)$/m.exec(self)?.[1] ?? '/';
  const parent = existsSync(join(root, own)) ? join(root, own) : root;
  const wanted = '+memory +cpu';
  const given = readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8');
  // Refused where processes are in the folder itself, unless it is the topmost.
  if (!/\bmemory\b/.test(given) || !/\bcpu\b/.test(given))
    writeFileSync(join(parent, 'cgroup.subtree_control'), wanted);
  const base = fresh(join(parent, name));
  writeFileSync(join(base, 'cgroup.subtree_control'), wanted);
  return {
    create(container, { memoryBytes, cpus }) {
      const group = made(join(base, container));
      if (memoryBytes !== undefined) {
        set(join(group, 'memory.max'), String(memoryBytes));
        if (existsSync(join(group, 'memory.swap.max'))) set(join(group, 'memory.swap.max'), '0');
      }
      if (cpus !== undefined) set(join(group, 'cpu.max'), `${quota(cpus)} ${PERIOD_US}`);
      return containerGroup([group], join(group, 'memory.events'));
    },
    close: () => removeAll(base),
  };
}

/** Version 1: a tree for each controller. */
function separate(root: string, self: string, name: string): Cgroups {
  const baseOf = (controller: string) => {
    const [, folders = '', path = ''] =
      new RegExp(`^\\d+:((?:[^:]*,)?${controller}(?:,[^:]*)?):(.*)$`, 'm').exec(self) ?? [];
    const tree = [controller, folders].map((each) => join(root, each)).find((each) => existsSync(each)) ?? root;
    // In a container the path may be another's view of it.
    return fresh(join(existsSync(join(tree, path)) ? join(tree, path) : tree, name));
  };
  const memory = baseOf('memory');
  const cpu = orElse(
    () => baseOf('cpu'),
    () => removeAll(memory),
  );
  return {
    create(container, { memoryBytes, cpus }) {
      const groups = [made(join(memory, container)), made(join(cpu, container))] as const;
      if (memoryBytes !== undefined) set(join(groups[0], 'memory.limit_in_bytes'), String(memoryBytes));
      if (cpus !== undefined) {
        set(join(groups[1], 'cpu.cfs_period_us'), String(PERIOD_US));
        set(join(groups[1], 'cpu.cfs_quota_us'), String(quota(cpus)));
      }
      return containerGroup(groups, join(groups[0], 'memory.oom_control'));
    },
    close() {
      removeAll(memory);
      removeAll(cpu);
    },
  };
}

/** What could be made before something else could not is taken back. */
function orElse<T>(make: () => T, takeBack: () => void): T {
  try {
    return make();
  } catch (error) {
    takeBack();
    throw error;
  }
}

/** A limit that the kernel refuses, because the groups above allow less, is not set: theirs holds, and the container runs. */
function set(path: string, value: string): void {
  try {
    writeFileSync(path, value);
  } catch {
    // Refused.
  }
}

function quota(cpus: number): number {
  return Math.round(Math.max(cpus, LEAST_CPUS) * PERIOD_US);
}

function containerGroup(groups: readonly string[], counter: string): ContainerGroup {
  return {
    joins: groups.map((group) => join(group, 'cgroup.procs')),
    hasRunOut: () => Number(/^oom_kill (\d+)$/m.exec(read(counter))?.[1] ?? 0) > 0,
    remove() {
      for (const group of groups) removeAll(group);
    },
  };
}

function fresh(folder: string): string {
  removeAll(folder);
  return made(folder);
}

/** Never with the folders above it: those are the system's. */
function made(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder);
  return folder;
}

/** Groups within first; one that is still in use stays, and is removed at the next start. */
function removeAll(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removeAll(join(folder, entry.name));
    rmdirSync(folder);
  } catch {
    // Not there, or not empty.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readSelf(): string {
  return read('/proc/self/cgroup');
}
