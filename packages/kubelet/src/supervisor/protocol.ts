import type { BalancedPort } from '../network/balancer.ts';
import type { MemoryFolder } from '../sandbox/sandbox.ts';

/**
 * How the engine and the supervisor talk. The *supervisor* is one process inside the namespaces in which pods live; it listens on a socket in the
 * file system, which is the one thing that both sides of a namespace boundary can see. Each connection begins with one line of JSON that says
 * what it is for; a control connection goes on with lines, all others become plain byte streams after one line of answer.
 */
export type Hello =
  /** Requests and answers; when it ends, the supervisor ends, and everything in it. */
  | { readonly type: 'control' }
  /** A connection to a pod. */
  | { readonly type: 'dial'; readonly ip: string; readonly port: number }
  /** One stream of a command that was started with `exec`. */
  | { readonly type: 'stream'; readonly exec: string; readonly stream: 'stdin' | 'stdout' | 'stderr' };

export interface Request {
  readonly id: number;
  readonly call: Call;
}

export type Call =
  | {
      readonly type: 'create';
      readonly sandbox: string;
      readonly ip: string;
      readonly hostname: string;
      readonly memory?: readonly MemoryFolder[];
    }
  | {
      readonly type: 'start';
      readonly sandbox: string;
      /** Names the process in later calls. */
      readonly process: string;
      /** Everything that has to be mounted, and the root folder to build it in. */
      readonly script: string;
      readonly command: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Where commands that are run beside it begin. */
      readonly workingDir: string;
      readonly output: string;
    }
  | {
      readonly type: 'exec';
      readonly process: string;
      readonly exec: string;
      readonly command: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: 'signal'; readonly process: string; readonly signal: NodeJS.Signals }
  | { readonly type: 'destroy'; readonly sandbox: string }
  /** The ports of Services' addresses, all of them, each time. */
  | { readonly type: 'services'; readonly ports: readonly BalancedPort[] };

export type CallOf<Type extends Call['type']> = Extract<Call, { type: Type }>;

export type Answer =
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  /** A process or an exec has ended. */
  | { readonly type: 'ended'; readonly process: string; readonly code: number; readonly signal?: NodeJS.Signals };

/** The supervisor's start options. */
export type SupervisorSettings = NamespaceSettings | PlainSettings;

export interface NamespaceSettings {
  readonly kind: 'namespaces';
  /** Whether pods have user namespaces of their own; without them their powers are taken one by one. */
  readonly mode: 'user' | 'root';
  readonly socket: string;
  /** `10.244.0`: the first three numbers of every address; the supervisor itself is `.1`. */
  readonly subnet: string;
  /** The addresses that Services have: `10.0.0.0/16`. */
  readonly serviceCidr: string;
  /** Ports of the supervisor's address that lead out of it, each to a socket in the file system: the API server, a way to the Internet. */
  readonly forwards: readonly { readonly port: number; readonly socket: string }[];
}

/** Pods are nothing but processes. */
interface PlainSettings {
  readonly kind: 'plain';
  readonly socket: string;
  /** In the environment of everything that it starts: what has it belongs to this engine's data directory. */
  readonly mark: string;
}
