import type { LoginMethod, NewSession, Session } from '@manta/console/protocol';
import { useState } from 'react';
import { send } from '../live/api.ts';
import { keepKey } from '../live/session-key.ts';
import { useAction } from '../parts/use-action.ts';

export interface LoginProps {
  readonly methods: readonly LoginMethod[];
  readonly reason: string | undefined;
  readonly onLogin: (session: Session) => void;
}

/** Log in as oneself, in the ways that the server offers; the console has no accounts. */
export function LoginPage({ methods, reason, onLogin }: LoginProps) {
  const [token, setToken] = useState('');
  const { problem, isBusy, run } = useAction();
  const logIn = (path: string, body: object) =>
    run(async () => {
      const answer = await send(path, { method: 'POST', body: JSON.stringify(body) });
      const session: NewSession = await answer.json();
      keepKey(session.key);
      onLogin(session);
    });
  const hasNavigation = methods.includes('oidc') || methods.includes('proxy-header');
  return (
    <main className="login">
      <section className="panel">
        <header>
          <h1>Manta</h1>
        </header>
        <div className="body">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              logIn('/api/login/token', { token: token.trim() });
            }}
          >
            {reason === undefined ? null : <p role="status">{reason}</p>}
            {methods.includes('oidc') ? (
              <a className="button primary" href="/login/oidc">
                Log in with your organisation
              </a>
            ) : null}
            {methods.includes('proxy-header') ? (
              <a className="button primary" href="/login/proxy">
                Log in as the user of this proxy
              </a>
            ) : null}
            {methods.includes('token') ? (
              <>
                <label htmlFor="token">Bearer token</label>
                <input
                  id="token"
                  type="password"
                  autoComplete="off"
                  autoFocus
                  value={token}
                  onChange={(event) => setToken(event.target.value)}
                />
              </>
            ) : null}
            {problem === '' ? null : (
              <span role="alert" className="problem">
                {problem}
              </span>
            )}
            {methods.includes('token') ? (
              <>
                <button
                  type="submit"
                  className={hasNavigation ? '' : 'primary'}
                  disabled={token.trim() === '' || isBusy}
                >
                  Log in
                </button>
                <p className="dim lead">
                  Get a token with <code className="mono">kubectl create token ACCOUNT</code>. You see what its account
                  may see.
                  {methods.includes('one-time-url')
                    ? ' On your own machine, `bin/manta status` prints a link that needs no token.'
                    : ''}
                </p>
              </>
            ) : null}
            {methods.includes('kubeconfig') ? (
              <>
                <label htmlFor="kubeconfig">Or a kubeconfig with a token or a client certificate in it</label>
                <input
                  id="kubeconfig"
                  type="file"
                  disabled={isBusy}
                  onChange={({ target: { files } }) => {
                    const file = files?.[0];
                    if (file !== undefined)
                      void file.text().then((kubeconfig) => logIn('/api/login/kubeconfig', { kubeconfig }));
                  }}
                />
              </>
            ) : null}
          </form>
        </div>
      </section>
    </main>
  );
}
