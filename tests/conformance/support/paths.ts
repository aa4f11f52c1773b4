/** Path of core objects in a namespace. */
export function core(namespace: string, plural: string, name?: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** Path of objects of a group in a namespace. */
export function grouped(groupVersion: string, namespace: string, plural: string, name?: string): string {
  return `/apis/${groupVersion}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** Path of ConfigMaps, the plainest of all kinds. */
export function configMaps(namespace: string, name?: string): string {
  return core(namespace, 'configmaps', name);
}

/** Path of pods. */
export function pods(namespace: string, name?: string): string {
  return core(namespace, 'pods', name);
}

/** Path of services. */
export function services(namespace: string, name?: string): string {
  return core(namespace, 'services', name);
}

/** Path of jobs. */
export function jobs(namespace: string, name?: string): string {
  return grouped('batch/v1', namespace, 'jobs', name);
}
