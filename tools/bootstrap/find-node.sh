#!/bin/sh
# Prints the path of the Node that this project runs on: the one pinned through npm, else a system Node that is new enough.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
for candidate in "$root"/node_modules/node-*/bin/node "$root"/node_modules/node-*/bin/node.exe; do
  if [ -x "$candidate" ] && "$candidate" -e 0 2>/dev/null; then
    echo "$candidate"
    exit 0
  fi
done
if command -v node >/dev/null 2>&1; then
  major=$(node -p 'process.versions.node.split(".")[0]')
  if [ "$major" -ge 24 ]; then
    command -v node
    exit 0
  fi
  echo "manta: Node 24 is needed and the system has $(node --version). Run 'npm ci' in $root: it installs the right one beside the code." >&2
else
  echo "manta: Node 24 is needed and none was found. Install Node and run 'npm ci' in $root." >&2
fi
exit 1
