import type { HistoryStore, ObjectRow } from '../store/history-store.ts';
import type { HistoryList } from './documents.ts';
import { kindOf } from './paths.ts';
import { listItem, podsOf, storyOf } from './story.ts';

/** A request below `/apis/history.manta.dev/v1alpha1`. */
export interface HistoryQuestion {
  readonly plural: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Empty: a list. */
  readonly name: string;
  /** `log` or empty. */
  readonly subresource: string;
  readonly query: URLSearchParams;
  /** Whether the viewer may list objects of this kind in this namespace (empty: in all). History shows no more than that. */
  readonly mayList: (plural: string, namespace: string) => Promise<boolean> | boolean;
}

export type HistoryAnswer =
  | { readonly code: 200; readonly body: object }
  | { readonly code: 200; readonly text: string }
  | { readonly code: 400 | 403 | 404; readonly message: string };

const MAX_ITEMS = 5_000;
const DEFAULT_ITEMS = 500;

/** Answers from the store. Pods and logs of a Ray object are shown to viewers who may also list pods. */
export async function answerHistory(store: HistoryStore, question: HistoryQuestion): Promise<HistoryAnswer> {
  const { plural, namespace, name, subresource, query, mayList } = question;
  const kind = kindOf(plural);
  if (kind === undefined) return { code: 404, message: `no history is kept of "${plural}"` };
  if (!(await mayList(plural, namespace))) return refused(plural, namespace);
  if (name === '') {
    const limit = Number(query.get('limit') ?? DEFAULT_ITEMS);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ITEMS)
      return { code: 400, message: `limit must be a whole number from 1 to ${MAX_ITEMS}: "${query.get('limit')}"` };
    const list: HistoryList = {
      items: store.objects(kind, namespace, limit).map(listItem),
      dropped: store.dropped(),
    };
    return { code: 200, body: list };
  }
  const uid = query.get('uid');
  const named = store.named(kind, namespace, name);
  const object = uid === null ? named[0] : named.find((row) => row.uid === uid);
  if (object === undefined)
    return { code: 404, message: `the history has no ${kind} "${name}" in namespace "${namespace}"` };
  const mayListPods = await mayList('pods', namespace);
  if (subresource === 'log') return mayListPods ? logText(store, object, query) : refused('pods', namespace);
  if (subresource !== '') return { code: 404, message: `there is no "${subresource}" of a history` };
  const others = named.filter((row) => row !== object);
  const story = storyOf(store, object, others);
  return { code: 200, body: mayListPods ? story : { ...story, pods: [] } };
}

function refused(plural: string, namespace: string): HistoryAnswer {
  const where = namespace === '' ? 'in all namespaces' : `in namespace "${namespace}"`;
  return { code: 403, message: `history of ${plural} is shown to users who may list ${plural} ${where}` };
}

/** The kept last lines of all containers of an object, or of one pod or container, under a heading for each. */
function logText(store: HistoryStore, object: ObjectRow, query: URLSearchParams): HistoryAnswer {
  const clusters = store.ownedBy(object.uid).filter(({ kind }) => kind === 'RayCluster');
  const [pod, container] = [query.get('pod'), query.get('container')];
  const parts = podsOf(store, object, clusters)
    .filter(({ name, nodeType }) => pod === null || pod === name || pod === nodeType)
    .flatMap(({ name, uid }) => store.logs(uid).map((log) => ({ name, ...log })))
    .filter((log) => container === null || log.container === container);
  const text = parts.map(({ name, container: from, restart, text: lines }) => {
    const again = restart === 0 ? '' : ` (restart ${restart})`;
    return `==> ${name}/${from}${again}\n${lines.trimEnd()}\n`;
  });
  return { code: 200, text: text.join('\n') };
}
