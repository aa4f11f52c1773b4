#!/bin/sh
# Prints the path of the Node that this project runs on: the one pinned through npm, else a system Node that is new enough.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
# Trying a Node takes as long as many a command: the one that has run on this machine before is taken without trying.
machine=$(uname -snm)
tried="$root/node_modules/.manta-node"
if [ -r "$tried" ] && { read -r where && read -r candidate; } <"$tried" && [ "$where" = "$machine" ] && [ -x "$root/$candidate" ]; then
  echo "$root/$candidate"
  exit 0
fi
for candidate in "$root"/node_modules/node-*/bin/node "$root"/node_modules/node-*/bin/node.exe; do
  if [ -x "$candidate" ] && "$candidate" -e 0 2>/dev/null; then
    # Whole or not at all, and not where the folder is read-only.
    { printf '%s\n%s\n' "$machine" "${candidate#"$root"/}" >"$tried.$$" && mv "$tried.$$" "$tried"; } 2>/dev/null || true
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
