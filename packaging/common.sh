# shellcheck shell=bash
# Shared by run.sh and test.sh: packages, the Python environment, configuring and building. Sourced, never run.
# Quiet when there is nothing to do.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
python=${FOOTLIGHT_PYTHON:-/usr/bin/python3}
venv=$root/build/venv

say() { printf '== %s\n' "$*"; }
die() { printf 'footlight: %s\n' "$*" >&2; exit 1; }

# packages GROUP...: the names listed under these groups of dependencies.txt.
packages() {
  awk -v groups=" $* " '
    { sub(/#.*/, "") }
    /^\[/ { gsub(/[][ \t]/, ""); wanted = index(groups, " " $0 " "); next }
    NF && wanted { print $1 }' packaging/dependencies.txt
}

# missing_packages GROUP...: those of them that are not installed.
missing_packages() {
  local name
  for name in $(packages "$@"); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s\n' "$name"
  done
}

# install_packages GROUP...: installs missing packages, or lists them if this account may not.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: these packages' counterparts have to be there:" $(packages "$@")
    return
  fi
  local missing as=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      may_not_install "${missing[@]}"
    elif [ -t 0 ]; then
      as=(sudo)
      sudo -v || may_not_install "${missing[@]}"
    else
      as=(sudo -n)
      sudo -n true 2>/dev/null || may_not_install "${missing[@]}"
    fi
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p build
  local log=build/packages.log
  # Another apt (a fresh machine updates itself) is waited for.
  apt() { "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null 2>&1 | tee -a "$log" | shown_progress; return "${PIPESTATUS[0]}"; }
  : > "$log"
  apt update || say "the package lists could not be brought up to date; trying with those that are there"
  if ! apt install --no-install-recommends "${missing[@]}"; then
    tail -n 15 "$log" >&2
    die "these packages are missing and could not be installed (all of apt's output: $log): $(missing_packages "$@" | tr '\n' ' ')"
  fi
}

may_not_install() {
  printf 'footlight: these Debian packages are missing, and this account may not install them:\n' >&2
  printf '  %s\n' "$@" >&2
  printf 'As root: apt-get install --no-install-recommends %s\n' "$*" >&2
  exit 1
}

# One short line per package instead of apt's pages.
shown_progress() { awk '/^Setting up / { print "   " $3, $4; fflush() } /^Need to get / { print "  ", $0; fflush() }'; }

# ensure_venv [again [PYTHON VENV]]: an environment with the packages of python-requirements.txt (build/venv of our Python); says what is missing where
# no package source can be reached, and retries that only if "again" is passed.
ensure_venv() {
  local again=${1:-} python=${2:-$python} venv=${3:-$venv}
  local named=${venv#"$root"/}
  if [ ! -x "$venv/bin/python" ]; then
    [ -x "$python" ] || command -v "$python" >/dev/null || die "no Python at $python (FOOTLIGHT_PYTHON names another)"
    say "making a Python environment in $named"
    mkdir -p build
    "$python" -m venv "$venv" || die "$python cannot make an environment (Debian: python3-venv)"
  fi
  "$venv/bin/python" -c 'import numpy, importlib.util as util; all(map(util.find_spec, ("keras", "tensorboard", "mypy", "IPython", "pytest"))) or 1 / 0' 2>/dev/null && return 0
  [ "$again" = again ] || [ ! -e "$venv/no-packages" ] || return 0
  say "installing NumPy and Keras into $named"
  if ! "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 \
      -r packaging/python-requirements.txt </dev/null >build/python-packages.log 2>&1; then
    touch "$venv/no-packages"
    say "NumPy and Keras could not be installed (build/python-packages.log says why): scripts that import them will not run, what tests them is left out"
  fi
}

# pythons_found: version and path of each interpreter that the extensions are built for, ours first.
pythons_found() {
  local options
  mapfile -t options < <(python_options)
  cmake "${options[@]}" -P engine/python/find_python.cmake | sed '/^--/d'
}

# ensure_venvs: build/venv, and build/venv-3.12 and the like for every other Python that the extensions are built for.
ensure_venvs() {
  ensure_venv again
  local version other
  while read -r version other; do
    [ "$version" = "$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" ] ||
      ( ensure_venv again "$other" "$root/build/venv-$version" ) || say "Python $version is tested without NumPy"
  done < <(pythons_found)
}

# The interpreters that CMake uses: ours, and those listed in FOOTLIGHT_PYTHONS if it is set ("a;b"), else all it finds.
python_options() {
  printf '%s\n' "-DPython3_EXECUTABLE=$python" "-DFOOTLIGHT_PYTHONS=${FOOTLIGHT_PYTHONS:-}"
}

# The release tree with everything in it. packaging/run.sh builds less in the same tree, unless more is configured. The
# sanitizer trees have the kernels for AVX2.
whole=(-DFOOTLIGHT_TESTS=ON -DFOOTLIGHT_ONE_PYTHON=OFF "-DFOOTLIGHT_ISAS=baseline;native")
[ "$(uname -m)" = x86_64 ] || whole[2]=-DFOOTLIGHT_ISAS=baseline

# configure PRESET [options...]: once, or again if the options changed. Our own status lines are shown.
configure() {
  local preset=$1 tree=build/$1 options
  shift
  mapfile -t options < <(python_options)
  options+=("$@")
  local wanted="${VIRTUAL_ENV:-} ${options[*]}"
  [ -e "$tree/build.ninja" ] && [ "$(cat "$tree/configured" 2>/dev/null)" = "$wanted" ] && return 0
  say "configuring $preset"
  mkdir -p "$tree"
  if ! cmake --preset "$preset" "${options[@]}" >"$tree/configure.log" 2>&1 </dev/null; then
    cat "$tree/configure.log" >&2
    die "the $preset tree could not be configured"
  fi
  sed -n 's/^-- \(Footlight: .*\)/   \1/p' "$tree/configure.log"
  printf '%s' "$wanted" >"$tree/configured"
}

# build PRESET [TARGET]: shows progress only when something has to be built. One compiler per processor: with ninja's own
# choice of two more, each takes a tenth more time.
build() {
  local preset=$1 tree=build/$1 began=$SECONDS target=${2:-all}
  NINJA_STATUS='[%f/%t, %es] ' ninja -j "$(nproc)" -C "$tree" "$target" </dev/null 2>&1 | shown_build "$preset" "$began"
  [ "${PIPESTATUS[0]}" -eq 0 ] || die "the $preset tree did not build"
}

# ninja's output, except the lines that say there is nothing to do.
shown_build() {
  local line begun=
  while IFS= read -r line; do
    case $line in
      *"Re-checking globbed directories"* | "ninja: Entering directory"* | "ninja: no work to do."*) continue ;;
    esac
    [ -n "$begun" ] || say "building $1"
    begun=1
    printf '%s\n' "$line"
  done
  [ -z "$begun" ] || say "$1: $((SECONDS - $2)) s of building"
}
