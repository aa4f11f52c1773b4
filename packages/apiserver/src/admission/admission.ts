import type { JsonObject } from '../object/json.ts';
import type { Scope } from '../requests/request.ts';

/** What admission decides on. */
export interface AdmissionAttributes {
  readonly scope: Scope;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** Absent for DELETE. */
  readonly object?: JsonObject;
  /** Absent for CREATE. */
  readonly old?: JsonObject;
  readonly isDryRun: boolean;
  /** The request's options as an object, as webhooks are shown them. */
  readonly options?: JsonObject;
}

/** A step between a request and the store. Each method is optional; a refusal is thrown. */
export interface AdmissionPlugin {
  /** Changes what is about to be written, at once. */
  mutate?(attributes: AdmissionAttributes & { readonly object: JsonObject }): JsonObject;
  /** Refuses; may ask others over the network. Returns undefined where it has nothing to wait for. */
  validate?(attributes: AdmissionAttributes): Promise<void> | undefined;
  /** Called after the write. */
  admitted?(attributes: AdmissionAttributes): void;
}

/** All steps, in order. */
export interface Admission {
  mutate(attributes: AdmissionAttributes & { readonly object: JsonObject }): JsonObject;
  validate(attributes: AdmissionAttributes): Promise<void>;
  admitted(attributes: AdmissionAttributes): void;
}

/** Chains plugins. A plugin that answers at once does not let other requests in between. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    mutate: (attributes) =>
      plugins.reduce((object, plugin) => plugin.mutate?.({ ...attributes, object }) ?? object, attributes.object),
    async validate(attributes) {
      for (const plugin of plugins) {
        const pending = plugin.validate?.(attributes);
        if (pending !== undefined) await pending;
      }
    },
    admitted(attributes) {
      for (const plugin of plugins) plugin.admitted?.(attributes);
    },
  };
}
