import type { BuildContext } from '@manta/plan';
import type { RayRef } from '../world.ts';

/** What applying manifests would do. */
export interface Preview {
  readonly objects: readonly ObjectPreview[];
}

/** What applying one manifest would do. */
export interface ObjectPreview {
  readonly ref: RayRef;
  /** `reject`: the API server or the operator refuses the object, see `problems`. */
  readonly verdict: 'nothing' | 'create' | 'change' | 'reject';
  readonly problems: readonly string[];
  /** Fields that the edit changes, by path. */
  readonly changes: readonly FieldChange[];
  readonly pods: readonly PodsChange[];
  /** What the operator does, in order. */
  readonly steps: readonly Step[];
  /** CPU, memory and devices that the object's pods request. Only resources that change. */
  readonly resources: readonly ResourceChange[];
  readonly downtime: Downtime;
  /** Changed fields without effect, or with an effect on new pods only. */
  readonly ignored: readonly IgnoredField[];
}

export interface FieldChange {
  /** `spec.workerGroupSpecs[0].replicas` */
  readonly path: string;
  /** As JSON; absent: the field is not set. */
  readonly before?: string;
  readonly after?: string;
}

/** Pods of one group of one RayCluster. */
export interface PodsChange {
  readonly cluster: string;
  readonly group: string;
  /** Additional pods. */
  readonly created: number;
  readonly deleted: number;
  /** Pods that are deleted and created again. */
  readonly replaced: number;
  /** Pods of this group that stay. */
  readonly kept: number;
  /** Why pods are deleted or replaced. */
  readonly why?: string;
}

export type StepKind = 'create' | 'update' | 'delete' | 'serve' | 'traffic' | 'job';

export interface Step {
  readonly kind: StepKind;
  /** One sentence without a full stop. */
  readonly text: string;
}

/** Amounts as Kubernetes quantities. */
export interface ResourceChange {
  readonly resource: string;
  readonly before: string;
  /** The most at any moment of the change. */
  readonly peak: string;
  readonly after: string;
}

/** Whether users notice: `none`, a time without service, or service that ends. */
export type Downtime =
  | { readonly kind: 'none' }
  | { readonly kind: 'interrupted'; readonly why: string }
  | { readonly kind: 'stopped'; readonly why: string };

export interface IgnoredField {
  readonly path: string;
  readonly why: string;
  /** New pods get the new value, existing pods keep the old one. */
  readonly isPartly?: boolean;
}

/** A Ray object as its YAML holds it. */
export type Manifest = Readonly<Record<string, unknown>>;

/** What the API server makes of an object: unknown fields dropped, defaults filled in, and what it refuses. */
export interface Admitted {
  readonly object: Manifest;
  /** Paths of unknown fields. */
  readonly dropped: readonly string[];
  readonly problems: readonly string[];
}

export interface PreviewOptions {
  /** Parses `serveConfigV2` and `runtimeEnvYAML`. Throws if the text is not YAML. */
  readonly parseYaml: (text: string) => unknown;
  /**
   * What the API server makes of an object. Absent: the object is taken as it is, so that defaults which it lacks look like changes. Whoever
   * may write the object can instead send it as a dry run and preview the answer in mode `replace`.
   */
  readonly admit?: (object: Manifest, before: Manifest | undefined) => Admitted;
  /** `apply` merges like kubectl apply, `replace` takes the manifest as the whole object. Absent: `apply`. */
  readonly mode?: 'apply' | 'replace';
  /** How the operator is installed. Absent: with its defaults. */
  readonly context?: Partial<BuildContext>;
}
