import type { Step, TwinKind } from './patch-twin.ts';

/** A sequence of writes to one object. */
export interface Scenario {
  readonly kind: TwinKind;
  readonly steps: readonly Step[];
}

/** Applies an object. */
export const apply = (by: string, body: object, more: Partial<Step> = {}): Step => ({ do: 'apply', by, body, ...more });
/** Applies, taking over what others own. */
export const force = (by: string, body: object): Step => apply(by, body, { force: true });
/** Creates the object. */
export const create = (by: string, body: object): Step => ({ do: 'create', by, body });
/** Replaces the object, or one of its subresources. */
export const update = (by: string, body: object, subresource?: string): Step => ({
  do: 'update',
  by,
  body,
  ...(subresource === undefined ? {} : { subresource }),
});
/** Merge-patches the object, or one of its subresources. */
export const merge = (by: string, body: unknown, subresource?: string): Step => ({
  do: 'merge',
  by,
  body,
  ...(subresource === undefined ? {} : { subresource }),
});
/** Sends a JSON patch. */
export const json = (by: string, body: unknown): Step => ({ do: 'json', by, body });
/** Sends a strategic merge patch. */
export const strategic = (by: string, body: unknown): Step => ({ do: 'strategic', by, body });
/** Applies a body as it is, without filling in name and kind. */
export const raw = (body: unknown): Step => ({ do: 'apply', by: 'one', body, isRaw: true });

/** A service's port. */
export const port = (number: number, more: object = {}) => ({
  port: number,
  protocol: 'TCP',
  targetPort: number,
  ...more,
});
/** A service that gets no address. */
export const service = (spec: object, metadata: object = {}) => ({ metadata, spec: { clusterIP: 'None', ...spec } });
/** A container with as little as it needs. */
export const container = (name: string, more: object = {}) => ({ name, image: 'busybox', ...more });
/** What a pod or a template runs; admission adds nothing to it. */
export const podSpec = (containers: readonly object[], more: object = {}) => ({
  automountServiceAccountToken: false,
  restartPolicy: 'Never',
  containers,
  ...more,
});
/** A pod. */
export const pod = (containers: readonly object[], more: object = {}, metadata: object = {}) => ({
  metadata,
  spec: podSpec(containers, more),
});
/** A condition with all that the server insists on. */
export const condition = (type: string, status: string) => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
