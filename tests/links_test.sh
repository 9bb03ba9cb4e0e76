#!/bin/sh
# The extension uses only the threads of its own pool: an OpenMP runtime in it could conflict with the host's.
set -eu
for built in "$GPUGRAPH_BUILD/gpugraph.so" "$GPUGRAPH_BUILD/libgpugraph.a"; do
    if names=$(nm "$built" 2>/dev/null | grep -E ' U (GOMP_|omp_|__kmpc_)'); then
        echo "$built calls OpenMP:"
        echo "$names"
        exit 1
    fi
done
! ldd "$GPUGRAPH_BUILD/gpugraph.so" | grep -E 'lib(g|i)?omp'
