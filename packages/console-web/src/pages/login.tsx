import { useState } from 'react';
import type { LoginMethod, NewSession, Session } from '@manta/console/protocol';
import { send } from '../live/api.ts';
import { keepKey } from '../live/session-key.ts';

export interface LoginProps {
  readonly methods: readonly LoginMethod[];
  readonly reason: string | undefined;
  readonly onLogin: (session: Session) => void;
}

/** Log in with a token of one's own; the console has no accounts. */
export function LoginPage({ methods, reason, onLogin }: LoginProps) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async () => {
    setProblem('');
    try {
      const answer = await send('/api/login/token', { method: 'POST', body: JSON.stringify({ token: token.trim() }) });
      const session: NewSession = await answer.json();
      keepKey(session.key);
      onLogin(session);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
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
              void submit();
            }}
          >
            {reason === undefined ? null : <p role="status">{reason}</p>}
            <label htmlFor="token">Bearer token</label>
            <input
              id="token"
              type="password"
              autoComplete="off"
              autoFocus
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
            {problem === '' ? null : (
              <span role="alert" className="mono">
                {problem}
              </span>
            )}
            <button type="submit" className="primary" disabled={token.trim() === ''}>
              Log in
            </button>
            <p className="dim">
              Get a token with <code className="mono">kubectl create token ACCOUNT</code>. You see what its account may
              see.
              {methods.includes('one-time-url')
                ? ' On your own machine, `bin/manta status` prints a link that needs no token.'
                : ''}
            </p>
          </form>
        </div>
      </section>
    </main>
  );
}
