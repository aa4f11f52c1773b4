import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anchors, ROOT } from './pages.ts';

interface AlertingRule {
  readonly alert?: string;
  readonly annotations?: { readonly runbook_url?: string };
}

describe('the alerts of deploy/monitoring', () => {
  const rules: readonly AlertingRule[] = parse(
    readFileSync(join(ROOT, 'deploy/monitoring/rules.yaml'), 'utf8'),
  ).spec.groups.flatMap(({ rules: each }: { readonly rules: readonly AlertingRule[] }) => each);
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const page = readFileSync(join(ROOT, 'docs/production/runbooks.md'), 'utf8');

  it.each(alerts.map(({ alert = '', annotations }) => [alert, annotations?.runbook_url] as const))(
    '%s: links to its runbook',
    (alert, url) => {
      const [file, anchor = ''] = url?.split('#') ?? [];
      expect(file).toBe('docs/production/runbooks.md');
      expect(anchors(page)).toContain(anchor);
      expect(anchor).toBe(alert.toLowerCase());
    },
  );

  it('are exactly those that have a runbook', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
  });
});
