/* What all folders do when an execution or a connection ends: for the entry point, and
** for tests that make a connection by hand. */
#ifndef GPUGRAPH_ENTRY_H
#define GPUGRAPH_ENTRY_H

#include "base/connection.h"

extern const struct connection_ends connection_ends;

#endif
