import type { Duplex, Writable } from 'node:stream';
import type { ServiceRoute } from '../network/service-routes.ts';

/**
 * Where pods live on this machine. A driver gives each pod a sandbox of its own (its network address, its host name, what its containers see
 * of the file system) and runs processes in it. The kubelet above decides what runs when.
 */
export interface SandboxDriver {
  /** One line for people: which isolation this is, and why not a better one. */
  readonly description: string;
  /** Addresses that pods reach the API server under. */
  readonly apiServer: { readonly host: string; readonly port: number };
  /** The HTTP proxy through which pods reach the world outside; undefined where they need none. */
  readonly egress: string | undefined;
  /** Creates a pod's sandbox; an id must not be used twice. */
  create(request: SandboxRequest): Promise<Sandbox>;
  /** Updates the routes of Services. */
  servicesAre(routes: readonly ServiceRoute[]): Promise<void>;
  /** Where pods find a port of a Service that has an address. */
  reach(port: ServiceAddress): Promise<{ readonly host: string; readonly port: number }>;
  /** Ends every sandbox and everything in them. */
  close(): Promise<void>;
}

/** A port of a Service, by its name and by its address. */
export interface ServiceAddress {
  readonly name: string;
  readonly namespace: string;
  readonly clusterIp: string;
  readonly port: number;
}

export interface SandboxRequest {
  /** Unique and short; part of names of interfaces and files. */
  readonly id: string;
  readonly hostname: string;
  /** An existing folder of the pod for temporary files, deleted with the pod. */
  readonly folder: string;
  /** The first content of the pod's `/etc/hosts`. */
  readonly hosts: string;
  /** Ports that its containers say they listen on. */
  readonly ports?: readonly number[];
  /** Folders below its own that are in memory, for all of its containers, where the driver can make them so. */
  readonly memory?: readonly MemoryFolder[];
}

/** A folder, which exists, in memory; as large as the kernel likes where no size is given. */
export interface MemoryFolder {
  readonly path: string;
  readonly bytes?: number;
}

/** The isolated environment of one pod. */
export interface Sandbox {
  readonly ip: string;
  /** Starts a container's process; rejects with a readable message when it cannot even begin (a missing program, a mount that fails). */
  start(request: ProcessRequest): Promise<SandboxProcess>;
  /** Runs one more command in a running container, with its own streams. */
  exec(
    container: SandboxProcess,
    command: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<ExecStreams>;
  /** Replaces the content of `/etc/hosts` of all containers, in place: Ray keeps the file open. */
  setHosts(text: string): Promise<void>;
  /** A connection to a port of the pod, for probes, proxies and port-forwarding. */
  connect(port: number): Promise<Duplex>;
  /** Ends everything that runs in it, at once, and takes it down. */
  destroy(): Promise<void>;
}

export interface ProcessRequest {
  /** The container's name. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Must exist inside; default `/`. */
  readonly workingDir?: string;
  readonly mounts: readonly Mount[];
  /** Files and folders of this machine that it sees, read-only, besides the system's: the programs of its image. */
  readonly programs?: readonly string[];
  /** Size of `/dev/shm`. */
  readonly shmBytes: number;
  /** The file that its output is appended to, as it is written. */
  readonly output: string;
  /** Files to which its first process writes 0 before anything else, which puts it into control groups. */
  readonly joins?: readonly string[];
}

/** Something that a container sees at a path. Mount points that do not exist are made. */
export type Mount =
  | {
      readonly kind: 'bind';
      readonly source: string;
      readonly target: string;
      readonly isReadOnly: boolean;
      /** A path in `source`, without links, that is mounted instead of it; a folder where it is missing. Links that a pod puts there are refused. */
      readonly within?: string;
    }
  | { readonly kind: 'memory'; readonly target: string; readonly bytes?: number };

/** A running container. */
export interface SandboxProcess {
  readonly name: string;
  /** Settles when its first process has ended, and all others with it. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends a signal to its first process; nothing when it has ended. */
  signal(signal: NodeJS.Signals): Promise<void>;
}

/** How a process ended; a signal that killed it is also in the code, as a shell would say it. */
export interface ProcessEnd {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

/** A command inside a container, and its streams. */
export interface ExecStreams {
  readonly stdin: Writable;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
}
