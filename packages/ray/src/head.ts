/** Where a Ray head answers, and how to be let in. */
export interface RayHead {
  /**
   * Where its dashboard is, without a slash at the end: `http://x-head-svc.ns.svc.cluster.local:8265`, or what the transport
   * understands, e.g. the path of a Service behind the API server's proxy.
   */
  readonly url: string;
  /** The token for the `x-ray-authorization` header. */
  readonly token?: string | undefined;
  /** One life of the head, e.g. the cluster's uid with the head pod's uid: nothing that was learned under another session counts. */
  readonly session: string;
}
