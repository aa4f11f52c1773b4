/**
 * Limits for input from outside the process: Ray heads, pods, API clients, webhooks, kubeconfig and YAML. Every package takes its limits
 * from here, so that one file shows what a hostile sender can cost. `docs/limits.md` lists them with their reasons.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of the embedded API server, which are kube-apiserver's and etcd's unless a comment says otherwise. */
export const API_SERVER_LIMITS = {
  /** Bytes of a request body (kube-apiserver: 3 MiB). */
  bodyBytes: 3 * MIB,
  /** Bytes of one stored object (etcd's request limit). */
  objectBytes: 1.5 * MIB,
} as const;
