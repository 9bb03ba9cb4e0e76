/* gpugraph_settings, _devices, _methods, _graphs, _timings. */
#ifndef GPUGRAPH_LISTS_H
#define GPUGRAPH_LISTS_H

#include "base/connection.h"

int lists_register(connection *c);

#endif
