/** What a path of Ray's dashboard does: `view` reads, `profile` attaches a profiler to a process, `refused` is everything else. */
export type PathUse = 'view' | 'profile' | 'refused';

const SEGMENT = '[^/]+';
const STATE_LISTS =
  'actors|jobs|nodes|placement_groups|workers|tasks|objects|runtime_envs|cluster_events|platform_events|logs';

/** Paths that only read. A list of what is allowed, since Ray has GETs that write: some versions kill actors by GET. */
const VIEWS: readonly RegExp[] = [
  /^\/(index\.html|favicon\.ico|asset-manifest\.json|manifest\.json|timezone|nodes|events|usage_stats_enabled|cluster_id)?$/,
  /^\/(static|speedscope-[\w.]+)(\/[\w.-]+)+$/,
  new RegExp(`^/nodes/${SEGMENT}$`),
  new RegExp(`^/logical/actors(/${SEGMENT})?$`),
  /^\/api\/(version|ray\/version|component_activities|grafana_health|prometheus_health|authentication_mode)$/,
  /^\/api\/(profiling_enabled|cluster_status|gcs_healthz|serve\/applications\/|train\/v2\/runs(\/v1)?)$/,
  new RegExp(`^/api/jobs/(${SEGMENT}(/logs(/tail)?)?)?$`),
  new RegExp(`^/api/data/datasets/${SEGMENT}$`),
  new RegExp(`^/api/v0/(cluster_metadata|runtime_env_redaction|${STATE_LISTS})$`),
  /^\/api\/v0\/(tasks|actors|objects)\/summarize$/,
  /^\/api\/v0\/(tasks\/timeline|logs\/(file|stream))$/,
];

const PROFILERS = /^\/(worker\/(traceback|(cpu|gpu|memory|jax)_profile)|task\/(traceback|cpu_profile)|memory_profile)$/;

/** The only path that speaks WebSocket: the live log of a job. */
export const LIVE_LOG = new RegExp(`^/api/jobs/${SEGMENT}/logs/tail$`);

/** The path as Ray reads it: decoded once. Undefined: it could be read in two ways, or is none. */
export function plainPath(target: string): string | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  if (!path.startsWith('/') || path.startsWith('//')) return undefined;
  try {
    const plain = path.split('/').map(decodeURIComponent);
    const isAmbiguous = plain.some((part) => part === '.' || part === '..' || /[/\\%?#\p{Cc}]/u.test(part));
    return isAmbiguous ? undefined : plain.join('/');
  } catch {
    return undefined;
  }
}

/** Looks at the decoded path, so that `/api/actors/%6bill` is `/api/actors/kill`. */
export function useOf(path: string): PathUse {
  if (PROFILERS.test(path)) return 'profile';
  return VIEWS.some((view) => view.test(path)) ? 'view' : 'refused';
}
