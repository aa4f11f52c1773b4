import type { ListOptions, WatchOptions, WriteOptions } from './client.ts';

/** `?a=1&b=2` of what is set; empty where nothing is. */
function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let query = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined || value === '') continue;
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return query;
}

export function listQuery(options: ListOptions): string {
  return queryOf({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

/** Initial events come only to those who ask for bookmarks too and say how fresh the state must be. */
export function watchQuery(options: WatchOptions): string {
  const withInitialEvents = options.sendInitialEvents === true;
  return queryOf({
    watch: 'true',
    allowWatchBookmarks: options.allowBookmarks === true || withInitialEvents ? 'true' : undefined,
    sendInitialEvents: withInitialEvents ? 'true' : undefined,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch ?? (withInitialEvents ? 'NotOlderThan' : undefined),
    timeoutSeconds: options.timeoutSeconds,
  });
}

export function writeQuery(options: WriteOptions, isForced = false): string {
  return queryOf({
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: isForced ? 'true' : undefined,
  });
}
