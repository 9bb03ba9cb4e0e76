/* Messages between parts that are processes.
**
**     size 2.5 pieces    | piece | piece | half |     a piece that is full is followed by another, so
**     size 2 pieces      | piece | piece | |          the last one, perhaps empty, says that it is
**
** Nobody waits in MPI: a process asks whether its messages have gone and come, and in between whether
** some process has failed. That is told over a communicator of its own, by who has failed to all. */
#include "gpugraph_mpi.h"
#include "base/run.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

uint64_t gpugraph_mpi_piece = (uint64_t)1 << 30;

struct alarm {
    int32_t status;
    char message[sizeof((gpugraph_run *)0)->message];
};

struct office {
    gpugraph_exchange exchange; /* first */
    MPI_Comm talk, alarms;
    bool told; /* that this part has failed */
    struct alarm alarm;
    MPI_Request
        *request; /* of each part: what comes from it; then of each: what goes there */
    MPI_Status *status;
    int *finished;
    uint64_t *moved;     /* bytes, as request */
    MPI_Request tells[]; /* of the alarm, to each part */
};

static struct office *office_of(gpugraph_exchange *x) {
    return (struct office *)x;
}

/* ---- failing ---- */

static void fail_exchange(gpugraph_exchange *x, const gpugraph_run *run) {
    struct office *o = office_of(x);
    if (o->told)
        return;
    o->told = true;
    o->alarm.status = run->status;
    memcpy(o->alarm.message, run->message, sizeof o->alarm.message);
    for (uint32_t q = 0; q < x->parts; q++)
        if (q != x->part)
            MPI_Isend(&o->alarm, sizeof o->alarm, MPI_BYTE, (int)q, 0, o->alarms,
                      &o->tells[q]);
}

static bool hears_alarm(struct office *o, gpugraph_run *run) {
    struct alarm heard;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, o->alarms, &there, MPI_STATUS_IGNORE);
    if (!there)
        return false;
    MPI_Recv(&heard, sizeof heard, MPI_BYTE, MPI_ANY_SOURCE, 0, o->alarms,
             MPI_STATUS_IGNORE);
    o->told = true; /* by the other one */
    gg_fail(run, (gpugraph_status)heard.status, "%s", heard.message);
    return true;
}

static bool hear_exchange(gpugraph_exchange *x, gpugraph_run *run) {
    return hears_alarm(office_of(x), run);
}

static bool works(int code, gpugraph_run *run) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    gg_fail(run, GPUGRAPH_INVALID, "MPI: %.300s", text);
    return false;
}

/* Nothing has happened: may the process go on waiting? */
static bool waits_on(struct office *o, gpugraph_run *run) {
    if (hears_alarm(o, run))
        return false;
    if (gg_poll(run)) {
        gg_stopped(run);
        return false;
    }
    gg_yield();
    return true;
}

static gpugraph_status ended(struct office *o, gpugraph_run *run) {
    o->exchange.meetings++;
    if (run->status != GPUGRAPH_OK)
        fail_exchange(&o->exchange, run);
    return run->status;
}

/* ---- swap ---- */

static int piece_of(uint64_t left) {
    return (int)(left < gpugraph_mpi_piece ? left : gpugraph_mpi_piece);
}

static bool receive_piece(struct office *o, gpugraph_run *run, const gpugraph_parcel *in,
                          uint32_t q) {
    return works(MPI_Irecv((char *)in[q].bytes + o->moved[q],
                           piece_of(in[q].room - o->moved[q]), MPI_BYTE, (int)q, 0,
                           o->talk, &o->request[q]),
                 run);
}

static bool send_piece(struct office *o, gpugraph_run *run, const gpugraph_parcel *out,
                       uint32_t q) {
    const uint32_t k = o->exchange.parts + q;
    return works(MPI_Isend((const char *)out[q].bytes + o->moved[k],
                           piece_of(out[q].size - o->moved[k]), MPI_BYTE, (int)q, 0,
                           o->talk, &o->request[k]),
                 run);
}

static void begin_swap(struct office *o, gpugraph_run *run, const gpugraph_parcel *out,
                       gpugraph_parcel *in) {
    const uint32_t parts = o->exchange.parts, part = o->exchange.part;
    for (uint32_t k = 0; k < 2 * parts; k++) {
        o->request[k] = MPI_REQUEST_NULL;
        o->moved[k] = 0;
    }
    for (uint32_t q = 0; q < parts; q++)
        if (q != part && in[q].room > 0 && !receive_piece(o, run, in, q))
            return;
    for (uint32_t i = 1; i < parts; i++) { /* not all to the same one first */
        const uint32_t q = (part + i) % parts;
        if (out[q].room > 0 && !send_piece(o, run, out, q))
            return;
    }
}

/* A piece has gone or come: another may follow. */
static void piece_moved(struct office *o, gpugraph_run *run, const gpugraph_parcel *out,
                        const gpugraph_parcel *in, uint32_t k, MPI_Status *status) {
    const uint32_t parts = o->exchange.parts;
    int bytes = 0;
    if (k < parts)
        MPI_Get_count(status, MPI_BYTE, &bytes);
    else
        bytes = piece_of(out[k - parts].size - o->moved[k]);
    o->moved[k] += (uint64_t)bytes;
    if ((uint64_t)bytes < gpugraph_mpi_piece)
        return;
    if (k < parts)
        receive_piece(o, run, in, k);
    else
        send_piece(o, run, out, k - parts);
}

static void keep_own(uint32_t part, gpugraph_run *run, const gpugraph_parcel *out,
                     gpugraph_parcel *in) {
    const uint64_t size = in[part].room > 0 ? out[part].size : 0;
    if (size > in[part].room)
        gg_fail(run, GPUGRAPH_INVALID, "part %u sends %llu bytes, %llu are expected",
                part, (unsigned long long)size, (unsigned long long)in[part].room);
    else if (size > 0)
        memcpy(in[part].bytes, out[part].bytes, size);
    in[part].size = size;
}

/* Swapped, as far as one look tells; false: not yet, or the run must end. */
static bool has_swapped(struct office *o, gpugraph_run *run, const gpugraph_parcel *out,
                        const gpugraph_parcel *in, bool *moved) {
    int count = 0;
    *moved = false;
    if (!works(MPI_Testsome((int)(2 * o->exchange.parts), o->request, &count, o->finished,
                            o->status),
               run))
        return false;
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        piece_moved(o, run, out, in, (uint32_t)o->finished[i], &o->status[i]);
    *moved = count != 0;
    return count == MPI_UNDEFINED;
}

static void end_swap(struct office *o, gpugraph_parcel *in) {
    gpugraph_exchange *x = &o->exchange;
    for (uint32_t q = 0; q < x->parts; q++)
        if (q != x->part) {
            in[q].size = o->moved[q];
            x->received += o->moved[q];
            x->sent += o->moved[x->parts + q];
        }
}

/* Both are under way at the same time. */
static gpugraph_status swap_and_gather(gpugraph_exchange *x, gpugraph_run *run,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all) {
    struct office *o = office_of(x);
    MPI_Request request = MPI_REQUEST_NULL;
    bool swapped = !out, moved = false;
    int gathered = bytes == 0;
    if (bytes)
        works(MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                             o->talk, &request),
              run);
    if (out && run->status == GPUGRAPH_OK) {
        begin_swap(o, run, out, in);
        keep_own(x->part, run, out, in);
    }
    while (run->status == GPUGRAPH_OK && !(swapped && gathered)) {
        moved = false;
        if (!swapped)
            swapped = has_swapped(o, run, out, in, &moved);
        if (!gathered && run->status == GPUGRAPH_OK)
            works(MPI_Test(&request, &gathered, MPI_STATUS_IGNORE), run);
        if (run->status == GPUGRAPH_OK && !moved && !(swapped && gathered))
            waits_on(o, run);
    }
    if (out)
        end_swap(o, in);
    x->sent += bytes;
    x->received += bytes * (x->parts - 1);
    return ended(o, run);
}

/* ---- opening ---- */

static const gpugraph_exchange_calls calls = {swap_and_gather, hear_exchange,
                                              fail_exchange};

static bool make_room_of_exchange(struct office *o, uint32_t parts) {
    o->request = malloc(2 * parts * sizeof *o->request);
    o->status = malloc(2 * parts * sizeof *o->status);
    o->finished = malloc(2 * parts * sizeof *o->finished);
    o->moved = malloc(2 * parts * sizeof *o->moved);
    return o->request && o->status && o->finished && o->moved;
}

static void release_exchange(struct office *o) {
    free(o->request);
    free(o->status);
    free(o->finished);
    free(o->moved);
    free(o);
}

gpugraph_exchange *gpugraph_mpi_open(MPI_Comm communicator) {
    int part, parts;
    MPI_Comm_rank(communicator, &part);
    MPI_Comm_size(communicator, &parts);
    struct office *o = calloc(1, sizeof *o + (size_t)parts * sizeof *o->tells);
    if (!o || !make_room_of_exchange(o, (uint32_t)parts)) {
        if (o)
            release_exchange(o);
        return NULL;
    }
    o->exchange = (gpugraph_exchange){
        .calls = &calls, .part = (uint32_t)part, .parts = (uint32_t)parts};
    MPI_Comm_dup(communicator, &o->talk);
    MPI_Comm_dup(communicator, &o->alarms);
    MPI_Comm_set_errhandler(o->talk, MPI_ERRORS_RETURN);
    return &o->exchange;
}

void gpugraph_mpi_close(gpugraph_exchange *x) {
    if (!x)
        return;
    struct office *o = office_of(x);
    MPI_Comm_free(&o->alarms);
    MPI_Comm_free(&o->talk);
    release_exchange(o);
}
