import { goQuote } from '@manta/api';
import { StatusError } from '../../status/status-error.ts';
import { pathsOf } from './field-set.ts';
import { identityText, type Owner, type Owners } from './owners.ts';
import { pathText } from './path-element.ts';
import type { Conflicts } from './update-owners.ts';

interface Conflict {
  readonly owner: string;
  readonly field: string;
}

/** 409: what others own and the applied object would change. */
export function applyConflict(owners: Owners, conflicts: Conflicts): StatusError {
  const all = [...conflicts]
    .flatMap(([id, fields]) => {
      const owner = owners.get(id);
      return owner === undefined ? [] : [{ owner, fields }];
    })
    .toSorted((a, b) => (identityText(a.owner) < identityText(b.owner) ? -1 : 1))
    .map(({ owner, fields }) => pathsOf(fields).map((path) => ({ owner: ownerText(owner), field: pathText(path) })));
  const causes = all.flat().map(({ owner, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${owner}`,
    field,
  }));
  return new StatusError(409, 'Conflict', conflictMessage(all), { causes });
}

function conflictMessage(groups: readonly (readonly Conflict[])[]): string {
  const [only, ...others] = groups.flat();
  if (only !== undefined && others.length === 0) {
    return `Apply failed with 1 conflict: conflict with ${only.owner}: ${only.field}`;
  }
  const lines = groups.flatMap((group) => [
    `conflicts with ${group[0]?.owner ?? ''}:`,
    ...group.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${groups.flat().length} conflicts: ${lines.join('\n')}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const through = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`;
  return `${goQuote(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
