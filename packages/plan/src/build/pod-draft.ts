import { type Container, type ObjectMeta, type PodSpec, type PodTemplateSpec, RAY_CONTAINER_INDEX } from '@manta/api';

/** A pod under construction: every step returns a new draft. The user's template is never modified. */
export interface PodDraft {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

export function draftOf(template: PodTemplateSpec): PodDraft {
  return { metadata: template.metadata ?? {}, spec: template.spec ?? { containers: [] } };
}

export function withSpec(draft: PodDraft, spec: Partial<PodSpec>): PodDraft {
  return { ...draft, spec: { ...draft.spec, ...spec } };
}

export function withAnnotations(draft: PodDraft, annotations: Readonly<Record<string, string>>): PodDraft {
  return { ...draft, metadata: { ...draft.metadata, annotations: { ...draft.metadata.annotations, ...annotations } } };
}

/** The Ray container: the first one. Validation guarantees that it exists. */
export function rayContainerOf(spec: PodSpec): Container {
  return spec.containers[RAY_CONTAINER_INDEX] ?? { name: '' };
}

export function mapRayContainer(draft: PodDraft, change: (container: Container) => Container): PodDraft {
  const containers = draft.spec.containers.map((container, i) =>
    i === RAY_CONTAINER_INDEX ? change(container) : container,
  );
  return withSpec(draft, { containers });
}

export function mapContainer(draft: PodDraft, name: string, change: (container: Container) => Container): PodDraft {
  return withSpec(draft, { containers: mapNamed(draft.spec.containers, name, change) });
}

export function mapInitContainer(draft: PodDraft, name: string, change: (container: Container) => Container): PodDraft {
  const { initContainers } = draft.spec;
  return initContainers === undefined
    ? draft
    : withSpec(draft, { initContainers: mapNamed(initContainers, name, change) });
}

export function appendContainers(draft: PodDraft, containers: readonly Container[]): PodDraft {
  return containers.length === 0 ? draft : withSpec(draft, { containers: [...draft.spec.containers, ...containers] });
}

function mapNamed(
  containers: readonly Container[],
  name: string,
  change: (container: Container) => Container,
): readonly Container[] {
  return containers.map((container) => (container.name === name ? change(container) : container));
}
