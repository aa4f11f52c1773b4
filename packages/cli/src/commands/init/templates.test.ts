import { TEMPLATES } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { checkFile } from '../manifest/validate.ts';

describe('the templates of init', () => {
  it.each(TEMPLATES.map((template) => [template.name, template] as const))(
    '%s passes validate without a warning',
    (name, template) => {
      const text = template.render(`my-${name}`);
      expect(checkFile({ name, text })).toEqual({ problems: [], rayObjects: 1, others: [] });
      expect(text).toContain('#');
    },
  );
});
