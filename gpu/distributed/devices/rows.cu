/* Distributes the rows of a graph over the devices of a team, and uploads the rows of a
** partition to its own device.
**
**     host        rows of the whole graph by vertex number (graph/csr.c), or of the
**                 masters of a partition
**        |  threads: numbers become places, the arcs of a row are sorted by owner
**     piece       rows of successive places of one member
**        |  upload
**     member      offset, target, weight */
#include "device/parts.cuh"
#include "graph/graph.h"
#include "several.cuh"

#include <string.h>

#include <algorithm>

/* Arcs of a piece, or of one longer row: 64 MB of targets. */
static const uint64_t PIECE_ARCS = 1 << 24;

struct dealing {
    struct several_team *team;
    const csr *from;
    const uint64_t *number; /* of each end of an arc, if a partition has the rows */
    struct several_parts *parts;
    int member;       /* the member that gets rows */
    uint64_t *offset; /* offsets of the member's rows */
    uint32_t first;   /* row of the piece */
    uint32_t *target; /* arcs of the piece */
    char *weight;
};

/* The host's index of the row. */
static uint64_t row_on_host(const struct dealing *d, uint64_t row) {
    return d->number
               ? row
               : several_number_of(&d->parts->places, (uint32_t)d->member, (uint32_t)row);
}

static uint32_t place_of_end(const struct dealing *d, uint32_t end) {
    return several_place(&d->parts->places, d->number ? (uint32_t)d->number[end] : end);
}

/* Puts the length of row i into offset[i + 1], for rows low .. high - 1. */
static void measure_rows(void *dealing, uint64_t low, uint64_t high) {
    struct dealing *d = (struct dealing *)dealing;
    for (uint64_t row = low; row < high && !gg_leave(d->team->run, row); row++) {
        const uint64_t v = row_on_host(d, row);
        d->offset[row + 1] = d->from->end[v] - d->from->begin[v];
    }
}

/* Sorts the arcs of one row by owner. The sort is stable, so rows that ascend by number
** also ascend by place. */
static void deal_row(const struct dealing *d, uint64_t v, uint64_t to) {
    const struct several_places *places = &d->parts->places;
    const size_t bytes = d->parts->weight_bytes;
    const uint64_t begin = d->from->begin[v], end = d->from->end[v];
    uint64_t next[SEVERAL_MOST + 1] = {to};
    for (uint64_t a = begin; a < end; a++)
        next[several_owner(places, place_of_end(d, d->from->target[a])) + 1]++;
    for (uint32_t q = 0; q < places->parts; q++)
        next[q + 1] += next[q];
    for (uint64_t a = begin; a < end; a++) {
        const uint32_t place = place_of_end(d, d->from->target[a]);
        const uint64_t at = next[several_owner(places, place)]++;
        d->target[at] = place;
        if (bytes)
            memcpy(d->weight + at * bytes, (const char *)d->from->weight + a * bytes,
                   bytes);
    }
}

/* Deals rows low .. high - 1 of the piece. */
static void deal_rows(void *dealing, uint64_t low, uint64_t high) {
    const struct dealing *d = (const struct dealing *)dealing;
    uint64_t since = 0;
    for (uint64_t i = low; i < high; i++) {
        const uint64_t row = d->first + i, arcs = d->offset[row + 1] - d->offset[row];
        deal_row(d, row_on_host(d, row), d->offset[row] - d->offset[d->first]);
        if (gg_worked(d->team->run, &since, arcs))
            return;
    }
}

static void in_chunks(const struct dealing *d, uint64_t rows, gg_span *range) {
    enum { CHUNK = 1 << 10 };
    gg_chunks(gg_threads(d->team->run, rows), rows, CHUNK, range, (void *)d);
}

/* Makes offsets of the member's rows. Places without a vertex have empty rows. */
static bool make_offsets(struct dealing *d, uint64_t *longest) {
    const uint32_t vertices = d->parts->vertices[d->member];
    const uint64_t stride = d->parts->places.stride;
    d->offset = (uint64_t *)gg_alloc_zero(d->team->run, stride + 1, sizeof *d->offset);
    if (!d->offset)
        return false;
    in_chunks(d, vertices, measure_rows);
    *longest = 0;
    for (uint64_t row = 0; row < stride; row++) {
        *longest = d->offset[row + 1] > *longest ? d->offset[row + 1] : *longest;
        d->offset[row + 1] += d->offset[row];
    }
    return !gg_stopping(d->team->run);
}

/* The end of the longest run of rows from d->first with at most `room` arcs. */
static uint32_t end_of_piece(const struct dealing *d, uint64_t room) {
    const uint32_t vertices = d->parts->vertices[d->member];
    uint32_t end = d->first;
    while (end < vertices && d->offset[end + 1] - d->offset[d->first] <= room)
        end++;
    return end;
}

static void send_pieces(struct dealing *d, uint64_t room) {
    struct cuda_job *job = gg_several_on(d->team, d->member);
    const struct several_rows *rows = &d->parts->rows[d->member];
    const size_t bytes = d->parts->weight_bytes;
    for (d->first = 0; d->first < d->parts->vertices[d->member];) {
        const uint32_t end = end_of_piece(d, room);
        const uint64_t at = d->offset[d->first], arcs = d->offset[end] - at;
        in_chunks(d, end - d->first, deal_rows);
        if (gg_stopping(d->team->run))
            gg_stopped(d->team->run);
        if (!gg_several_going(d->team) ||
            !gg_upload(job, rows->target + at, d->target, arcs * sizeof *d->target) ||
            (bytes &&
             !gg_upload(job, (char *)rows->weight + at * bytes, d->weight, arcs * bytes)))
            return;
        d->first = end;
    }
}

static bool take_rows(struct dealing *d) {
    struct several_rows *rows = &d->parts->rows[d->member];
    const uint64_t entries = (uint64_t)d->parts->places.stride + 1;
    struct cuda_job *job = gg_several_on(d->team, d->member);
    struct workspace space = {NULL, 0};
    rows->arcs = d->offset[entries - 1];
    for (int pass = 0; pass < 2; pass++) { /* sizes, then addresses */
        rows->offset = gg_carve<uint64_t>(&space, entries);
        rows->target = gg_carve<uint32_t>(&space, rows->arcs);
        if (d->parts->weight_bytes)
            rows->weight = gg_carve<char>(&space, rows->arcs * d->parts->weight_bytes);
        if (pass > 0)
            break;
        rows->bytes = space.used;
        rows->block = gg_take(job, rows->bytes);
        space = {static_cast<unsigned char *>(rows->block), 0};
    }
    return rows->block &&
           gg_upload(job, rows->offset, d->offset, entries * sizeof *rows->offset);
}

static bool deal_to_member(struct dealing *d) {
    gpugraph_run *run = d->team->run;
    uint64_t longest;
    if (make_offsets(d, &longest) && take_rows(d)) {
        const uint64_t room =
            std::min(d->offset[d->parts->places.stride], std::max(longest, PIECE_ARCS));
        d->target = (uint32_t *)gg_alloc(run, room, sizeof *d->target);
        d->weight = (char *)gg_alloc(run, room, d->parts->weight_bytes);
        if (d->target && d->weight)
            send_pieces(d, room);
        gg_release(d->target);
        gg_release(d->weight);
        d->parts->arcs += d->parts->rows[d->member].arcs;
        if (longest > d->parts->most_arcs)
            d->parts->most_arcs = longest;
    }
    gg_release(d->offset);
    if (gg_stopping(run))
        gg_stopped(run);
    return gg_several_wait(d->team);
}

bool gg_several_deal(struct several_team *team, const csr *rows, const uint64_t *number,
                     struct several_parts *parts) {
    struct dealing d = {team, rows, number, parts, team->first, NULL, 0, NULL, NULL};
    for (int p = 0; p < team->parts; p++)
        parts->vertices[p] = several_vertices(&parts->places, (uint32_t)p);
    while (d.member < team->end && deal_to_member(&d))
        d.member++;
    if (d.member == team->end)
        return true;
    for (int p = team->first; p < team->end; p++) {
        gg_several_on(team, p);
        gg_several_free_rows(parts, p);
    }
    return false;
}

/* ---- memory ---- */

uint64_t gg_several_rows_bytes(const struct several_parts *parts, int p) {
    const struct several_rows *rows = &parts->rows[p];
    return (rows->block ? rows->bytes : 0) +
           (rows->hub ? several_hub_bytes(&parts->places) : 0) +
           gg_light_bytes(&rows->light);
}

void gg_several_free_rows(struct several_parts *parts, int p) {
    struct several_rows *rows = &parts->rows[p];
    gg_free_block(rows->block, rows->bytes);
    gg_free_block(rows->hub, several_hub_bytes(&parts->places));
    gg_drop_light(&rows->light);
    *rows = several_rows();
}

uint64_t gg_several_most_arcs(const struct several_parts *parts) {
    uint64_t most = 0;
    for (uint32_t p = 0; p < parts->places.parts; p++)
        most = parts->rows[p].arcs > most ? parts->rows[p].arcs : most;
    return most;
}
