/* gpugraph for programs that carry SQLite inside: link libgpugraph.a and either call
** the entry point for one connection, or for every connection to come:
**
**     sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
**
** The loadable file gpugraph.so has the same entry point; there SQLite passes its own
** functions as api. */
#ifndef GPUGRAPH_EXTENSION_H
#define GPUGRAPH_EXTENSION_H

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/* Registers gpu_bfs, gpu_sssp, gpu_path, gpu_dfs, gpu_mis and the gpugraph_ functions
** with db. On failure *error is a sentence for sqlite3_free. api is NULL in a program
** linked with SQLite. */
int sqlite3_gpugraph_init(sqlite3 *db, char **error,
                          const struct sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif
#endif
