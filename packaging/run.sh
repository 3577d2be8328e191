#!/usr/bin/env bash
# From a fresh clone to the window: installs what is missing, builds what runs (release) and opens the app on an example,
# or on the script or session file named on the command line.
#
#   packaging/run.sh                            the window, on a copy of a sample
#   packaging/run.sh script.py [ARGUMENTS...]   prepares a run of a script; --run before it starts it at once
#   packaging/run.sh run.footlight              opens a recording, or a model
#   packaging/run.sh --help                     prints this and builds nothing
#
# Other options are those of footlight-app, before a script: --run, --sample NAME, --screenshot OUT, --view VIEW, --select WHAT,
# --theme NAME, --size WxH, --version.
set -u
# The comment above, as a person reads it.
usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"; }

# Looks at the options before anything is installed or built; what follows a script is the script's.
takes_value=''
for argument in "$@"; do
  if [ -n "$takes_value" ]; then
    takes_value=''
    continue
  fi
  case $argument in
    -h | --help) usage; exit 0 ;;
    --screenshot | --theme | --size | --select | --view | --sample | -platform | -style) takes_value=$argument ;;
    --run | --version | -v | --help-all | --screenshot=* | --theme=* | --size=* | --select=* | --view=* | --sample=*) ;;
    -[!-]* | --?*)
      printf 'footlight: packaging/run.sh has no option %s; packaging/run.sh --help lists them\n' "$argument" >&2
      exit 2
      ;;
    *.py | --) break ;;
  esac
done
if [ -n "$takes_value" ]; then
  printf 'footlight: %s needs a value; packaging/run.sh --help lists the options\n' "$takes_value" >&2
  exit 2
fi
given=()
for argument in "$@"; do
  [ -e "$argument" ] && argument=$(readlink -f -- "$argument")
  given+=("$argument")
done
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_packages build app
ensure_venv
# Only what runs, for the one interpreter that the window starts (the active environment's, where Footlight supports it,
# else ours) and with the kernels for this machine alone; packaging/test.sh adds the rest to the same tree, which stays.
if grep -qs -- "${whole[0]}" build/release/configured; then
  configure release "${whole[@]}"
else
  one=OFF
  if [ -z "${FOOTLIGHT_PYTHONS:-}" ]; then
    one=ON FOOTLIGHT_PYTHONS="${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python3;}$python"
  fi
  configure release "-DFOOTLIGHT_ONE_PYTHON=$one" -DFOOTLIGHT_TESTS=OFF -DFOOTLIGHT_ISAS=native
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
