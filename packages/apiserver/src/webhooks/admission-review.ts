import type { JsonObject } from '../object/json.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { metaText } from '../object/metadata.ts';
import { userInfo } from '../reviews/token-review.ts';

/** What a webhook is asked. */
export function admissionReview(attributes: AdmissionAttributes, uid: string): JsonObject {
  const { scope, operation, object, old, isDryRun } = attributes;
  const { group, plural, kind } = scope.resource.info;
  const version = scope.version.name;
  const resource = { group, version, resource: plural };
  const ofKind = { group, version, kind };
  const sub = scope.subresource === '' ? {} : { subResource: scope.subresource };
  const name = scope.name || metaText(object ?? {}, 'name');
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: ofKind,
      resource,
      ...sub,
      requestKind: ofKind,
      requestResource: resource,
      ...(scope.subresource === '' ? {} : { requestSubResource: scope.subresource }),
      ...(name === '' ? {} : { name }),
      ...(scope.namespace === '' ? {} : { namespace: scope.namespace }),
      operation,
      userInfo: userInfo(scope.user),
      object: object ?? null,
      oldObject: old ?? null,
      dryRun: isDryRun,
      options: attributes.options ?? null,
    },
  };
}
