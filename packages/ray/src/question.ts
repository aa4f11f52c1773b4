import type { JobInfo } from './job-info.ts';
import type { RayNode, RayVersion } from './node-info.ts';
import type { ServeDetails } from './serve-details.ts';

/** What can be asked of a head again and again; {@link AnswerOf} has what comes back. */
export type Question =
  | { readonly kind: 'job'; readonly id: string }
  | { readonly kind: 'jobs' }
  | { readonly kind: 'serve' }
  | { readonly kind: 'nodes' }
  | { readonly kind: 'version' }
  /** `url`: where Serve's proxy answers, e.g. `http://10.0.0.7:8000`; `/-/healthz` is added. */
  | { readonly kind: 'proxy-health'; readonly url: string };

interface AnswersByKind {
  /** How it stands, without what it was started with; `undefined`: the head knows no such job. */
  readonly job: JobInfo | undefined;
  readonly jobs: readonly JobInfo[];
  readonly serve: ServeDetails;
  readonly nodes: readonly RayNode[];
  readonly version: RayVersion;
  /** True for a 200, false for any other answer. */
  readonly 'proxy-health': boolean;
}

/** What a head's answer to a question holds. */
export type AnswerOf<Q extends Question> = AnswersByKind[Q['kind']];
