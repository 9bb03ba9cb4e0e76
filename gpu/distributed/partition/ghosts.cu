/* Bits and values from masters to ghosts, and back, by messages from device to device. */
#include "device.cuh"

/* Bitmaps of places become those of ghosts, or (`back`) those of ghosts become those of places. */
static bool move_bits(struct cuda_job *job, gpugraph_part *p, uint32_t *places,
                      uint32_t *ghosts, uint32_t maps, bool back) {
    const struct part_device *d = p->device;
    for (uint32_t map = 0; map < maps && gg_going(job); map++) {
        auto of_places = [&](uint32_t q) -> struct part_piece {
            return {places + map * part_words_out(p) + d->first_out[q] / 32,
                    (d->first_out[q + 1] - d->first_out[q]) / 8};
        };
        auto of_ghosts = [&](uint32_t q) -> struct part_piece {
            return {ghosts + map * part_words_in(p) + d->first_in[q] / 32,
                    (d->first_in[q + 1] - d->first_in[q]) / 8};
        };
        if (back)
            part_swap_with_each(job, p, of_ghosts, of_places);
        else
            part_swap_with_each(job, p, of_places, of_ghosts);
    }
    return gg_going(job);
}

bool part_swap_bits(struct cuda_job *job, gpugraph_part *p, uint32_t *out, uint32_t *in,
                    uint32_t maps) {
    return move_bits(job, p, out, in, maps, false);
}

bool part_return_bits(struct cuda_job *job, gpugraph_part *p, uint32_t *ghosts,
                      uint32_t *places, uint32_t maps) {
    return move_bits(job, p, places, ghosts, maps, true);
}

bool part_fetch(struct cuda_job *job, gpugraph_part *p, void *to, const void *from,
                size_t bytes) {
    if (bytes > GG_MAILBOX)
        return part_wait(job, p) && gg_fetch(job, to, from, bytes);
    if (!gg_going(job) ||
        !gg_note(job,
                 cudaMemcpyAsync(job->device->mailbox, from, bytes,
                                 cudaMemcpyDeviceToHost, job->stream),
                 "send a result") ||
        !part_wait(job, p))
        return false;
    memcpy(to, job->device->mailbox, bytes);
    return true;
}

/* One thread per place. */
static __global__ void pick_values(const uint32_t *place, uint64_t places,
                                   const uint32_t *value, uint32_t *room) {
    for (uint64_t i = gg_thread(); i < places; i += (uint64_t)gridDim.x * blockDim.x)
        if (place[i] != GPUGRAPH_NONE)
            room[i] = value[place[i]];
}

/* Of places to ghosts, or (`back`) of ghosts to places. */
static bool move_values(struct cuda_job *job, gpugraph_part *p, uint32_t *value,
                        uint32_t *room, bool back) {
    const struct part_device *d = p->device;
    auto of_places = [&](uint32_t q) -> struct part_piece {
        return {room + d->first_out[q], p->peer[q].masters * sizeof *value};
    };
    auto of_ghosts = [&](uint32_t q) -> struct part_piece {
        return {value + p->peer[q].first_ghost, p->peer[q].ghosts * sizeof *value};
    };
    return back ? part_swap_with_each(job, p, of_ghosts, of_places)
                : part_swap_with_each(job, p, of_places, of_ghosts);
}

bool part_send_values(struct cuda_job *job, gpugraph_part *p, uint32_t *value,
                      uint32_t *room) {
    const uint32_t parts = p->exchange->parts;
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[parts];
    if (parts == 1 || !gg_going(job))
        return gg_going(job);
    if (places > 0) {
        pick_values<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(
            d->place, places, value, room);
        gg_launched(job, "pick_values");
    }
    return move_values(job, p, value, room, false);
}

bool part_return_values(struct cuda_job *job, gpugraph_part *p, uint32_t *value,
                        uint32_t *room) {
    return move_values(job, p, value, room, true);
}
