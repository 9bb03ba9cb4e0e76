#!/bin/sh
# The extension brings no threads but its own pool's: a runtime of OpenMP in it would meet the host's.
set -eu
for built in "$GPUGRAPH_BUILD/gpugraph.so" "$GPUGRAPH_BUILD/libgpugraph.a"; do
    if names=$(nm "$built" 2>/dev/null | grep -E ' U (GOMP_|omp_|__kmpc_)'); then
        echo "$built calls OpenMP:"
        echo "$names"
        exit 1
    fi
done
! ldd "$GPUGRAPH_BUILD/gpugraph.so" | grep -E 'lib(g|i)?omp'
