/** The parts of a package-lock.json that matter here. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Adds an entry for every optional package that the lock names and does not have. npm leaves out packages for other platforms when the
 * registry at hand does not carry them, and `npm ci` then refuses its own lock. The entries say the version and the platform, which is
 * all that is needed to pass them over here and to install them there.
 */
export function completeLock<L extends Lock>(lock: L): L {
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies).flatMap(([name, version]) =>
      lock.packages[`node_modules/${name}`] === undefined
        ? [[`node_modules/${name}`, entryFor(name, version, dev)] as const]
        : [],
    ),
  );
  if (missing.length === 0) return lock;
  const { '': root, ...packages } = { ...lock.packages, ...Object.fromEntries(missing) };
  const sorted = Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: { ...(root === undefined ? {} : { '': root }), ...Object.fromEntries(sorted) } };
}

const SYSTEMS = ['darwin', 'linux', 'android', 'freebsd', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'wasm32', 'arm'];

function entryFor(name: string, version: string, dev: boolean | undefined): LockedPackage {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system) || (system === 'win32' && words.includes('win')));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const libc = words.includes('musl') ? 'musl' : os === 'linux' && words.includes('gnu') ? 'glibc' : undefined;
  return {
    version,
    ...(os === undefined ? {} : { os: [os] }),
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(libc === undefined ? {} : { libc: [libc] }),
    ...(dev === true ? { dev } : {}),
    optional: true,
  };
}
