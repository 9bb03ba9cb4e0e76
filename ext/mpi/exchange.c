/* The exchange between processes.
**
**     room 2.5 pieces, size 1.5    | piece | half | none |
**
** MPI counts by int, so a parcel goes in as many pieces as its room has; the last ones
** may be empty. No process blocks in MPI. Each process polls for messages and for alarms.
** A process that fails sends an alarm to all others over a separate communicator. */
#include "gpugraph_mpi.h"
#include "base/run.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_PIECE = 1 << 30 }; /* bytes */

struct alarm {
    int32_t status;
    char message[sizeof((gpugraph_run *)0)->message];
};

struct mpi_exchange {
    gpugraph_exchange exchange; /* must be first */
    uint64_t piece;             /* the size of a piece, in bytes */
    MPI_Comm messages, alarms;
    bool reported; /* this process's failure has been sent or received */
    struct alarm alarm;
    MPI_Request report[]; /* sends of the alarm, by process */
};

/* ---- failing ---- */

static void fail_exchange(gpugraph_exchange *x, const gpugraph_run *run) {
    struct mpi_exchange *o = (struct mpi_exchange *)x;
    if (o->reported)
        return;
    o->reported = true;
    o->alarm.status = run->status;
    memcpy(o->alarm.message, run->message, sizeof o->alarm.message);
    for (uint32_t q = 0; q < x->parts; q++)
        if (q != x->part)
            MPI_Isend(&o->alarm, sizeof o->alarm, MPI_BYTE, (int)q, 0, o->alarms,
                      &o->report[q]);
}

static bool hear_exchange(gpugraph_exchange *x, gpugraph_run *run) {
    struct mpi_exchange *o = (struct mpi_exchange *)x;
    struct alarm received_alarm;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, o->alarms, &there, MPI_STATUS_IGNORE);
    if (!there)
        return false;
    MPI_Recv(&received_alarm, sizeof received_alarm, MPI_BYTE, MPI_ANY_SOURCE, 0,
             o->alarms, MPI_STATUS_IGNORE);
    o->reported = true; /* by the other process */
    gg_fail(run, (gpugraph_status)received_alarm.status, "%s", received_alarm.message);
    return true;
}

static bool mpi_works(int code, gpugraph_run *run) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    gg_fail(run, GPUGRAPH_INVALID, "MPI: %.300s", text);
    return false;
}

/* Called while nothing has arrived. True if the process may wait on. */
static bool may_wait_on(gpugraph_exchange *x, gpugraph_run *run) {
    if (hear_exchange(x, run))
        return false;
    if (gg_poll(run)) {
        gg_stopped(run);
        return false;
    }
    gg_yield();
    return true;
}

/* ---- swap ---- */

/* The pieces under way between this process and the others. */
struct swap {
    MPI_Request *request; /* receives of all pieces, then sends */
    MPI_Status *status;
    int pieces;
};

static uint64_t pieces_in(const struct mpi_exchange *o, const gpugraph_parcel *parcel) {
    uint64_t pieces = 0;
    for (uint32_t q = 0; q < o->exchange.parts; q++)
        pieces += (parcel[q].room + o->piece - 1) / o->piece;
    return pieces;
}

/* The size of the piece that starts at byte `at` of `all` bytes. */
static int piece_bytes(const struct mpi_exchange *o, uint64_t all, uint64_t at) {
    const uint64_t left = all > at ? all - at : 0;
    return (int)(left < o->piece ? left : o->piece);
}

static void begin_swap(struct mpi_exchange *o, gpugraph_run *run,
                       const gpugraph_parcel *out, gpugraph_parcel *in, struct swap *s) {
    const uint32_t parts = o->exchange.parts, part = o->exchange.part;
    const uint64_t pieces = pieces_in(o, in) + pieces_in(o, out);
    s->request = gg_alloc(run, pieces, sizeof *s->request);
    s->status = gg_alloc(run, pieces, sizeof *s->status);
    for (uint32_t q = 0; q < parts; q++)
        for (uint64_t at = 0; !run->status && at < in[q].room; at += o->piece)
            mpi_works(MPI_Irecv((char *)in[q].bytes + at, piece_bytes(o, in[q].room, at),
                                MPI_BYTE, (int)q, 0, o->messages,
                                &s->request[s->pieces++]),
                      run);
    for (uint32_t i = 0; i < parts; i++) { /* start with different receivers */
        const uint32_t q = (part + i) % parts;
        for (uint64_t at = 0; !run->status && at < out[q].room; at += o->piece)
            mpi_works(MPI_Isend((const char *)out[q].bytes + at,
                                piece_bytes(o, out[q].size, at), MPI_BYTE, (int)q, 0,
                                o->messages, &s->request[s->pieces++]),
                      run);
    }
}

/* Sets the received sizes after all pieces have arrived. */
static void end_swap(struct mpi_exchange *o, const gpugraph_parcel *out,
                     gpugraph_parcel *in, const struct swap *s) {
    gpugraph_exchange *x = &o->exchange;
    int bytes, piece = 0;
    for (uint32_t q = 0; q < x->parts; q++) {
        in[q].size = 0;
        for (uint64_t at = 0; at < in[q].room;
             at += o->piece, in[q].size += (uint64_t)bytes)
            MPI_Get_count(&s->status[piece++], MPI_BYTE, &bytes);
        if (q != x->part) {
            x->received += in[q].size;
            x->sent += out[q].room > 0 ? out[q].size : 0;
        }
    }
}

/* Parcels and gathered bytes are under way together. */
static gpugraph_status swap_and_gather(gpugraph_exchange *x, gpugraph_run *run,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all) {
    struct mpi_exchange *o = (struct mpi_exchange *)x;
    MPI_Request request = MPI_REQUEST_NULL;
    struct swap s = {.pieces = 0};
    int swapped = !out, gathered = bytes == 0;
    if (bytes)
        mpi_works(MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                 o->messages, &request),
                  run);
    if (out && run->status == GPUGRAPH_OK)
        begin_swap(o, run, out, in, &s);
    while (run->status == GPUGRAPH_OK) {
        if (!swapped)
            mpi_works(MPI_Testall(s.pieces, s.request, &swapped, s.status), run);
        if (!gathered)
            mpi_works(MPI_Test(&request, &gathered, MPI_STATUS_IGNORE), run);
        if ((swapped && gathered) || run->status != GPUGRAPH_OK || !may_wait_on(x, run))
            break;
    }
    if (out && run->status == GPUGRAPH_OK)
        end_swap(o, out, in, &s);
    gg_release(s.request);
    gg_release(s.status);
    x->sent += bytes;
    x->received += bytes * (x->parts - 1);
    o->exchange.waits++;
    if (run->status != GPUGRAPH_OK)
        fail_exchange(x, run);
    return run->status;
}

/* ---- opening ---- */

static const gpugraph_exchange_calls calls = {swap_and_gather, fail_exchange};

gpugraph_exchange *gpugraph_mpi_open(MPI_Comm communicator) {
    int part, parts;
    MPI_Comm_rank(communicator, &part);
    MPI_Comm_size(communicator, &parts);
    struct mpi_exchange *o = calloc(1, sizeof *o + (size_t)parts * sizeof *o->report);
    if (!o)
        return NULL;
    const char *piece = getenv("GPUGRAPH_TEST_PIECE");
    o->piece = piece ? strtoull(piece, NULL, 10) : LARGEST_PIECE;
    o->exchange = (gpugraph_exchange){
        .calls = &calls, .part = (uint32_t)part, .parts = (uint32_t)parts};
    MPI_Comm_dup(communicator, &o->messages);
    MPI_Comm_dup(communicator, &o->alarms);
    MPI_Comm_set_errhandler(o->messages, MPI_ERRORS_RETURN);
    return &o->exchange;
}

void gpugraph_mpi_close(gpugraph_exchange *x) {
    if (!x)
        return;
    struct mpi_exchange *o = (struct mpi_exchange *)x;
    MPI_Comm_free(&o->alarms);
    MPI_Comm_free(&o->messages);
    free(o);
}
