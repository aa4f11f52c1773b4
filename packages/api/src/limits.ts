/** Kubernetes' own limit for a DNS label and for a label's value. */
export const MAX_LABEL_LENGTH = 63;

/** Longest allowed names; each leaves room for what children append to it. */
export const MaxNameLength = {
  /** 63 less `-serve-svc`. */
  RayCluster: 53,
  /** A RayCluster's name less `-` and five random letters. */
  RayService: 47,
  RayJob: 47,
  /** A RayJob's name less `-` and ten digits of minutes since 1970. */
  RayCronJob: 36,
} as const;

/** Worker pods of all groups together never count beyond what fits into an int32. */
export const MAX_INT32 = 2_147_483_647;

/** Configurations of Ray Serve that the operator remembers as already sent. */
export const SERVE_CONFIG_CACHE_SIZE = 1000;
