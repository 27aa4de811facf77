# Sourced by the scripts beside it: changes to the project's folder and sets $bun to the Bun that
# `npm ci` installed, so that neither the caller's folder nor a Bun in PATH matters.
cd -- "$(dirname -- "$0")/.." || exit 2
bun=$PWD/node_modules/.bin/bun
if [ ! -x "$bun" ]; then
  echo 'Bun is missing. Run "npm ci" first.' >&2
  exit 2
fi
# A package manager's scripts get this folder in PATH; a call by hand does not.
PATH=$PWD/node_modules/.bin:$PATH
