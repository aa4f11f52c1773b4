const IMAGE = 'rayproject/ray:2.53.0';

/** The pod template of a Ray group, as YAML in one line. */
function template(role: 'head' | 'worker', memory: string): string {
  const limits = `resources: { limits: { cpu: "1", memory: ${memory} } }`;
  const container = `{ name: ray-${role}, image: "${IMAGE}", ${limits} }`;
  return `{ spec: { terminationGracePeriodSeconds: 5, containers: [${container}] } }`;
}

/** A group of workers, as an item of a list. */
export function workers(groupName: string, replicas = 1): string {
  const count = `replicas: ${replicas}, minReplicas: ${replicas}, maxReplicas: 3`;
  return `{ groupName: ${groupName}, ${count}, rayStartParams: {}, template: ${template('worker', '1Gi')} }`;
}

export interface ClusterOptions {
  readonly groups?: readonly string[];
  /** What `ray start` of the head is told. */
  readonly head?: string;
  /** Further fields of the spec, with a comma behind them. */
  readonly more?: string;
}

/** The spec of a small cluster. */
export function clusterSpec({ groups = [], head = '', more = '' }: ClusterOptions = {}): string {
  const headGroup = `{ rayStartParams: { ${head} }, template: ${template('head', '2Gi')} }`;
  return `{ rayVersion: 2.53.0, ${more} headGroupSpec: ${headGroup}, workerGroupSpecs: [${groups.join(', ')}] }`;
}

/** For a head that nobody submits jobs to: its dashboard takes half of its start. */
export const NO_DASHBOARD = 'include-dashboard: "false"';

/** A RayCluster. */
export function rayCluster(name: string, options: ClusterOptions = {}): string {
  return `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ${name} }, spec: ${clusterSpec(options)} }`;
}
