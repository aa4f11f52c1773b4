import { isTerminal } from '../job-info.ts';

/** A request as the head sees it. */
export interface FakeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The head's answer. */
export interface FakeResponse {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

/** How a head treats a request. `lost`: it carries the request out, and the connection breaks before the response. */
export type Mood =
  | { readonly kind: 'well' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'hanging' }
  | { readonly kind: 'lost' }
  /** Answers this instead of what it should; `bytes` answers so many spaces. */
  | { readonly kind: 'wrong'; readonly status?: number; readonly body?: string; readonly bytes?: number };

/** One job on a fake head, with the fields of Ray's API. */
export interface FakeJob {
  readonly submission_id: string;
  readonly entrypoint: string;
  readonly status: string;
  readonly message: string;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly logs: string;
  readonly [name: string]: unknown;
}

/** A node with the fields of Ray's API. */
export interface FakeNode {
  readonly node_id: string;
  readonly node_ip: string;
  readonly is_head_node: boolean;
  readonly state: 'ALIVE' | 'DEAD';
  readonly node_name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Serve application: its status, and those of its deployments. */
export interface FakeApplication {
  readonly status: string;
  readonly message?: string;
  readonly deployments?: Readonly<Record<string, string>>;
  /** What was PUT for it. */
  readonly config?: unknown;
}

/** What makes a fake head. */
export interface FakeHeadOptions {
  /** Milliseconds since the epoch, for start and end times. */
  readonly now: () => number;
  readonly rayVersion?: string;
  /** The required token: requests without it get a 401. */
  readonly token?: string;
}

/**
 * A Ray head's HTTP API without Ray: answers as a head does, remembers what was asked of it, and can be made slow, wrong, old or dead.
 * What runs in it is up to the test: jobs stay as they are until the test moves them.
 */
export class FakeHead {
  /** Whether and how it answers now. */
  mood: Mood = { kind: 'well' };
  /** Wins over `mood` for the requests it returns something for. */
  moodFor: (request: FakeRequest) => Mood | undefined = () => undefined;
  /** How long each answer takes. */
  delayMs = 0;
  /** The status that a job has right after it was submitted. */
  onSubmit = 'PENDING';
  /** Whether PUT applications show up as running at once. */
  autoServe = true;
  nodes: readonly FakeNode[] = [{ node_id: 'a1', node_ip: '10.0.0.1', is_head_node: true, state: 'ALIVE' }];
  targetCapacity: number | undefined;
  isProxyHealthy = true;
  /** Every request that reached the head, oldest first. */
  readonly requests: FakeRequest[] = [];
  /** Every job that was begun, in order, over all lives of the head: the same id twice is the same work done twice. */
  readonly executions: { readonly id: string; readonly life: number }[] = [];
  readonly jobs = new Map<string, FakeJob>();
  /** Names of the packages that were uploaded. */
  readonly packages = new Set<string>();
  readonly applications = new Map<string, FakeApplication>();
  /** Each configuration that was PUT, oldest first. */
  readonly serveConfigs: unknown[] = [];
  #life = 1;
  readonly #options: FakeHeadOptions;

  constructor(options: FakeHeadOptions) {
    this.#options = options;
  }

  /** How often it was started. */
  get life(): number {
    return this.#life;
  }

  /** Another life: jobs and applications are forgotten, unless `keeps` says that its control store outlived it. */
  restart({ keeps = false } = {}): void {
    this.#life += 1;
    if (keeps) return;
    this.jobs.clear();
    this.applications.clear();
  }

  /** Changes a job; one that ends gets an end time. */
  setJob(id: string, change: Partial<FakeJob>): void {
    const now = this.#options.now();
    const job = this.jobs.get(id) ?? { ...blankJob(id), start_time: now };
    const status = change.status ?? job.status;
    this.jobs.set(id, { ...job, ...(isTerminal(status) && job.end_time === null && { end_time: now }), ...change });
  }

  /** The mood in which a request is met. */
  moodOf(request: FakeRequest): Mood {
    return this.moodFor(request) ?? this.mood;
  }

  /** What a head that is well answers. */
  answer(request: FakeRequest): FakeResponse {
    const [path = ''] = request.path.split('?');
    const { token } = this.#options;
    if (token !== undefined && request.headers['x-ray-authorization'] !== `Bearer ${token}`) {
      return text(401, 'Unauthorized: Missing authentication token');
    }
    const job = /^\/api\/jobs\/([^/]*)(?:\/(stop|logs))?$/.exec(path);
    if (job !== null) return this.#jobs(request, decodeURIComponent(job[1] ?? ''), job[2]);
    const uploaded = /^\/api\/packages\/gcs\/([^/]+)$/.exec(path)?.[1];
    if (uploaded !== undefined) return this.#packages(request.method, uploaded);
    switch (path) {
      case '/api/serve/applications/':
        return this.#serve(request);
      case '/api/v0/nodes':
        return json({ result: true, msg: '', data: { result: { total: this.nodes.length, result: this.nodes } } });
      case '/api/version':
        return json(this.#version());
      case '/api/gcs_healthz':
        return text(200, 'success');
      case '/-/healthz':
        return this.isProxyHealthy ? text(200, 'success') : text(503, 'unavailable');
      default:
        return text(404, '404: Not Found');
    }
  }

  #packages(method: string, name: string): FakeResponse {
    if (method === 'PUT') this.packages.add(name);
    return this.packages.has(name) ? text(200, '') : text(404, `Package ${name} does not exist`);
  }

  #version(): unknown {
    const session_name = `session_life_${this.#life}`;
    return { version: '4', ray_version: this.#options.rayVersion ?? '2.60.0', ray_commit: 'c0ffee', session_name };
  }

  #jobs(request: FakeRequest, id: string, verb: string | undefined): FakeResponse {
    if (id === '' && verb === undefined) return request.method === 'POST' ? this.#submit(request.body) : this.#list();
    const job = this.jobs.get(id);
    if (job === undefined) return text(404, id === '' ? '404: Not Found' : `Job ${id} does not exist`);
    if (verb === 'logs') return json({ logs: job.logs });
    if (verb === 'stop') return this.#stop(job);
    if (request.method !== 'DELETE') return json(job);
    if (!isTerminal(job.status)) {
      return traceback(
        `RuntimeError: Attempted to delete job '${id}', but it is in a non-terminal state ${job.status}.`,
      );
    }
    this.jobs.delete(id);
    return json({ deleted: true });
  }

  #list(): FakeResponse {
    return json([...this.jobs.values()]);
  }

  #submit(body: string): FakeResponse {
    const request: Partial<FakeJob> = JSON.parse(body);
    const id = request.submission_id ?? `raysubmit_${this.executions.length}`;
    if (this.jobs.has(id)) {
      return traceback(
        `ValueError: Job with submission_id ${id} already exists. Please use a different submission_id.`,
      );
    }
    this.executions.push({ id, life: this.#life });
    this.setJob(id, { ...request, status: this.onSubmit });
    return json({ job_id: id, submission_id: id });
  }

  #stop(job: FakeJob): FakeResponse {
    if (isTerminal(job.status)) return json({ stopped: false });
    this.setJob(job.submission_id, { status: 'STOPPED', message: 'Job was intentionally stopped.' });
    return json({ stopped: true });
  }

  #serve(request: FakeRequest): FakeResponse {
    if (request.method === 'PUT') {
      const config: { readonly applications?: readonly { readonly name?: string; readonly import_path?: string }[] } =
        JSON.parse(request.body);
      if (config.applications?.some((application) => application.import_path === undefined) ?? true) {
        return text(400, 'validation error for ServeDeploySchema: import_path: Field required');
      }
      this.serveConfigs.push(config);
      this.applications.clear();
      const status = this.autoServe ? 'RUNNING' : 'DEPLOYING';
      for (const each of config.applications ?? []) {
        this.applications.set(each.name ?? 'default', { status, config: each });
      }
      return text(200, '');
    }
    const applications = [...this.applications].map(([name, application]) => [name, applicationOf(name, application)]);
    return json({
      target_capacity: this.targetCapacity ?? null,
      proxies: { a1: { node_id: 'a1', node_ip: '10.0.0.1', status: 'HEALTHY' } },
      applications: Object.fromEntries(applications),
    });
  }
}

function applicationOf(name: string, application: FakeApplication): unknown {
  const { status, message = '', deployments = {}, config = null } = application;
  const details = Object.entries(deployments).map(([key, state]) => [key, { name: key, status: state, message: '' }]);
  const deployed = Object.fromEntries(details);
  return { name, route_prefix: '/', status, message, deployed_app_config: config, deployments: deployed };
}

function blankJob(id: string): FakeJob {
  return {
    type: 'SUBMISSION',
    job_id: null,
    submission_id: id,
    entrypoint: '',
    status: 'PENDING',
    message: '',
    error_type: null,
    start_time: 0,
    end_time: null,
    metadata: null,
    runtime_env: null,
    driver_exit_code: null,
    logs: '',
  };
}

function json(value: unknown): FakeResponse {
  return { status: 200, body: JSON.stringify(value), contentType: 'application/json' };
}

function text(status: number, body: string): FakeResponse {
  return { status, body, contentType: 'text/plain' };
}

/** How Ray shows an error: with the way to it. */
function traceback(words: string): FakeResponse {
  const body = `Traceback (most recent call last):\n  File "job_head.py", line 1, in handler\n    await job()\n${words}\n.\n`;
  return text(500, body);
}
