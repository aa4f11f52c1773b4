import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import type { LoginMethods, Session } from '@manta/console/protocol';
import { dropDrafts } from './editor/drafts.ts';
import { ask, send } from './live/api.ts';
import { SessionContext } from './live/session.ts';
import { restoreKey } from './live/session-key.ts';
import { LiveContext, useStream } from './live/use-live.ts';
import { ClusterPage } from './pages/cluster.tsx';
import { CronPage } from './pages/cron.tsx';
import { HomePage } from './pages/home.tsx';
import { JobPage } from './pages/job.tsx';
import { ListPage } from './pages/list.tsx';
import { LoginPage } from './pages/login.tsx';
import { NewPage } from './pages/new.tsx';
import { OperatorPage } from './pages/operator.tsx';
import { ServicePage } from './pages/service.tsx';
import { Help } from './parts/help.tsx';
import { Navigation, Top } from './parts/navigation.tsx';
import { Palette } from './parts/palette.tsx';
import { useShortcuts } from './parts/use-shortcuts.ts';
// oxlint-disable-next-line import/no-unassigned-import -- Vite puts the style sheet into the page
import './styles.css';

/** The editor and what it needs are loaded when it is opened: most viewers never do. */
const EditorPage = lazy(() => import('./pages/editor.tsx').then((module) => ({ default: module.EditorPage })));

type Identity = 'unknown' | { readonly session: Session } | { readonly methods: LoginMethods['methods'] };

/** The whole page: navigation and the page of the current URL, or the login. */
export function App() {
  const [identity, setIdentity] = useState<Identity>('unknown');
  const [reason, setReason] = useState<string>();
  const isLoggedIn = typeof identity === 'object' && 'session' in identity;
  const live = useStream(isLoggedIn);
  useEffect(() => void readIdentity().then(setIdentity), []);
  useEffect(() => {
    if (live.loggedOut === undefined) return;
    setReason(live.loggedOut);
    // The ways to log in are asked for again.
    void readIdentity().then(setIdentity);
  }, [live.loggedOut]);
  if (identity === 'unknown') return null;
  if (!('session' in identity))
    return <LoginPage methods={identity.methods} reason={reason} onLogin={(session) => setIdentity({ session })} />;
  return (
    <LiveContext value={live}>
      <SessionContext value={identity.session}>
        <Shell
          session={identity.session}
          onLogout={() => {
            dropDrafts();
            void send('/api/logout', { method: 'POST' }).then(() => window.location.assign('/'));
          }}
        />
      </SessionContext>
    </LiveContext>
  );
}

async function readIdentity(): Promise<Identity> {
  let answer = await ask('/api/session');
  if (answer.status === 401 && restoreKey()) answer = await ask('/api/session');
  if (answer.ok) return { session: await answer.json() };
  const body: Partial<LoginMethods> = await answer.json().catch(() => ({}));
  return { methods: body.methods ?? ['token'] };
}

function Shell({ session, onLogout }: { readonly session: Session; readonly onLogout: () => void }) {
  const [path] = useLocation();
  const [isSearching, setSearching] = useState(false);
  const [isHelping, setHelping] = useState(false);
  useShortcuts(
    () => setSearching(true),
    () => setHelping(true),
  );
  return (
    <div className="app">
      <Navigation path={path} user={session.user} onLogout={onLogout} />
      <div>
        <Top onSearch={() => setSearching(true)} />
        <main className="main">
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/jobs">{() => <ListPage kind="RayJob" />}</Route>
            <Route path="/clusters">{() => <ListPage kind="RayCluster" />}</Route>
            <Route path="/services">{() => <ListPage kind="RayService" />}</Route>
            <Route path="/cron">{() => <ListPage kind="RayCronJob" />}</Route>
            <Route path="/jobs/:namespace/:name">{(at) => <JobPage {...at} />}</Route>
            <Route path="/clusters/:namespace/:name">{(at) => <ClusterPage {...at} />}</Route>
            <Route path="/services/:namespace/:name">{(at) => <ServicePage {...at} />}</Route>
            <Route path="/cron/:namespace/:name">{(at) => <CronPage {...at} />}</Route>
            <Route path="/new" component={NewPage} />
            <Route path="/operator" component={OperatorPage} />
            <Route path="/editor">
              <Suspense fallback={<h1>Editor</h1>}>
                <EditorPage />
              </Suspense>
            </Route>
            <Route>
              {() => (
                <section className="panel">
                  <p className="empty">
                    There is no page {path}. <Link href="/">Go home</Link>
                  </p>
                </section>
              )}
            </Route>
          </Switch>
        </main>
      </div>
      {isSearching ? <Palette onClose={() => setSearching(false)} /> : null}
      {isHelping ? <Help onClose={() => setHelping(false)} /> : null}
    </div>
  );
}
