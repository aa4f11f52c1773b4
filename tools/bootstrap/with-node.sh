#!/bin/sh
# Runs a TypeScript program (or, with --bin, an installed tool) on the pinned Node, installing the workspace first where that is needed.
# Only npm itself ever runs on the system's Node. Everything this script says goes to stderr: stdout belongs to the program.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

if ! cmp -s "$root/package-lock.json" "$root/node_modules/.manta-installed-lock"; then
  echo "manta: installing packages (about 30 s, once)…" >&2
  if [ -t 2 ]; then progress=true; else progress=false; fi
  (cd "$root" && npm ci --no-audit --no-fund --loglevel=error --progress=$progress >&2) || {
    echo "manta: 'npm ci' failed. The lines above say why; it needs a reachable npm registry and about 500 MB of disk." >&2
    exit 1
  }
  cp "$root/package-lock.json" "$root/node_modules/.manta-installed-lock"
fi

node=$("$root/tools/bootstrap/find-node.sh") || exit 1
PATH="$(dirname -- "$node"):$root/node_modules/.bin:$PATH"
export PATH
if [ "${1:-}" = --bin ]; then
  tool=$2
  shift 2
  exec "$root/node_modules/.bin/$tool" "$@"
fi
program=$1
shift
exec "$node" --disable-warning=ExperimentalWarning "$root/$program" "$@"
