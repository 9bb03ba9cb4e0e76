/* The exchange of gpugraph_parts.h over MPI: one part for each process of a communicator. */
#ifndef GPUGRAPH_MPI_H
#define GPUGRAPH_MPI_H

#include "gpugraph_parts.h"

#include <mpi.h>

/* Collective. Messages go over a copy of the communicator. NULL: no memory. Its function `fail` tells all
** others, whose calls fail then, too; it ends no process. */
gpugraph_exchange *gpugraph_mpi_open(MPI_Comm communicator);
/* Collective, and not after a failure. NULL is allowed. */
void gpugraph_mpi_close(gpugraph_exchange *exchange);

#endif
