/* The exchange of gpugraph_parts.h over MPI: a partition for each process of a
** communicator. */
#ifndef GPUGRAPH_MPI_H
#define GPUGRAPH_MPI_H

#include "gpugraph_parts.h"

#include <mpi.h>

/* Collective: opens an exchange over a copy of the communicator. NULL: the memory does
** not suffice. Its function `fail` makes the calls of all other processes fail, too; it
** ends no process. */
gpugraph_exchange *gpugraph_mpi_open(MPI_Comm communicator);
/* Collective; not after a failure. NULL is allowed. */
void gpugraph_mpi_close(gpugraph_exchange *exchange);

#endif
