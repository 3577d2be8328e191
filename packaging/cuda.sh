#!/usr/bin/env bash
# Installs the pinned CUDA 13.0 toolkit in build/cuda, for building the CUDA part where no toolkit is installed.
# The next configure finds it there. About 700 MB to download, mostly cuBLASLt.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

toolkit=$root/build/cuda/toolkit
if [ -x "$toolkit/bin/nvcc" ]; then exit 0; fi
install_packages build
ensure_venv
say "fetching the CUDA 13.0 toolkit into build/cuda"
mkdir -p build/cuda
"$venv/bin/python" -m pip install --disable-pip-version-check --no-deps --upgrade --retries 2 --timeout 30 \
  --target build/cuda/wheels -r packaging/cuda-requirements.txt </dev/null >build/cuda/fetch.log 2>&1 ||
  die "the toolkit could not be fetched: $(tail -n 1 build/cuda/fetch.log) (all of it: build/cuda/fetch.log)"

# The wheels hold libraries under their versioned names only; linkers and CMake look for the plain ones, in lib or lib64.
inside=$root/build/cuda/wheels/nvidia/cu13
[ -x "$inside/bin/nvcc" ] || die "the wheels hold no bin/nvcc where it was expected, in build/cuda/wheels/nvidia/cu13"
for library in "$inside"/lib/*.so.*; do
  plain=${library%%.so.*}.so
  [ -e "$plain" ] || ln -s "$(basename "$library")" "$plain"
done
[ -e "$inside/lib64" ] || ln -s lib "$inside/lib64"
ln -sfn wheels/nvidia/cu13 "$toolkit"
"$toolkit/bin/nvcc" --version | sed -n 's/^Cuda/   Cuda/p'
# Makes trees that were configured without a toolkit look again.
rm -f build/*/configured
