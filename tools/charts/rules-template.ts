import { ACCESS_RULES, PROFILES } from '@manta/operator';

/** The template with the operator's permissions, one definition a profile, from the list that the operator itself checks. */
export function rulesTemplate(): string {
  const parts = PROFILES.map((profile) => {
    const rules = ACCESS_RULES.filter((rule) => rule.profile === profile).map(
      ({ groups, resources, verbs }) =>
        `- apiGroups: ${list(groups)}\n  resources: ${list(resources)}\n  verbs: ${list(verbs)}`,
    );
    return `{{- define "operator.rules.${profile}" }}\n${rules.join('\n')}\n{{- end }}\n`;
  });
  return `{{- /* Made by npm run charts from packages/operator/src/permissions/rules.ts. */}}\n${parts.join('\n')}`;
}

function list(words: readonly string[]): string {
  return `[${words.map((word) => (word === '' ? '""' : word)).join(', ')}]`;
}
