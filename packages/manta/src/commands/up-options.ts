import type { LoopbackAccess, SandboxMode } from '@manta/kubelet';

/** What `manta up` was asked for. */
export interface UpOptions {
  /** False where `--no-pods` was given. */
  readonly pods: boolean;
  /** False where `--no-operator` was given. */
  readonly operator: boolean;
  readonly port: number;
  readonly dataDir?: string;
  readonly kubeconfigOut?: string;
  /** A file of other clusters to which ours is added; true is the user's own. */
  readonly kubeconfigMerge?: string | true;
  /** Empties the data directory first. */
  readonly reset?: boolean;
  /** The operator's, as its own flag takes them. */
  readonly featureGates?: string;
  /** Images, without tags, and the folder whose programs stand for each. */
  readonly image?: Readonly<Record<string, string>>;
  /** Gives each of Ray's images the version that its tag says, instead of the one that is installed. */
  readonly rayFromTag?: boolean;
  /** Where Gateways are served; undefined is a port of its own, or any where that is taken. */
  readonly routerPort?: number;
  /** Addresses and CIDR ranges that the egress proxy of pods allows although it refuses others like them. */
  readonly egressAllow?: readonly string[];
  /** Which users of this machine the loopback ports serve; `user` if the system tells who owns a connection, unless given. */
  readonly loopbackAccess?: LoopbackAccess;
  /** False where `--no-console` was given. */
  readonly console: boolean;
  /** False where `--no-history` was given. */
  readonly history: boolean;
  /** Where the web console is served; undefined is a port of its own, or any where that is taken. */
  readonly consolePort?: number;
  /** How pods are kept apart; chosen by trying unless told. */
  readonly sandbox?: SandboxMode;
  /** CPUs that the node advertises, as a Kubernetes quantity; derived from the machine unless given. */
  readonly cpus?: string;
  /** Memory that the node advertises, likewise. */
  readonly memory?: string;
}
