import type { Api } from '../api.ts';
import { forbidden } from '../status/errors.ts';
import type { Scope, Verb } from '../requests/request.ts';

/** Lets a request pass, or refuses it in the words of the real server. */
export function authorize(api: Api, scope: Scope, verb: Verb): void {
  const { info } = scope.resource;
  const { isAllowed } = api.authorizer.authorize({
    user: scope.user,
    verb,
    path: '',
    resource: {
      group: info.group,
      version: scope.version.name,
      plural: info.plural,
      subresource: scope.subresource,
      namespace: scope.namespace,
      name: scope.name,
    },
  });
  if (!isAllowed) throw forbidden(info, scope.name, refusal(scope, verb));
}

/** `User "x" cannot list resource "pods" in API group "" in the namespace "y"`. */
function refusal({ resource, user, namespace, subresource }: Scope, verb: Verb): string {
  const { group, plural, isNamespaced } = resource.info;
  const what = subresource === '' ? plural : `${plural}/${subresource}`;
  const where = isNamespaced && namespace !== '' ? `in the namespace "${namespace}"` : 'at the cluster scope';
  return `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}
