import { ACCESS_RULES, type AccessRule, PROFILES, withoutRbacWrites } from '@manta/operator';

/** The template with the operator's permissions, one definition a profile, from the list that the operator itself checks. */
export function rulesTemplate(): string {
  const ofBase = (rules: readonly AccessRule[]) => rules.filter(({ profile }) => profile === 'base');
  const parts = [
    ...PROFILES.map((profile) =>
      definition(
        profile,
        ACCESS_RULES.filter((rule) => rule.profile === profile),
      ),
    ),
    definition('base-without-rbac-writes', ofBase(withoutRbacWrites(ACCESS_RULES))),
  ];
  return `{{- /* Made by npm run charts from packages/operator/src/permissions/rules.ts. */}}\n${parts.join('\n')}`;
}

function definition(name: string, rules: readonly AccessRule[]): string {
  const items = rules.map(
    ({ groups, resources, verbs }) =>
      `- apiGroups: ${list(groups)}\n  resources: ${list(resources)}\n  verbs: ${list(verbs)}`,
  );
  return `{{- define "operator.rules.${name}" }}\n${items.join('\n')}\n{{- end }}\n`;
}

function list(words: readonly string[]): string {
  return `[${words.map((word) => (word === '' ? '""' : word)).join(', ')}]`;
}
