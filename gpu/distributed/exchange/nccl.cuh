/* NCCL, which is loaded by name on first use and needs not be there. What of it is called is declared here:
** its header is not needed to build, and the library is never linked. */
#ifndef GPUGRAPH_NCCL_CUH
#define GPUGRAPH_NCCL_CUH

#include <cuda_runtime.h>
#include <stddef.h>

typedef struct ncclComm *nccl_communicator;

enum { NCCL_SUCCESS = 0, NCCL_BYTES = 0 /* its type of single bytes */ };

struct nccl_id { /* of a communicator, the same for all that join */
    char bytes[128];
};

struct nccl_calls {
    int (*new_id)(nccl_id *id);
    int (*join)(nccl_communicator *comm, int parts, nccl_id id, int part);
    int (*abandon)(nccl_communicator comm); /* whatever others wait for */
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer,
                nccl_communicator comm, cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int peer, nccl_communicator comm,
                   cudaStream_t stream);
    const char *(*error)(int result);
};

/* NULL: it cannot be used, and *why says so. */
const struct nccl_calls *gg_nccl(const char **why);

#endif
