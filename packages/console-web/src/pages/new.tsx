import { TEMPLATES } from '@manta/api';
import { Link } from 'wouter';

const KINDS: Readonly<Record<string, string>> = {
  job: 'RayJob',
  train: 'RayJob',
  serve: 'RayService',
  cluster: 'RayCluster',
  cron: 'RayCronJob',
};

/** Templates to start from, the same as those of `kubectl ray init`. */
export function NewPage() {
  return (
    <>
      <h1>New</h1>
      <p className="dim lead">Choose where to start. You see what is created before anything is.</p>
      <div className="tiles">
        {TEMPLATES.map(({ name, description }) => (
          <Link key={name} href={`/editor?template=${name}`} className="card tile">
            <span className="dim">{KINDS[name]}</span>
            <b>{capital(description)}</b>
            <span className="mono dim">kubectl ray init {name}</span>
          </Link>
        ))}
        <Link href="/editor" className="card tile">
          <span className="dim">Any kind</span>
          <b>Empty manifest</b>
          <span className="dim">with completion and errors as you type</span>
        </Link>
      </div>
      <section className="panel">
        <header>
          <h2>Run a folder of yours</h2>
        </header>
        <div className="body">
          <p>
            <code className="mono">kubectl ray run . -- python main.py</code> packs a folder, creates a RayJob for it
            and shows its output. This page does not take folders.
          </p>
        </div>
      </section>
    </>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
