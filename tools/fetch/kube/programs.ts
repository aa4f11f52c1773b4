/** The release whose API server is our reference. */
export const kubernetesVersion = '1.36.4';

/** When that release was made: stamped as the build date, so that the same recipe gives the same bytes. */
export const kubernetesReleaseDate = '2026-08-20T11:51:43Z';

/** The etcd that Kubernetes is run on. */
export const etcdVersion = '3.6.4';

/** The oldest Go that builds them, as Kubernetes' own module file says. */
export const neededGo = '1.26.0';

/** Programs that are always provided. */
export const requiredPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;

/** Programs that are provided when asked for. */
export const optionalPrograms = ['kube-scheduler', 'kubelet', 'kube-proxy'] as const;

/** A program that this tool can provide. */
export type Program = (typeof requiredPrograms)[number] | (typeof optionalPrograms)[number];

const knownPrograms: readonly string[] = [...requiredPrograms, ...optionalPrograms];

/** Tells whether a word names a program that this tool can provide. */
export const isProgram = (name: string): name is Program => knownPrograms.includes(name);
