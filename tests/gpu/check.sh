#!/bin/bash
# Builds and tests the GPU part on a machine with nvcc, cmake, ninja, Python 3.11 to 3.13 and a GPU; needs no Qt, no
# Graphviz, no network. One line per check, then "N passed, N failed".
#
#   tests/gpu/check.sh --collect    first, on a machine that has them: copies what can be missing (libraries, headers of
#                                   Python) into build/gpu-deps, which travels with the tree
#   tests/gpu/check.sh              on the machine with the GPU
#   tests/gpu/check.sh --rehearse   the same on any machine, with a fake GPU in place of the real one
#
# PYTHON names the interpreter, BUILD the build folder (build/gpu).
set -u
cd "$(dirname "$0")/../.." || exit 1
deps=$PWD/build/gpu-deps
build=${BUILD:-$PWD/build/gpu}

collect() {
  rm -rf "$deps"
  mkdir -p "$deps/include" "$deps/lib" "$deps/bin"
  local name file python headers
  # A library and its main header; other headers are copied below.
  for name in sqlite3:sqlite3.h zstd:zstd.h z:zlib.h re2:re2/re2.h protobuf:google/protobuf/message.h png:png.h \
    jpeg:jpeglib.h; do
    file=$(gcc -print-file-name=lib${name%:*}.so)
    [ -e "$file" ] && [ -e "/usr/include/${name#*:}" ] || { echo "check.sh: ${name#*:} or lib${name%:*}.so is missing here" >&2; exit 1; }
    file=$(readlink -f "$file")
    # Under both names: one for the linker, one for the loader.
    cp "$file" "$deps/lib/lib${name%:*}.so"
    cp "$file" "$deps/lib/$(objdump -p "$file" | sed -n 's/^ *SONAME *//p')"
  done
  cp /usr/bin/protoc "$deps/bin/" && cp -L "$(ldd /usr/bin/protoc | sed -n 's/.* => \(.*libprotoc[^ ]*\) .*/\1/p')" "$deps/lib/" ||
    { echo "check.sh: protoc is missing here" >&2; exit 1; }
  cp -r /usr/include/re2 /usr/include/google "$deps/include/" && cp /usr/include/sqlite3.h /usr/include/zstd.h "$deps/include/" || exit 1
  cp -L /usr/include/{zlib,zconf,png,pngconf,pnglibconf,jpeglib,jmorecfg,jerror}.h "$deps/include/" &&
    cp /usr/include/x86_64-linux-gnu/jconfig.h "$deps/include/" || exit 1
  cp /usr/include/sqlite3ext.h /usr/include/zstd_errors.h "$deps/include/" 2>/dev/null
  cp -r /usr/include/eigen3 "$deps/include/" || exit 1
  for python in ${PYTHON:-python3.12 "$HOME"/.pyenv/versions/3.12.*/bin/python3 python3}; do
    headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null) || continue
    [ -e "$headers/Python.h" ] || continue
    cp -rL "$headers" "$deps/include/$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')"
    # Debian keeps a part of pyconfig.h with the architecture's other headers.
    local there=/usr/include/x86_64-linux-gnu/$(basename "$headers")
    [ -d "$there" ] && mkdir -p "$deps/include/$(basename "$headers")/x86_64-linux-gnu" &&
      cp -rL "$there" "$deps/include/$(basename "$headers")/x86_64-linux-gnu/"
    break
  done
  echo "collected in build/gpu-deps: $(ls "$deps/include" | tr '\n' ' ')($(du -sh "$deps" | cut -f1))"
}

rehearse=
case ${1:-} in
  --collect) collect; exit ;;
  --rehearse) rehearse=1 ;;
  "") ;;
  *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

passed=0 failed=0
ok() { passed=$((passed + 1)); echo "ok     $1"; }
bad() { failed=$((failed + 1)); echo "FAILED $1${2:+: $2}"; }
check() { if [ "$2" -eq 0 ]; then ok "$1"; else bad "$1" "${3:-}"; fi; }
finish() { echo "$passed passed, $failed failed"; [ $failed -eq 0 ]; exit; }
# has TEXT PATTERN: status 0 if a line of TEXT matches.
has() { grep -Eq -- "$2" <<<"$1"; }

python=${PYTHON:-}
for candidate in python3.12 python3 "$HOME"/.pyenv/versions/3.12.*/bin/python3; do
  [ -n "$python" ] && break
  "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && python=$candidate
done
[ -n "$python" ] || { echo "check.sh: no Python 3.11 to 3.13 was found" >&2; exit 2; }
python=$("$python" -c 'import sys; print(sys.executable)')
tag=$("$python" -c 'import sys; print("%d%d" % sys.version_info[:2])')

# A CUDA library where the loader does not look: in the toolkit beside nvcc, or the wheels of this Python.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
export CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$nvcc")")")}
wheel_library() {
  "$python" -c 'import sys, glob, importlib.util as u
s = u.find_spec("nvidia")
found = [f for p in (s.submodule_search_locations if s else []) for f in sorted(glob.glob(p + "/**/" + sys.argv[1], recursive=True))]
print(found[-1] if found else "")' "$1" 2>/dev/null
}
ls "$CUDA_HOME"/lib64/libcupti.so "$CUDA_HOME"/extras/CUPTI/lib64/libcupti.so >/dev/null 2>&1 ||
  { found=$(wheel_library 'libcupti.so*'); [ -n "$found" ] && export FOOTLIGHT_CUPTI="$found"; }
ls "$CUDA_HOME"/lib64/libcublasLt.so.13 >/dev/null 2>&1 ||
  { found=$(wheel_library 'libcublasLt.so.13'); [ -n "$found" ] && export FOOTLIGHT_CUBLASLT="$found"; }

# --- build
[ -d "$deps" ] && export LD_LIBRARY_PATH=$deps/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}  # protoc's own library
log=$build/check.log
mkdir -p "$build"
cmake --preset gpu -B "$build" -DFOOTLIGHT_DEPS="$([ -d "$deps" ] && echo "$deps")" -DFOOTLIGHT_PYTHONS="$python" \
  -DPython3_EXECUTABLE="$python" -DCMAKE_DISABLE_FIND_PACKAGE_Qt6=ON -DFOOTLIGHT_WERROR=OFF -DCMAKE_CUDA_COMPILER="$nvcc" >"$log" 2>&1
status=$?
check "configured without Qt" $status "$(tail -4 "$log" | tr '\n' ' ')"
[ $status -eq 0 ] || finish
grep -q "the CUDA part is built" "$log"; check "CUDA toolkit found" $? "$(grep -o 'no CUDA.*' "$log" | head -1)"
ninja -C "$build" footlight-cuda footlight-cli gpu_check fake_cupti fake_device engine_py$tag formats_py$tag footlight_package >>"$log" 2>&1
status=$?
check "built" $status "$(grep -E '(error|undefined reference)' "$log" | grep -v '^\[' | head -3 | tr '\n' ' ') (see $log)"
[ $status -eq 0 ] || finish
! readelf -d "$build"/lib/libfootlight*.so "$build"/bin/footlight | grep -Eq 'NEEDED.*(libcuda|libcublas|libcupti|Qt)'
check "nothing links the driver, cuBLASLt, CUPTI or Qt" $?

# --- without a device, first of all: the same build
none() { env -u FOOTLIGHT_CUDA_PART CUDA_VISIBLE_DEVICES= "$@"; }
export PYTHONPATH=$build/python FOOTLIGHT_BUILD=$build FOOTLIGHT_SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1
said=$(none "$build/tests/gpu_check" device 2>&1)
has "$said" 'FAILED device found: (the CUDA driver shows no device|no CUDA driver is installed)'
check "no device: said in words" $? "$said"
said=$(none "$python" -c "import footlight as tf
for _ in range(3):
    with tf.device('/gpu:0'): x = tf.constant(1.0) + 1.0
print(x.device, float(x))" 2>&1)
[ "$(grep -c 'was asked for and is not there' <<<"$said")" = 1 ] && has "$said" 'CPU:0 2.0$'
check "no device: the same program runs on the CPU and says so once" $? "$said"

if [ -n "$rehearse" ]; then
  export FOOTLIGHT_CUDA_PART=$build/tests/libfake_device.so FOOTLIGHT_CUPTI=$build/tests/libfake_cupti.so
  export LD_LIBRARY_PATH=$build/tests/fake_driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

# --- devices and kernels from C++
said=$("$build/tests/gpu_check" device 2>&1)
status=$?
while read -r line; do
  case $line in
    ok*) ok "${line#ok     }" ;;
    FAILED*) bad "${line#FAILED }" ;;
    *) echo "       $line" ;;
  esac
done <<<"$said"
has "$said" '^ok     threads share the device' || [ $status -eq 0 ] || has "$said" FAILED; check "all C++ checks ran" $?

# --- from Python
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
said=$("$python" - 2>&1 <<'PY'
import footlight as tf
with tf.device('/gpu:0'):
    x = tf.constant([[1., 2.], [3., 4.]])
    y = tf.matmul(x, x) + x
print(len(tf.config.list_physical_devices('GPU')) > 0, y.device[-5:], [float(v) for row in y for v in row])
z = tf.function(lambda a: tf.matmul(a, a) + a)(x)
print(z.device[-5:], [float(v) for row in z.cpu() for v in row], x.cpu().device[-5:])
PY
)
[ "$said" = "True GPU:0 [8.0, 12.0, 18.0, 26.0]
GPU:0 [8.0, 12.0, 18.0, 26.0] CPU:0" ]
check "tf.device, tf.function and copies from Python" $? "$said"

said=$("$python" tests/conformance/run.py --on GPU:0 tests/conformance/scripts 2>&1)
check "scripts print the same with their ops on the GPU" $? "$(grep -A12 '^FAILED' <<<"$said" | head -40)"

# --- recorded with CUPTI
cat >"$folder/script.py" <<'PY'
import footlight as tf
a = tf.constant([[float(i * j % 7) for i in range(256)] for j in range(256)]).gpu()
for i in range(5):
    b = a + a
c = tf.matmul(b, a)
@tf.function
def f(x):
    return x * x - x
d = f(c)
print(float(tf.reduce_sum(d.cpu())))
PY
said=$("$python" -m footlight record -o "$folder/run.footlight" "$folder/script.py" 2>&1)
check "a script that uses the GPU is recorded" $? "$said"
events=$("$build/tests/gpu_check" session "$folder/run.footlight" 2>&1)
check "the session opens" $? "$events"
[ -n "${KEEP_EVENTS:-}" ] && cp "$folder/run.footlight" "$KEEP_EVENTS"
kernels=$(grep '^kind=kernel' <<<"$events")
[ "$(grep -c 'op=AddV2' <<<"$kernels")" = 5 ]; check "each add's kernel names its op" $? "$(head -3 <<<"$events")"
has "$kernels" 'op=MatMul call=no'; check "the product's kernel names its op" $? "$(grep -v AddV2 <<<"$kernels" | head -3)"
has "$kernels" 'op=Mul call=yes' && has "$kernels" 'op=Sub call=yes'
check "kernels of a traced call name op and call" $? "$(tail -2 <<<"$kernels")"
has "$events" 'kind=memcpy .*bytes=262144 .*name=copy host to device' && has "$events" 'kind=memcpy .*bytes=262144 .*name=copy device to host'
check "copies both ways, with their bytes" $? "$(grep kind=memcpy <<<"$events" | head -3)"
has "$events" '^kind=runtime op=AddV2 .*name=cudaLaunch' && has "$events" '^kind=driver'
check "API calls, with their op" $? "$(grep -E '^kind=(runtime|driver)' <<<"$events" | head -3)"
# A kernel starts after its op, and less than a second later: the device's clock agrees with the host's.
awk '/^kind=kernel op=[^-]/ { n++; for (i = 1; i <= NF; i++) if ($i ~ /^after_op_ms=/) { t = substr($i, 13) + 0; if (t < -0.5 || t > 1000) late++ } }
     END { exit !(n > 0 && late == 0) }' <<<"$events"
check "device times fit the host's" $? "$(head -2 <<<"$kernels")"
[ -n "$kernels" ] && ! has "$events" '^(dropped|note)='; check "nothing dropped, nothing to note" $? "$(grep -E '^(dropped|note)=' <<<"$events" | head -2)"
has "$events" '^device=1 name=/gpu:0'; check "the session names the GPU" $?
said=$("$build/bin/footlight" info --json "$folder/run.footlight" 2>&1)
check "footlight info reads it" $? "$said"

# --- everything around a device, with the fake one
said=$(env -u FOOTLIGHT_CUPTI -u FOOTLIGHT_CUDA_PART "$python" tests/gpu/test_device.py 2>&1)
check "the tests with a fake device" $? "$(tail -15 <<<"$said")"
finish
