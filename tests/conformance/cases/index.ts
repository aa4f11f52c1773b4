import type { Case } from '../support/target.ts';
import { cases as apply } from './apply.ts';
import { cases as badInput } from './bad-input.ts';
import { cases as binding } from './binding.ts';
import { cases as crdApply } from './crd-apply.ts';
import { cases as crdLifecycle } from './crd-lifecycle.ts';
import { cases as crdRules } from './crd-rules.ts';
import { cases as crdSchema } from './crd-schema.ts';
import { cases as crdSubresources } from './crd-subresources.ts';
import { cases as crdVersions } from './crd-versions.ts';
import { cases as deletion } from './delete.ts';
import { cases as discovery } from './discovery.ts';
import { cases as dryRun } from './dry-run.ts';
import { cases as endpointSlices } from './endpoint-slices.ts';
import { cases as events } from './events.ts';
import { cases as eviction } from './eviction.ts';
import { cases as fieldSelectors } from './field-selectors.ts';
import { cases as fieldValidation } from './field-validation.ts';
import { cases as garbageCollection } from './garbage-collection.ts';
import { cases as health } from './health.ts';
import { cases as history } from './history.ts';
import { cases as jobStatus } from './job-status.ts';
import { cases as jobs } from './jobs.ts';
import { cases as jsonPatch } from './json-patch.ts';
import { cases as kindsCreate } from './kinds-create.ts';
import { cases as kindsCrud } from './kinds-crud.ts';
import { cases as labelSelectors } from './label-selectors.ts';
import { cases as locking } from './locking.ts';
import { cases as mergePatch } from './merge-patch.ts';
import { cases as names } from './names.ts';
import { cases as namespaceContent } from './namespace-content.ts';
import { cases as namespaces } from './namespaces.ts';
import { cases as negotiation } from './negotiation.ts';
import { cases as paging } from './paging.ts';
import { cases as podGrace } from './pod-grace.ts';
import { cases as podResize } from './pod-resize.ts';
import { cases as podStreams } from './pod-streams.ts';
import { cases as podValidation } from './pod-validation.ts';
import { cases as quotas } from './quotas.ts';
import { cases as rbac } from './rbac.ts';
import { cases as resourceVersion } from './resource-version.ts';
import { cases as reviews } from './reviews.ts';
import { cases as services } from './services.ts';
import { cases as statusAndGeneration } from './status-and-generation.ts';
import { cases as strategicPatch } from './strategic-patch.ts';
import { cases as subresourceVerbs } from './subresource-verbs.ts';
import { cases as suspend } from './suspend.ts';
import { cases as tables } from './tables.ts';
import { cases as tokens } from './tokens.ts';
import { cases as transport } from './transport.ts';
import { cases as updates } from './updates.ts';
import { cases as validation } from './validation.ts';
import { cases as watch } from './watch.ts';
import { cases as watchInitialEvents } from './watch-initial-events.ts';
import { cases as webhooks } from './webhooks.ts';

/** Every case, by topic. */
export const topics: Readonly<Record<string, readonly Case[]>> = {
  apply,
  'bad input': badInput,
  binding,
  'crd apply': crdApply,
  'crd lifecycle': crdLifecycle,
  'crd rules': crdRules,
  'crd schema': crdSchema,
  'crd subresources': crdSubresources,
  'crd versions': crdVersions,
  delete: deletion,
  discovery,
  'dry run': dryRun,
  'endpoint slices': endpointSlices,
  events,
  eviction,
  'field selectors': fieldSelectors,
  'field validation': fieldValidation,
  'garbage collection': garbageCollection,
  'health and documents': health,
  'job status': jobStatus,
  jobs,
  'json patch': jsonPatch,
  'kinds: create': kindsCreate,
  'kinds: read, write, delete': kindsCrud,
  'label selectors': labelSelectors,
  locking,
  'merge patch': mergePatch,
  names,
  'namespace content': namespaceContent,
  namespaces,
  negotiation,
  paging,
  'pod grace': podGrace,
  'pod resize': podResize,
  'pod streams': podStreams,
  'pod validation': podValidation,
  quotas,
  rbac,
  'resource version': resourceVersion,
  reviews,
  services,
  'status and generation': statusAndGeneration,
  'strategic patch': strategicPatch,
  'subresource verbs': subresourceVerbs,
  suspend,
  tables,
  tokens,
  transport,
  updates,
  validation,
  watch,
  'watch initial events': watchInitialEvents,
  webhooks,
};

/** Topics whose cases touch the whole server; they run one by one when all others have ended. */
export const quietTopics: Readonly<Record<string, readonly Case[]>> = { history };
