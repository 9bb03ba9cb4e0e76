/* Values of masters that have changed go to their ghosts, between devices of parts: what gg_broadcast is on the CPU. */
#ifndef GPUGRAPH_MULTI_CHANGES_CUH
#define GPUGRAPH_MULTI_CHANGES_CUH

#include "device.cuh"
#include "message.cuh"

/* How long messages are, as both of their sides know: on the host, by peer. A message has room for twice as many values as
** changed the last time; those beyond go at once in one more. */
struct part_rooms {
    size_t size;        /* bytes of a value */
    uint32_t *out, *in; /* values; 0: no message */
    uint64_t *first_out,
        *first_in; /* bytes of the longest messages to and from those before; and of all */
};

bool part_rooms_open(const gpugraph_part *p, gpugraph_run *run, size_t size,
                     struct part_rooms *rooms);
void part_rooms_close(struct part_rooms *rooms);
/* The message to part q, or from it, in a block of rooms->first_out[parts] bytes, or of first_in[parts]. */
struct part_message part_message_to(const gpugraph_part *p,
                                    const struct part_rooms *rooms, uint32_t q,
                                    unsigned char *out);
struct part_message part_message_from(const gpugraph_part *p,
                                      const struct part_rooms *rooms, uint32_t q,
                                      unsigned char *in);
bool part_swap_messages(struct cuda_job *job, gpugraph_part *p,
                        const struct part_rooms *rooms, unsigned char *out,
                        unsigned char *in);
/* mine[q], of `bytes` bytes, becomes all[p] at part q. */
bool part_swap_records(struct cuda_job *job, gpugraph_part *p, const void *mine,
                       void *all, size_t bytes);
/* So many values have gone to q and come from there, or should have: rooms of the messages that bring the rest of them, and
** then of the next ones. */
void part_rooms_of_rest(const gpugraph_part *p, struct part_rooms *rooms,
                        const uint64_t *gone, const uint64_t *come);
void part_rooms_of_next(const gpugraph_part *p, struct part_rooms *rooms,
                        const uint64_t *gone, const uint64_t *come);

#endif
