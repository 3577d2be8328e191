#!/usr/bin/env bash
# From a fresh clone to the result of every test: installs what is missing, builds, and tests the release tree, the
# address sanitizer's tree (Python included), the fuzz targets and the build without a CUDA toolkit.
# Ends with "N passed, N failed"; exit status 1 when anything failed.
#
#   packaging/test.sh [release|asan|tsan|fuzz|cuda]...     only these parts
#   packaging/test.sh thorough [parts...]                  with what takes as long again: the release tree for every Python,
#                                                          the window in the address sanitizer's tree, the thread
#                                                          sanitizer's tree, and there the tests with the label "thorough"
#   packaging/test.sh engines [ENGINE...]                  installs the engines of packaging/engine-versions.txt
#                                                          into build/engines and records the samples under each
#   packaging/test.sh tidy [COMMIT]                        clang-tidy on the lines that differ from COMMIT (from the upstream
#                                                          branch), and no test; .clang-tidy says what it looks for
#   packaging/test.sh --help                               prints this and builds nothing
set -u
for argument in "$@"; do
  case $argument in
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*)
      printf 'footlight: packaging/test.sh has no option %s; packaging/test.sh --help lists its parts\n' "$argument" >&2
      exit 2
      ;;
  esac
done
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ "${1:-}" = tidy ]; then
  install_packages build app tidy
  ( configure debug -DFOOTLIGHT_TESTS=ON -DFOOTLIGHT_ONE_PYTHON=ON ) || exit 1
  exec "$python" packaging/tidy.py build/debug "${@:2}"
fi

passed=0 failed=0 skipped=0 failures=()

# count passed|failed|skipped N [name]
count() {
  printf -v "$1" %d $((${!1} + $2))
  if [ "$1" = failed ] && [ "$2" -gt 0 ]; then failures+=("$3"); fi
}

# made PRESET [options...]: configured and built (or only $targets), or counted as one failure. In a subshell, which may exit.
made() {
  ( configure "$@" && build "$1" "${targets:-all}" ) && return 0
  count failed 1 "$1: build"
  return 1
}

# tests PRESET [ctest options...]: runs ctest and counts the results.
tests() {
  local preset=$1 log=build/$1/tests.log fixed=(env)
  shift
  # The thread sanitizer of g++ 12 cannot place its memory where a kernel spreads addresses widely.
  if [ "$preset" = tsan ] && setarch -R true 2>/dev/null; then fixed=(setarch -R); fi
  say "testing $preset"
  "${fixed[@]}" ctest --test-dir "build/$preset" -j $((jobs + 1)) --output-on-failure --timeout 300 "$@" </dev/null 2>&1 | tee "$log" |
    grep -Ev '^(Test project|Internal ctest|    +Start +[0-9]+:|$)'
  local all bad left
  all=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
  bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of .*/\1/p' "$log")
  left=$(grep -c '\*\*\*Skipped' "$log")
  say "the slowest tests of $preset"
  sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec.*/\2 s  \1/p' "$log" | sort -rn | head -n 10 | sed 's/^/   /'
  if [ -z "$all" ] || [ "$all" -eq 0 ]; then
    count failed 1 "$preset: no test ran"
    return
  fi
  count passed $((all - bad - left))
  count skipped "$left"
  if [ "$bad" -gt 0 ]; then
    count failed "$bad" "$preset: $(sed -n '/The following tests FAILED/,$ s/^\t *[0-9]* - \([^ ]*\) .*/\1/p' "$log" |
      tr '\n' ' ')"
  fi
}

release_part() { made release "${whole[@]}" && tests release; }
asan_part() { made asan "${asan[@]}" && tests asan -LE "$left_out"; }
tsan_part() { targets=$tsan_targets made tsan "${tsan[@]}" && tests tsan -LE "$left_out"; }

# two_pythons: the interpreters that the extensions are built for here, as FOOTLIGHT_PYTHONS: ours and the newest.
two_pythons() {
  local found
  mapfile -t found < <(pythons_found)
  printf '%s\n' "${found[0]-}" "$(printf '%s\n' "${found[@]}" | sort -V | tail -n 1)" | cut -d' ' -f2- | uniq | paste -sd';'
}

# fuzzed TARGET NAME [corpus]: one process per processor, which share the inputs they keep. Shows what one found.
fuzzed() {
  local target=$1 name=$2 processes=() i bad=0
  shift 2
  for ((i = 0; i < jobs; ++i)); do
    # The fuzzer keeps an input that ended in an abort, not one that UBSan ended in its own way.
    UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 "$target" -runs=$((inputs / jobs)) -max_len=65536 \
      -rss_limit_mb=4096 "build/asan/corpus/$name" "$@" </dev/null >"build/asan/fuzz/$name.$i.log" 2>&1 &
    processes+=($!)
  done
  for i in "${!processes[@]}"; do
    wait "${processes[i]}" || { bad=1; tail -n 40 "build/asan/fuzz/$name.$i.log"; }
    # It chooses inputs by what code they ran, which coverage.cpp tells it.
    grep -q 'INITED .*ft: [0-9]\{3,\}' "build/asan/fuzz/$name.$i.log" || { bad=1; say "$name: the fuzzer sees no code run"; }
  done
  return $bad
}

# Runs each fuzz target over its corpus and a fixed number of generated inputs.
fuzz_part() {
  targets=fuzz_targets made asan "${asan[@]}" || return
  local target name corpus found=0
  for target in build/asan/fuzz/fuzz_*; do
    [ -x "$target" ] || continue
    found=1 name=${target##*/fuzz_} corpus=tests/fuzz/corpus/${target##*/fuzz_}
    mkdir -p "build/asan/corpus/$name"
    [ -d "$corpus" ] || corpus=
    if fuzzed "$target" "$name" $corpus; then
      say "fuzz target $name: $(grep -c . <(ls "build/asan/corpus/$name")) inputs kept, nothing found"
      count passed 1
    else
      count failed 1 "fuzz: $name"
    fi
  done
  [ $found -eq 1 ] || count failed 1 "fuzz: no target was built"
}

# Without a toolkit the configuration says so once and continues; with one the release tree has the CUDA part.
cuda_part() {
  local log=build/without-cuda.log lines
  ( configure release "${whole[@]}" ) || { count failed 1 "release: configure"; return; }
  if cmake --preset release -B build/without-cuda -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON \
      -DPython3_EXECUTABLE="$python" </dev/null >"$log" 2>&1; then
    lines=$(grep -c 'CUDA part is left out' "$log")
    if [ "$lines" -eq 1 ]; then count passed 1; else count failed 1 "without CUDA: said $lines times, not once"; fi
  else
    cat "$log"
    count failed 1 "without CUDA: configure"
  fi
  if grep -q 'the CUDA part is built' build/release/configure.log 2>/dev/null; then
    say "CUDA: built with a toolkit in release, without one in the sanitizer trees"
    count passed 1
  else
    say "CUDA: no toolkit could be had, so the CUDA part is built nowhere in this run"
    count skipped 1
  fi
}

# with_engine ENGINE VERSION REQUIREMENTS...: records the samples under that version, in an environment made for it.
with_engine() {
  local engine=$1 version=$2 tree=build/engines/$1-$2 log=build/engines/$1-$2.log passes failures
  shift 2
  if [ "$(cat "$tree/installed" 2>/dev/null)" != "$*" ]; then
    say "installing $engine $version"
    rm -rf "$tree"
    { "$python" -m venv "$tree" && "$tree/bin/pip" install --quiet --disable-pip-version-check "$@" &&
      printf '%s\n' "$*" >"$tree/installed"; } >"$log" 2>&1 </dev/null || { cat "$log"; count failed 1 "$engine $version: install"; return; }
  fi
  say "testing under $engine $version"
  "$tree/bin/python" tests/engines/real.py "$engine" </dev/null 2>&1 | tee "$log"
  read -r passes failures < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
  if [ -z "${passes:-}" ]; then count failed 1 "$engine $version: no sample ran"; return; fi
  count passed "$passes"
  count failed "$failures" "$engine $version: $(sed -n 's/^FAIL \([^ ]*\) .*/\1/p' "$log" | tr '\n' ' ')"
}

# The samples under real engines: all of packaging/engine-versions.txt, or those named.
engines_part() {
  targets=product made release "${whole[@]}" || return
  local engine version requirements
  mkdir -p build/engines
  while read -r engine version requirements; do
    [[ -n $engine && $engine != '#'* ]] || continue
    [[ ${#engines[@]} -eq 0 || " ${engines[*]} " == *" $engine "* ]] || continue
    # shellcheck disable=SC2086  # requirements are several words
    with_engine "$engine" "$version" $requirements
  done <packaging/engine-versions.txt
}

jobs=$(nproc)
engines=()
if [ "${1:-}" = engines ]; then
  engines=("${@:2}")
  set -- engines
fi
if [ "${1:-}" = thorough ]; then
  thorough=yes inputs=8000 asan=() tsan=() tsan_targets=all left_out=release-only usual=(release cuda asan tsan fuzz)
  shift
else
  usual=(release cuda asan fuzz) thorough='' inputs=3000 asan=(-DFOOTLIGHT_APP=OFF) tsan=(-DFOOTLIGHT_PYTHON=OFF) tsan_targets=test_programs left_out='release-only|thorough'
fi
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=("${usual[@]}")
for part in "${parts[@]}"; do
  declare -F "${part}_part" >/dev/null || die "no part of the tests is called $part (release, asan, tsan, fuzz, cuda, engines)"
done

install_packages build app test
[ -n "$thorough" ] || export FOOTLIGHT_PYTHONS=${FOOTLIGHT_PYTHONS:-$(two_pythons)}
ensure_venvs
if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  bash packaging/cuda.sh || say "no CUDA toolkit: going on without one"
fi
for part in "${parts[@]}"; do "${part}_part"; done

if [ ${#failures[@]} -gt 0 ]; then
  say "failed:"
  printf '   %s\n' "${failures[@]}"
fi
say "$((SECONDS / 60)) min $((SECONDS % 60)) s"
if [ "$skipped" -gt 0 ]; then
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
else
  printf '%d passed, %d failed\n' "$passed" "$failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
