#!/usr/bin/env bash
# From a fresh clone to the window: installs what is missing, builds what runs (release) and opens the app on an example,
# or on the script or session file named on the command line.
set -u
given=()
for argument in "$@"; do
  [ -e "$argument" ] && argument=$(readlink -f -- "$argument")
  given+=("$argument")
done
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages build app
ensure_venv
# Only what runs, with the kernels for this machine alone; packaging/test.sh adds the rest to the same tree, which stays.
if grep -qs -- "${whole[0]}" build/release/configured; then
  configure release "${whole[@]}"
else
  configure release -DFOOTLIGHT_TESTS=OFF -DFOOTLIGHT_ISAS=native
fi
build release product

[ ${#given[@]} -gt 0 ] || given=(--sample retracing.py)  # a copy, which the user may change
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
  die "built, but there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are empty);
without one: build/release/bin/footlight record SCRIPT -o run.footlight
             QT_QPA_PLATFORM=offscreen build/release/bin/footlight-app --screenshot picture.png run.footlight"
fi
# An active environment of the user's takes precedence; else build/venv, for whose version the extension is built.
export VIRTUAL_ENV=${VIRTUAL_ENV:-$venv}
exec build/release/bin/footlight-app "${given[@]}"
