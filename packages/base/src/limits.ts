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
  /** Bytes of a request body that is YAML and not JSON. Parsing YAML takes a hundred times longer than parsing JSON and blocks all other requests; kubectl, Helm and client libraries send JSON. */
  yamlBytes: 128 * KIB,
  /** Levels of nested JSON or YAML in a request body (kube-apiserver: 10,000). Recursive code stays far from the stack's end. */
  bodyDepth: 500,
  /** Bytes of one stored object as JSON (etcd's request limit). */
  objectBytes: 1.5 * MIB,
  /** Writes that a watch may lag behind before its client has to list again. */
  historyEvents: 20_000,
  /** Bytes of JSON of all objects in that history: fewer writes are kept if objects are large. */
  historyBytes: 64 * MIB,
  /** Cost of one evaluation of one CEL rule, in evaluated nodes of its syntax tree (kube-apiserver: the same number, of a finer model). About 0.1 s. */
  celCallCost: 1_000_000,
  /** Cost of all CEL rules for one object. About 1 s. */
  celObjectCost: 10_000_000,
  /** Cost of all match conditions of a webhook for one request. */
  celConditionsCost: 2_500_000,
  /** Steps of all schema patterns for one object: characters of a text times instructions of its pattern. Matching takes linear time, about 50 ns a step. */
  patternSteps: 10_000_000,
  /** Length of one pattern times its counts in braces, which copy what they repeat; checked before it is compiled. About 1 s and 100 MiB. */
  patternExpansion: 200_000,
  /** Instructions of all compiled patterns that are kept. About 100 MiB. */
  patternInstructions: 200_000,
  /** How long a client may take to send the head of a request. */
  headersMs: 30_000,
  /** How long a client may take to send a whole request. */
  requestMs: 60_000,
  /** How long a connection without requests is kept, as in kube-apiserver: clients that keep theirs as long must not meet a closed one. */
  idleMs: 90_000,
  /** How often connections are checked against these times. */
  checkMs: 15_000,
  /** Requests in flight on one HTTP/2 connection. */
  streams: 1_000,
  /** Operations of a JSON patch (kube-apiserver: the same). */
  patchOperations: 10_000,
  /** Bytes that the `copy` operations of a JSON patch may copy (kube-apiserver: the same). */
  patchCopiedBytes: 3 * MIB,
  /** Bytes that may wait for a client of a watch that reads slowly, before its watch ends. */
  watchBacklogBytes: 64 * MIB,
} as const;

/** Limits of pods on the embedded engine. */
export const POD_LIMITS = {
  /** Bytes of a container's output on the disk, for each run; beyond it the oldest are given back. Twice what is kept, so that this is seldom done. */
  outputBytes: 20 * MIB,
  /** Bytes of the latest output that are always kept (kubelet: 10 MiB in the file that `kubectl logs` shows). */
  keptOutputBytes: 10 * MIB,
} as const;

/**
 * Limits of answers from Ray heads. A head runs code of users, so its answers may be hostile: each costs the operator a bounded amount of
 * memory and CPU time, and a head with expensive answers is asked less often.
 */
export const RAY_LIMITS = {
  /** Bytes of an answer, by question. A larger answer is refused unread. */
  answerBytes: {
    /** One job: a runtime environment (etcd bounds it at 1.5 MiB) and a message, which may quote megabytes of a driver's output. A job whose answer is refused has no outcome, so this is generous. */
    job: 16 * MIB,
    /** Only the command line lists jobs. */
    jobs: 16 * MIB,
    /** Twice the largest `serveConfigV2` that etcd stores, which Serve repeats, and 6,000 replicas. */
    serve: 6 * MIB,
    /** 10,000 nodes with labels and resources. */
    nodes: 8 * MIB,
    /** Three short texts. */
    version: 64 * KIB,
    /** A health check answers one word. */
    health: 64 * KIB,
    /** Answer to a command: an id or a flag. */
    command: MIB,
    /** Only the command line reads whole logs. */
    logs: 64 * MIB,
    /** Error responses are cut here: enough of a traceback to show. */
    error: 64 * KIB,
  },
  /** Bytes of one WebSocket message of a job's log. */
  logMessageBytes: 16 * MIB,
  /** Levels of nested JSON. Serve nests eight, a user's `user_config` some more; recursive code stays far from the stack's end. */
  answerDepth: 100,
  /** JSON values in one answer: parsing costs by value rather than by byte. 10,000 nodes have 300,000. */
  answerValues: 400_000,
  /** Serve applications in one answer; their statuses must fit into the status of a RayService. */
  applications: 1_000,
  /** Deployments of all applications in one answer. */
  deployments: 10_000,
  /** Serve proxies in one answer, one for each node. */
  proxies: 10_000,
  /** Nodes in one answer. */
  nodes: 10_000,
  /** Jobs in one answer. */
  jobs: 10_000,
  /** Characters of one message. Ray's own messages end at 20,000. */
  messageCharacters: 32_000,
  /** Characters of all names, statuses and messages kept of one Serve answer: the status of a RayService has to fit into etcd. */
  keptCharacters: 512 * KIB,
  /** Characters of a status word such as `RUNNING`. */
  statusCharacters: 100,
  /** Bytes of answers being read at the same time from all heads. */
  readingBytes: 48 * MIB,
  /** Bytes of answers whose deployed Serve configuration is kept, over all heads; beyond it the configuration is dropped, and sent again when needed. */
  keptConfigBytes: 32 * MIB,
  /** Cost in bytes up to which an answer does not slow its question down. */
  cheapBytes: 32 * KIB,
  /** An unchanged answer is hashed instead of parsed, which costs this share of parsing. */
  unchangedShare: 1 / 16,
  /** Bytes that one head may make the operator parse in a second. */
  headBytesPerSecond: MIB,
  /** The same for all heads together. */
  allBytesPerSecond: 4 * MIB,
  /** Questions in flight over all heads. */
  inFlight: 256,
  /** Idle connections kept over all heads. */
  idleConnections: 512,
  /** How long a question may take, until the last byte of its answer. */
  questionMs: 5_000,
  /** The same through the API server's proxy. */
  proxiedQuestionMs: 10_000,
  /** How long a command may take. */
  commandMs: 30_000,
  /** How long Serve's proxy may take for its health check. */
  proxyHealthMs: 2_000,
  /** Questions in a second to failing heads, as long as each of them is still asked every 30 s. */
  failingPerSecond: 100,
  /** The same where failing heads are so many that each would be asked less often than every 30 s. */
  mostFailingPerSecond: 400,
  /** Questions in a second about running jobs. */
  jobsPerSecond: 100,
} as const;

/** Limits of the proxies between pods, the engine and the world outside. */
export const POD_PROXY_LIMITS = {
  /** Connections that all pods together may have open to the egress proxy: each costs the engine two file descriptors of 1,024 or more. */
  egressConnections: 512,
  /** Bytes of a control frame of a port-forward over SPDY, and of its headers when they are decompressed: kubectl's have some 60. */
  spdyHeaderBytes: 16 * KIB,
  /** Streams that a client may have open on one connection of a port-forward over SPDY; two for each forwarded connection. A further stream is refused. */
  spdyStreams: 1_000,
} as const;

/** Limits of the router for patterns of HTTPRoutes, which are matched on the thread that serves every request. */
export const PATTERN_LIMITS = {
  /** Characters of a pattern, the Gateway API's own limit for paths. */
  length: 1024,
  /** Instructions of a compiled pattern: what one character of a request may cost. */
  instructions: 256,
  /** `{n,m}` copies what it repeats: its counts times the length of the pattern, checked before anything is compiled. */
  expansion: 20_000,
  /** Instructions times characters for all patterns that one request is tried on: some 60 ms with patterns that are hostile. */
  steps: 500_000,
  /** Bytes of states that a compiled pattern may keep. */
  stateBytes: 256 * KIB,
  /** Compiled patterns that are kept for the next table. */
  kept: 1_000,
} as const;

/** Limits of YAML that users write into custom resources. The parser takes milliseconds and half a megabyte of memory for each KiB. */
export const YAML_LIMITS = {
  /** Bytes of a `serveConfigV2`. A larger one must be JSON, which is YAML too and parsed a hundred times faster; etcd bounds that. */
  bytes: 512 * KIB,
  /** Bytes of a `runtimeEnvYAML`, which is parsed on the event loop and blocks it for up to 0.4 s. The same holds for a larger one. */
  environmentBytes: 64 * KIB,
  /** Bytes of a `serveConfigV2` that is parsed on the event loop; a larger one is parsed by a process of its own. */
  onLoopBytes: 16 * KIB,
  /** How long that process may take: the largest text takes two seconds, on an overloaded machine ten. Texts of other services wait meanwhile. */
  processMs: 30_000,
  /** Its heap in MiB: a `serveConfigV2` of the largest size needs 80, hostile YAML more. Together with the operator, the process has to fit into the 512 MiB of the chart: otherwise both are killed. */
  processHeapMib: 160,
  /** Bytes of what it answers: aliases may repeat parts of the text. */
  processAnswerBytes: 16 * MIB,
  /** Texts whose parsed form is remembered, because a reconcile parses them several times. */
  rememberedTexts: 16,
} as const;

/** Limits of listeners that take nothing but short requests: metrics, probes and webhooks. */
export const LISTENER_LIMITS = {
  /** How long a client may take to send the head of a request, counted from the connection or its first byte. */
  headersMs: 10_000,
  /** How long a client may take to send a whole request. */
  requestMs: 10_000,
  /** How long a connection without requests is kept. */
  idleMs: 60_000,
  /** How often connections are checked against these times. */
  checkMs: 5_000,
  /** Bytes of the head of a request, on every listener; a larger one is answered with 431. */
  headerBytes: 16 * KIB,
} as const;

/** Limits of the operator's webhooks, besides those of {@link LISTENER_LIMITS}. */
export const WEBHOOK_LIMITS = {
  /** Bytes of an AdmissionReview. An API server sends objects of at most 3 MiB, twice for an update. */
  bodyBytes: 8 * MIB,
  /** How long a connection without requests is kept: longer than the 90 s of API servers, which must be who closes it. */
  idleMs: 120_000,
} as const;

/** Limits of the client for API servers, which may be overloaded, behind a broken proxy, or not API servers at all. */
export const API_CLIENT_LIMITS = {
  /** The longest `Retry-After` that a call waits for. */
  retryAfterMs: 60_000,
  /** Retries of one call because the server asked for them. */
  retriesAsked: 10,
  /** How long a list may take; the largest one known takes a minute. */
  listMs: 600_000,
  /** Characters of the body of a refused WebSocket that an error shows. */
  errorCharacters: 64 * KIB,
  /** MiB of one HTTP/2 connection's buffers. */
  sessionMib: 512,
  /** Different warnings of the server that are logged. */
  warnings: 1_000,
  /** Bytes of a kubeconfig: a thousand clusters with their certificates. Parsing YAML takes seconds for each MiB. */
  kubeconfigBytes: 4 * MIB,
} as const;

/** Limits of the router, besides those of {@link PATTERN_LIMITS}. */
export const ROUTER_LIMITS = {
  /** How long a client may take to send the head of a request. */
  headersMs: 10_000,
  /** How long a connection without requests is kept. */
  idleMs: 75_000,
  /** How long nothing may move on the way of an unfinished request, or of a response that is not read. */
  stallMs: 300_000,
  /** How often connections are checked against these times. */
  checkMs: 5_000,
  /** Bytes of the head or the trailers of a backend's response. */
  responseHeadBytes: 64 * KIB,
  /** Bytes of the line that begins a chunk of a backend's response. */
  chunkLineBytes: 4 * KIB,
  /** Idle connections kept to one backend. */
  idleConnections: 256,
  /** Secrets with certificates that the router watches, one request each: API servers allow 100 requests on each of the client's four connections. */
  secretWatches: 256,
  /** How long a newly named Secret may delay the next routing table. */
  newSecretMs: 2_000,
} as const;
