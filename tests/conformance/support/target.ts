import type { ApiAnswer } from '../../support/api-request.ts';

/** Any part of an object whose shape a case asserts instead of knowing. */
export type Fields = Readonly<Record<string, unknown>>;

/** Metadata as servers answer it. */
export interface Metadata extends Fields {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly Fields[];
  readonly managedFields?: readonly ManagedFields[];
}

/** Who set which fields, as servers answer it. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: string;
  readonly fieldsV1: Fields;
  readonly subresource?: string;
}

/** An object (or a list, or a Status) as servers answer it. */
export interface KubeObject extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Fields;
  readonly status: Fields;
  readonly data: Fields;
}

/** A list as servers answer it. */
export interface KubeList extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubeObject[];
}

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** A watch that is under way, or the refusal of one. */
export interface Watch {
  readonly status: number;
  /** The answer's body where the watch was refused; else undefined. */
  readonly refusal: ApiAnswer | undefined;
  readonly contentType: string;
  /** The next event; throws where the watch ends, or says nothing for 15 s. */
  next(): Promise<WatchEvent>;
  /** All events up to and including the first that passes. */
  until(test: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]>;
  /** Everything until the server ends the watch. */
  rest(): Promise<readonly WatchEvent[]>;
  close(): void;
}

/** Who asks. */
export interface CaseUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

/** A server under test, as seen by one user. */
export interface Target {
  readonly name: 'real' | 'engine';
  /** Where it serves. */
  readonly url: string;
  /** The certificate authority that its certificate is from, as PEM. */
  readonly caCert: string;
  request(method: string, path: string, body?: unknown, headers?: Headers): Promise<ApiAnswer>;
  /** A request that must succeed; gives the object that it answers. */
  must(method: string, path: string, body?: unknown, headers?: Headers): Promise<KubeObject>;
  /** A list that must succeed. */
  list(path: string): Promise<KubeList>;
  watch(path: string, headers?: Headers): Promise<Watch>;
  /** The same server, asked by somebody who has a client certificate. */
  as(user: CaseUser): Target;
  /** The same server, asked by the bearer of a token. */
  withToken(token: string): Target;
  /** The same server, asked by nobody in particular. */
  anonymous(): Target;
  /** Makes a namespace of the case's own, with its default service account, and gives its name. */
  namespace(): Promise<string>;
  /** Makes the server forget its history, as it does by itself after a while. */
  forget(): Promise<void>;
  /** A name that nobody else has. */
  unique(prefix: string): string;
}

/** One promise about an API server. */
export interface Case {
  readonly title: string;
  readonly run: (t: Target) => Promise<void>;
}
