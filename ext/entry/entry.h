/* Functions that end an execution or a connection in all folders. The entry point uses
** them, and so do tests that make a connection by hand. */
#ifndef GPUGRAPH_ENTRY_H
#define GPUGRAPH_ENTRY_H

#include "base/connection.h"

extern const struct connection_ends connection_ends;

#endif
