#!/usr/bin/env bash
# Installs missing packages, builds, runs every test, and ends with "N passed, N failed, N skipped".
#   tests/run.sh
# Environment:
#   BUILD=build                     the build folder
#   GPUGRAPH_CUDA=AUTO|ON|OFF       AUTO compiles the CUDA backend for the devices of this machine; ON for all supported
#   CUDA_ARCHITECTURES=90           compiles it for these architectures, also without a device
#   BUILD_TYPE=RelWithDebInfo       CMake's build type
#   GPUGRAPH_SANITIZE=address|thread
#   GPUGRAPH_WERROR=ON              warnings are errors
#   CUDA_FLAGS="-O2 -DNDEBUG"       CMake's flags for nvcc
#   CC=clang                        the C compiler (at the first run in a build folder)
#   TESTS=regex                     only the tests whose names match
#   LABEL=sqlite                    only the tests with that label
#   EXCEPT=regex                    without the tests whose names match
#   HOST_SQLITE=folder              tests run with libsqlite3.so.0 and sqlite3 of this folder
#   JOBS=n                          parallel compilations and tests
#   GPUGRAPH_TEST_SHARE=3           a third of the random seeds and failing allocations (support/share.h)
#   GPUGRAPH_TEST_TURNS=3           a third of the turns of a case (support/suite.h)
#   GPUGRAPH_TEST_NARROW_EDGES=0    edge numbers of 64 bits for all graphs (support/suite.h)
#   GPUGRAPH_TEST_SORTED=20         dynamic graphs announce batches from 20 insertions on (support/suite.h)
#   GPUGRAPH_TEST_CELLS=1           a device decodes tables of any size (support/suite.h)
#   GPUGRAPH_TEST_BACKENDS="cpu cuda"   default: cpu, and cuda if a device is found
#   GPUGRAPH_SHARED_DATA=folder     larger graphs; without it tests that need them are skipped
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=${BUILD:-$root/build}
jobs=${JOBS:-$(nproc)}
export GPUGRAPH_SHARED_DATA=${GPUGRAPH_SHARED_DATA:-$root/../shared/data}

.ci/install build-essential cmake pkg-config libsqlite3-dev sqlite3 check xz-utils
.ci/install libopenmpi-dev openmpi-bin || echo "without MPI gpugraph-mpi is neither built nor tested"

# The output of a step is shown only if the step fails; its time is always shown.
quietly() {
    local log=$build/$1.log TIMEFORMAT="$1: %0R s, %0U + %0S s of CPU"
    shift
    time { "$@" >"$log" 2>&1 || { tail -n 60 "$log" && return 1; }; }
}
compile() {
    local TIMEFORMAT="build: %0R s, %0U + %0S s of CPU"
    time .ci/progress "$build/build.log" cmake --build "$build" -j "$jobs"
}

mkdir -p "$build"
build=$(cd "$build" && pwd)
type=${BUILD_TYPE:-RelWithDebInfo}
options=(-DGPUGRAPH_TESTS=ON -DGPUGRAPH_CUDA="${GPUGRAPH_CUDA:-AUTO}"
         -DCMAKE_BUILD_TYPE="$type"
         -DGPUGRAPH_SANITIZE="${GPUGRAPH_SANITIZE:-}"
         -DGPUGRAPH_WERROR="${GPUGRAPH_WERROR:-OFF}")
[ -z "${CUDA_ARCHITECTURES:-}" ] || options+=(-DCMAKE_CUDA_ARCHITECTURES="$CUDA_ARCHITECTURES")
[ -z "${CUDA_FLAGS:-}" ] || options+=("-DCMAKE_CUDA_FLAGS_${type^^}=$CUDA_FLAGS")
nvcc=${CUDACXX:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)}
[ -z "$nvcc" ] || export CUDACXX=$nvcc
if ! { quietly configure cmake -S "$root" -B "$build" "${options[@]}" &&
       compile; }; then
    echo "the build failed (logs: $build/*.log)"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

backends=cpu
if grep -q '^GPUGRAPH_WITH_CUDA:INTERNAL=ON' "$build/CMakeCache.txt" && { [ -e /dev/nvidiactl ] || nvidia-smi -L >/dev/null 2>&1; }; then
    backends="cpu cuda"
fi
export GPUGRAPH_TEST_BACKENDS=${GPUGRAPH_TEST_BACKENDS:-$backends}

# The counts below decide the exit status: a test that never ran is a failure, too.
all_tests() {
    local paths=()
    [ -z "${HOST_SQLITE:-}" ] || paths=(env LD_LIBRARY_PATH="$HOST_SQLITE" PATH="$HOST_SQLITE:$PATH")
    "${paths[@]}" ctest --test-dir "$build" -j "$jobs" --output-on-failure --output-junit "$build/tests.xml" \
        ${TESTS:+-R "$TESTS"} ${LABEL:+-L "$LABEL"} ${EXCEPT:+-E "$EXCEPT"} || true
}
quietly tests all_tests

# A Check program counts as its checks, every other test as one.
[ -s "$build/tests.xml" ] || { cat "$build/tests.log"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
awk -v backends="$GPUGRAPH_TEST_BACKENDS" -v log_file="$build/tests.log" '
    function close_case() {
        if (name == "") return
        if (status == "run" && !checks) passed++
        if (status == "notrun" || status == "disabled") {
            skipped++
            print "skipped  " name (why ? ": " why : "")
        }
        if (status == "fail" && !bad) failed++
        if (status == "fail") print "FAILED   " name
        name = ""
    }
    /<testcase / {
        name = $0; sub(/.*name="/, "", name); sub(/".*/, "", name)
        status = $0; sub(/.*status="/, "", status); sub(/".*/, "", status)
        checks = bad = 0; why = ""
    }
    /skipped: / { why = $0; sub(/.*skipped: /, "", why); sub(/<.*/, "", why) }
    /[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
        line = $0; sub(/.*Checks: /, "", line); split(line, n, /[^0-9]+/)
        checks += n[1]; bad += n[2] + n[3]; passed += n[1] - n[2] - n[3]; failed += n[2] + n[3]
    }
    /<\/testcase>/ { close_case() }
    END {
        if (failed) { while ((getline text < log_file) > 0) print text }
        if (!passed) failed++
        print "backends: " backends
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }' "$build/tests.xml"
