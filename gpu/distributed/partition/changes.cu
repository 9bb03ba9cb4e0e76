/* The host's side of messages with changed values: how long each is, and their way. */
#include "changes.cuh"

/* Values that any message has room for: a frontier that begins fits. */
enum { LEAST_ROOM = 256 };

/* Of a message to `places`, when so many values changed the time before. */
static uint32_t room_after(uint64_t changed, uint32_t places) {
    const uint64_t room = 2 * changed + LEAST_ROOM;
    return room < places ? (uint32_t)room : places;
}

bool part_rooms_open(const gpugraph_part *p, gpugraph_run *run, size_t size,
                     struct part_rooms *rooms) {
    const uint64_t parts = p->exchange->parts;
    rooms->size = size;
    rooms->out = static_cast<uint32_t *>(gg_alloc(run, 2 * parts, sizeof *rooms->out));
    rooms->first_out = static_cast<uint64_t *>(
        gg_alloc_zero(run, 2 * (parts + 1), sizeof *rooms->first_out));
    if (run->status != GPUGRAPH_OK)
        return false;
    rooms->in = rooms->out + parts;
    rooms->first_in = rooms->first_out + parts + 1;
    for (uint32_t q = 0; q < parts; q++) {
        const uint32_t masters = p->peer[q].masters, ghosts = p->peer[q].ghosts;
        rooms->out[q] = room_after(0, masters);
        rooms->in[q] = room_after(0, ghosts);
        rooms->first_out[q + 1] = rooms->first_out[q] + part_message_most(masters, size);
        rooms->first_in[q + 1] = rooms->first_in[q] + part_message_most(ghosts, size);
    }
    return true;
}

void part_rooms_close(struct part_rooms *rooms) {
    gg_release(rooms->out);
    gg_release(rooms->first_out);
}

struct part_message part_message_to(const gpugraph_part *p,
                                    const struct part_rooms *rooms, uint32_t q,
                                    unsigned char *out) {
    uint64_t bytes;
    return part_message_at(out + rooms->first_out[q], p->peer[q].masters, rooms->out[q],
                           rooms->size, &bytes);
}

struct part_message part_message_from(const gpugraph_part *p,
                                      const struct part_rooms *rooms, uint32_t q,
                                      unsigned char *in) {
    uint64_t bytes;
    return part_message_at(in + rooms->first_in[q], p->peer[q].ghosts, rooms->in[q],
                           rooms->size, &bytes);
}

static struct part_piece piece_at(unsigned char *at, uint32_t places, uint32_t room,
                                  size_t size) {
    uint64_t bytes = 0;
    if (room > 0)
        part_message_at(at, places, room, size, &bytes);
    return {at, bytes};
}

bool part_swap_messages(struct cuda_job *job, gpugraph_part *p,
                        const struct part_rooms *rooms, unsigned char *out,
                        unsigned char *in) {
    auto to = [&](uint32_t q) {
        return piece_at(out + rooms->first_out[q], p->peer[q].masters, rooms->out[q],
                        rooms->size);
    };
    auto from = [&](uint32_t q) {
        return piece_at(in + rooms->first_in[q], p->peer[q].ghosts, rooms->in[q],
                        rooms->size);
    };
    return part_swap_with_each(job, p, to, from);
}

bool part_swap_records(struct cuda_job *job, gpugraph_part *p, const void *mine,
                       void *all, size_t bytes) {
    const uint32_t part = p->exchange->part;
    auto to = [&](uint32_t q) -> struct part_piece {
        return {(char *)mine + q * bytes, q == part ? 0 : bytes};
    };
    auto from = [&](uint32_t q) -> struct part_piece {
        return {(char *)all + q * bytes, q == part ? 0 : bytes};
    };
    return part_swap_with_each(job, p, to, from);
}

static uint32_t rest(uint64_t changed, uint32_t room) {
    return changed > room ? (uint32_t)(changed - room) : 0;
}

void part_rooms_of_rest(const gpugraph_part *p, struct part_rooms *rooms,
                        const uint64_t *gone, const uint64_t *come) {
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        rooms->out[q] = rest(gone[q], rooms->out[q]);
        rooms->in[q] = rest(come[q], rooms->in[q]);
    }
}

void part_rooms_of_next(const gpugraph_part *p, struct part_rooms *rooms,
                        const uint64_t *gone, const uint64_t *come) {
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        rooms->out[q] = room_after(gone[q], p->peer[q].masters);
        rooms->in[q] = room_after(come[q], p->peer[q].ghosts);
    }
}
