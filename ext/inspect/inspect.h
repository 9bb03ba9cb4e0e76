/* gpugraph_version, _triangles; settings.c: _config; lists.c: _settings, _devices, _methods,
** _graphs, _timings. */
#ifndef GPUGRAPH_INSPECT_H
#define GPUGRAPH_INSPECT_H

#include "base/connection.h"

int inspect_register(connection *c);

#endif
