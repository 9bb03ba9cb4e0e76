/* One packed graph for all connections of a process that see equal rows.
**
**     connection 1   graph_ref "roads"         stamp  searches --\
**     connection 2   graph_ref "roads"         stamp  searches ---- shared_graph, graph
**     connection 3   graph_ref "roads(a, b)"   stamp  searches --/    name, users
**
** A graph's name identifies the rows that it was made from (pages/identity.c). A
** connection takes another connection's graph only if both names are equal bytes; from
** then on its own stamp shows whether the graph is current. Shared graphs never change,
** so a connection may leave one at any time, and the last one frees it. A mirror of a
** followed table changes: if it has one user, the user takes it out of the list first; if
** it has several, the user that needs the change reads the table into another graph.
**
**     READING    a connection is reading the rows; others that need them wait
**     THERE      the graph can be used
**     NOT_SHARED other connections might read the rows differently (functions in
**                generated columns): connections that have waited read alone
**     FAILED     connections that have waited try again
**
** docs/internals/kept_graphs.md says why a wait depends on no lock of SQLite. The lock
** covers steps in the list only. A child of fork() begins with an empty list, because a
** thread of its parent may have been changing the list. */
#include "shared.h"
#include "brief_lock.h"

#include <stdlib.h>
#include <string.h>

enum state { READING, THERE, NOT_SHARED, FAILED };

struct shared_graph {
    struct shared_graph *next;
    uint32_t process; /* gg_this_process() */
    enum state state;
    int users; /* graph_refs, the connection that reads, those that wait */
    loaded read;
    page_identity rows;
    bool undirected, followed;
    shared_searches searches;
    char source[];
};

static struct {
    gg_brief_lock lock;
    uint32_t process;
    shared_graph *first;
} all;

static __thread int readings; /* readings under way in this thread */

static void lock_all(void) {
    const uint32_t now = gg_this_process();
    gg_lock(&all.lock);
    if (all.process != now) {
        all.process = now;
        all.first = NULL;
    }
}

static bool is_named(const shared_graph *s, const graph_name *name) {
    /* Padding counts, and is 0 (page_identify).
    ** NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    const bool same_rows = memcmp(&s->rows, &name->rows, sizeof s->rows) == 0;
    return same_rows && s->undirected == name->undirected &&
           s->followed == name->followed && strcmp(s->source, name->source) == 0;
}

static shared_graph *new_shared(const graph_name *name) {
    const size_t length = strlen(name->source) + 1;
    shared_graph *s = malloc(sizeof *s + length);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->process = gg_this_process();
    s->users = 1;
    memcpy(&s->rows, &name->rows, sizeof s->rows);
    s->undirected = name->undirected;
    s->followed = name->followed;
    memcpy(s->source, name->source, length);
    return s;
}

/* Finds an entry other than `mine` in the locked list. A graph that is there is better
** than one that is being read. */
static shared_graph *find_shared(const graph_name *name, const shared_graph *mine) {
    shared_graph *found = NULL;
    for (shared_graph *s = all.first; s; s = s->next)
        if (s != mine && s->state <= THERE && is_named(s, name) &&
            !(s->state == THERE && gpugraph_is_lost(s->read.graph)) &&
            (!found || s->state == THERE))
            found = s;
    return found;
}

static void unlink_shared(shared_graph *s) {
    shared_graph **at = &all.first;
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}

/* Becomes a user of the graph that has this name, which may still be READING, or adds
** `made` to the list, for the caller to read. NULL: neither. */
static shared_graph *take(const graph_name *name, shared_graph *made, enum state *state) {
    lock_all();
    shared_graph *s = find_shared(name, NULL);
    if (s && s->state == READING && readings > 0) {
        s = NULL;
    } else if (s) {
        s->users++;
        *state = s->state;
    } else if (made) {
        made->next = all.first;
        all.first = s = made;
    }
    gg_unlock(&all.lock);
    return s;
}

static enum state state_of(const shared_graph *s) {
    lock_all();
    enum state state = s->state;
    gg_unlock(&all.lock);
    return state;
}

/* Waits until the reader has finished. */
static int await(connection *c, shared_graph *s, enum state *state) {
    enum { LOOKS = 20 }; /* between two polls for an interrupt: some 10 ms */
    const double pause_ms = 0.5;
    for (int look = 1; (*state = state_of(s)) == READING; look++) {
        if (look % LOOKS == 0 && connection_interrupted(c))
            return SQLITE_INTERRUPT;
        gg_sleep(pause_ms);
    }
    return SQLITE_OK;
}

enum turn { TAKE, READ, READ_ALONE };

/* Finds the graph of that name, or tells the caller to read it, for all or for itself.
** Waits while another connection reads it. */
static int join_shared(connection *c, const graph_name *name, enum turn *turn,
                       shared_graph **shared) {
    shared_graph *made = new_shared(name);
    enum state state;
    int rc = SQLITE_OK;
    do {
        state = READING;
        shared_graph *s = take(name, made, &state);
        if (s == made || !s) {
            *turn = s ? READ : READ_ALONE;
            *shared = s;
            readings += s != NULL;
            if (!s)
                free(made);
            return SQLITE_OK;
        }
        if (state == READING)
            rc = await(c, s, &state);
        *turn = state == THERE && rc == SQLITE_OK ? TAKE : READ_ALONE;
        *shared = *turn == TAKE ? s : NULL;
        if (!*shared)
            shared_release(s);
    } while (rc == SQLITE_OK && state == FAILED);
    free(made);
    return rc;
}

/* Ends a reading. read: for THERE, the graph that is shared from now on. */
static void end_reading(shared_graph *s, enum state state, const loaded *read) {
    readings--;
    lock_all();
    s->state = state;
    if (state == THERE)
        s->read = *read;
    else if (s->process == gg_this_process())
        unlink_shared(s);
    gg_unlock(&all.lock);
    if (state != THERE)
        shared_release(s);
}

loaded shared_loaded(const shared_graph *s) {
    return s->read;
}

static void report_sharing(connection *c, const shared_graph *s, double since_ms) {
    char *detail = sqlite3_mprintf("another connection of this process has read %s in "
                                   "this state",
                                   s->source);
    timings_add(&c->timings, "share", gg_now_ms() - since_ms,
                (sqlite3_int64)gpugraph_edge_count(s->read.graph), detail);
    sqlite3_free(detail);
}

int shared_load(connection *c, const graph_name *name, rows_loader *load, void *of,
                loaded *got, shared_graph **shared) {
    const double started = gg_now_ms();
    enum turn turn;
    int rc = join_shared(c, name, &turn, shared);
    if (rc)
        return rc;
    if (turn == TAKE) {
        *got = (*shared)->read;
        report_sharing(c, *shared, started);
        return SQLITE_OK;
    }
    rc = load(of, got);
    if (turn == READ_ALONE)
        return rc;
    const bool rows_alone =
        rc == SQLITE_OK && got->from_pages && !got->half_rows && !got->weight_error;
    end_reading(*shared, rc ? FAILED : rows_alone ? THERE : NOT_SHARED, got);
    if (!rows_alone)
        *shared = NULL;
    return rc;
}

shared_graph *shared_offer(const graph_name *name, shared_graph *mine,
                           const loaded *own) {
    shared_graph *made = mine ? NULL : new_shared(name);
    if (!mine && !made)
        return NULL;
    lock_all();
    shared_graph *s = find_shared(name, mine);
    if (s && s->state == THERE) {
        s->users++;
    } else if (mine) {
        s = mine;
        memcpy(&s->rows, &name->rows, sizeof s->rows);
    } else {
        s = made;
        s->state = THERE;
        s->read = *own;
        s->next = all.first;
        all.first = s;
    }
    gg_unlock(&all.lock);
    if (s != made)
        free(made);
    return s;
}

bool shared_withdraw(shared_graph *s) {
    if (shared_is_foreign(s))
        return false;
    lock_all();
    const bool alone = s->users == 1; /* new users come by the list only */
    if (alone)
        unlink_shared(s);
    gg_unlock(&all.lock);
    if (!alone)
        return false;
    shared_searches_close(&s->searches);
    free(s);
    return true;
}

shared_searches *shared_searches_of(shared_graph *s) {
    return &s->searches;
}

int shared_users(const shared_graph *s) {
    lock_all();
    int users = s->users;
    gg_unlock(&all.lock);
    return users;
}

bool shared_is_foreign(const shared_graph *s) {
    return s->process != gg_this_process();
}

void shared_release(shared_graph *s) {
    lock_all();
    const bool last = --s->users == 0;
    if (last && !shared_is_foreign(s))
        unlink_shared(s);
    gg_unlock(&all.lock);
    if (!last)
        return;
    shared_searches_close(&s->searches);
    gpugraph_free(s->read.graph);
    free(s);
}
