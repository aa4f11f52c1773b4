/** A known weakness of a package, as `npm audit --json` reports it. */
export interface Advisory {
  readonly name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

/** Weaknesses that were looked at and do not concern us, by address, each with the reason. */
export const ACCEPTED: Readonly<Record<string, string>> = {};

const SERIOUS: readonly string[] = ['moderate', 'high', 'critical'];
const GRAVE: readonly string[] = ['high', 'critical'];

/**
 * Nothing that is shipped may have a weakness of moderate severity or worse, nothing that we build and test with a high or critical one,
 * unless it was looked at.
 */
export function violations(
  advisories: readonly Advisory[],
  isShipped: (name: string) => boolean,
  accepted: Readonly<Record<string, string>> = ACCEPTED,
): readonly string[] {
  return advisories
    .filter(({ name, severity, url }) => {
      const limit = isShipped(name) ? SERIOUS : GRAVE;
      return limit.includes(severity) && accepted[url] === undefined;
    })
    .map(({ name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`);
}

/** The registry has not told of weaknesses. */
export class NoAdvisories extends Error {
  override readonly name = 'NoAdvisories';
  /** It keeps none, so that asking again is of no use. */
  readonly isForGood: boolean;

  constructor(said: string) {
    const isForGood = /^(40[013-5]|410|501) /.test(said);
    super(isForGood ? `the registry keeps no advisories (${said})` : `the registry gave no answer: ${said}`);
    this.isForGood = isForGood;
  }
}

/** The weaknesses in a report of npm's. Throws `NoAdvisories` where the text is none, with what npm said. */
export function advisoriesIn(report: string): readonly Advisory[] {
  const { vulnerabilities, message } = parsed(report);
  if (vulnerabilities === undefined) throw new NoAdvisories(String(message ?? 'npm audit gave no report'));
  const found = Object.entries<{ readonly severity: string; readonly via: readonly unknown[] }>(vulnerabilities);
  return found.flatMap(([name, { severity, via }]) =>
    via.flatMap((each) => {
      if (typeof each !== 'object' || each === null || !('url' in each) || !('title' in each)) return [];
      const own = 'severity' in each ? String(each.severity) : severity;
      return [{ name, severity: own, title: String(each.title), url: String(each.url) }];
    }),
  );
}

function parsed(report: string) {
  try {
    return JSON.parse(report);
  } catch {
    throw new NoAdvisories(report.slice(0, 200) || 'npm audit said nothing');
  }
}
