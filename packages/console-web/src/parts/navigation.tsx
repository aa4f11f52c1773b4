import { Link } from 'wouter';
import { useLive } from '../live/use-live.ts';

const LINKS = [
  ['/', 'Home', undefined],
  ['/jobs', 'Jobs', 'RayJob'],
  ['/clusters', 'Clusters', 'RayCluster'],
  ['/services', 'Services', 'RayService'],
  ['/cron', 'Cron jobs', 'RayCronJob'],
] as const;

/** The sections, with how many objects each has, and who is logged in. */
export function Navigation({
  path,
  user,
  onLogout,
}: {
  readonly path: string;
  readonly user: string;
  readonly onLogout: () => void;
}) {
  const { objects } = useLive();
  return (
    <nav className="nav" aria-label="Sections">
      <div className="brand">Manta</div>
      {LINKS.map(([href, title, kind]) => {
        const isHere = href === '/' ? path === '/' : path.startsWith(href);
        return (
          <Link key={href} href={href} aria-current={isHere ? 'page' : undefined}>
            {title} <span>{kind === undefined ? '' : objects[kind].size.toLocaleString('en')}</span>
          </Link>
        );
      })}
      <div className="sep" />
      <Link href="/new" aria-current={path === '/new' || path === '/editor' ? 'page' : undefined}>
        New
      </Link>
      <Link href="/operator" aria-current={path === '/operator' ? 'page' : undefined}>
        Operator
      </Link>
      <div className="who">
        {user}
        <div>
          <button type="button" onClick={onLogout}>
            Log out
          </button>
        </div>
      </div>
    </nav>
  );
}

/** Search, and whether what is shown is current. */
export function Top({ onSearch }: { readonly onSearch: () => void }) {
  const { connection, behind } = useLive();
  const words = { live: '● live', connecting: '○ connecting', lost: '✕ connection lost, trying again' }[connection];
  return (
    <>
      <header className="top">
        <button type="button" className="search" onClick={onSearch}>
          <span>Search or jump to …</span>
          <kbd>Ctrl K</kbd>
        </button>
        <span className="space" />
        <span className={`live ${connection}`} role="status">
          {words}
        </span>
      </header>
      {behind === undefined ? null : (
        <div className="banner" role="status">
          What you see may be old: {behind}
        </div>
      )}
    </>
  );
}
