/* Writes the result. Each process looks up the ids of some of its rows and sends the
** values to the writer: process 0 or, if --out has %d, the process itself.
**
**     a value    a string: 'i' and 8 bytes, 'r' and 8 bytes, 't' and a text; empty: NULL
**
** A writer uses one transaction, and commits when all processes agree that none has
** failed. */
#include "answer.h"
#include "base/run.h"
#include "distributed/exchange/post.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_ROWS = 1 << 15 };

/* ---- the file ---- */

struct output {
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *path;
    bool made; /* this process has created the file */
};

static bool each_writes(const options *o) {
    return strstr(o->out, "%d") != NULL;
}

static bool is_writer(const options *o, const gpugraph_exchange *x) {
    return x->part == 0 || each_writes(o);
}

static char *path_of(const options *o, uint32_t part) {
    const char *place = strstr(o->out, "%d");
    return place ? sqlite3_mprintf("%.*s%u%s", (int)(place - o->out), o->out, part,
                                   place + 2)
                 : sqlite3_mprintf("%s", o->out);
}

static bool fail_at(struct output *w, gpugraph_run *run, const char *what) {
    gg_fail(run, GPUGRAPH_INVALID, "%s cannot be written: %s",
            w->path ? w->path : "--out", what ? what : sqlite3_errmsg(w->db));
    return false;
}

static bool open_output(struct output *w, const options *o, gpugraph_run *run,
                        uint32_t part) {
    memset(w, 0, sizeof *w);
    w->path = path_of(o, part);
    w->made = w->path && access(w->path, F_OK) != 0;
    const char *other = w->path ? not_a_file(w->path) : NULL;
    if (other)
        return fail_at(w, run, other);
    if (!w->path ||
        sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        return fail_at(w, run, NULL);
    sqlite3_busy_timeout(w->db, LOCK_PATIENCE_MS);
    if (getenv("GPUGRAPH_TEST_PAGES")) { /* simulates a full disk */
        char *sql = sqlite3_mprintf("PRAGMA max_page_count = %d",
                                    atoi(getenv("GPUGRAPH_TEST_PAGES")));
        sqlite3_exec(w->db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    if (sqlite3_db_readonly(w->db, "main"))
        return fail_at(w, run, "it is read-only");
    return true;
}

static bool refuse_table(struct output *w, const options *o, gpugraph_run *run) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(w->db,
                           "SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?1)",
                           -1, &statement, NULL) != SQLITE_OK)
        return fail_at(w, run, NULL);
    sqlite3_bind_text(statement, 1, o->table, -1, SQLITE_STATIC);
    const int rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        gg_fail(run, GPUGRAPH_INVALID,
                "%s has a table %s already; drop it, or name another with --table",
                w->path, o->table);
    else if (rc != SQLITE_DONE)
        fail_at(w, run, NULL);
    sqlite3_finalize(statement);
    return run->status == GPUGRAPH_OK;
}

/* Deletes a file that was created for nothing. */
static void close_output(struct output *w, bool keep) {
    sqlite3_finalize(w->insert);
    sqlite3_close(w->db);
    if (w->made && !keep && w->path)
        unlink(w->path);
    sqlite3_free(w->path);
    memset(w, 0, sizeof *w);
}

bool result_check(const options *o, gpugraph_exchange *x, gpugraph_run *run) {
    struct output w;
    if (is_writer(o, x)) {
        if (open_output(&w, o, run, x->part) && refuse_table(&w, o, run) &&
            sqlite3_exec(w.db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL) !=
                SQLITE_OK)
            fail_at(&w, run, NULL);
        close_output(&w, false);
    }
    return gg_all_agree(x, run);
}

static bool begin_table(struct output *w, const answer *a, const options *o,
                        gpugraph_run *run) {
    sqlite3_str *make = sqlite3_str_new(w->db), *insert = sqlite3_str_new(w->db);
    sqlite3_str_appendf(make, "BEGIN IMMEDIATE; CREATE TABLE \"%w\"(", o->table);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES (", o->table);
    for (int i = 0; i < a->columns; i++) {
        sqlite3_str_appendf(make, "%s\"%w\"%s%s", i ? ", " : "", a->column[i].name,
                            a->column[i].type[0] ? " " : "", a->column[i].type);
        sqlite3_str_appendall(insert, i ? ", ?" : "?");
    }
    sqlite3_str_appendall(make, ")");
    sqlite3_str_appendall(insert, ")");
    char *sql[] = {sqlite3_str_finish(make), sqlite3_str_finish(insert)};
    const bool good =
        sql[0] && sql[1] && refuse_table(w, o, run) &&
        sqlite3_exec(w->db, sql[0], NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(w->db, sql[1], -1, &w->insert, NULL) == SQLITE_OK;
    sqlite3_free(sql[0]);
    sqlite3_free(sql[1]);
    return good || (run->status == GPUGRAPH_OK ? fail_at(w, run, NULL) : false);
}

/* ---- values as strings ---- */

static void numbers_of(const struct answer_column *c, const answer *a, uint64_t at,
                       uint64_t count, uint64_t *number) {
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t v = a->row[at + i];
        const bool none = c->kind == 'e' && a->parent[v] == UINT64_MAX;
        number[i] = none ? UINT64_MAX : ((const uint64_t *)c->array)[v];
    }
}

/* Replaces keys by numbers of ids, except UINT64_MAX. */
static bool number_keys(const edge_keys *k, gpugraph_run *run, uint64_t *number,
                        uint64_t count) {
    strings pairs;
    const bool found = range_look_up(&k->order, run, number, count, &pairs);
    for (uint64_t i = 0, length; found && i < count; i++) {
        const char *pair = gpugraph_text(&pairs.texts, i, &length);
        number[i] = length > 0 ? word_in_order(pair) : number[i];
    }
    strings_close(&pairs);
    return found;
}

/* Collective. */
static bool look_values_up(const answer *a, const struct answer_column *c,
                           gpugraph_run *run, uint64_t at, uint64_t count, strings *to) {
    uint64_t *number = gg_alloc(run, count + 1, sizeof *number);
    if (number)
        numbers_of(c, a, at, count, number);
    const bool good = number &&
                      (c->kind == 'v' || number_keys(&a->edges, run, number, count)) &&
                      range_look_up(c->kind == 'v' ? &a->vertices : &a->edges.ids, run,
                                    number, count, to);
    gg_release(number);
    return good;
}

static bool write_values(const answer *a, const struct answer_column *c,
                         gpugraph_run *run, uint64_t at, uint64_t count, strings *to) {
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset);
    char *bytes = gg_alloc(run, count + 1, INTEGER_BYTES), *value = bytes;
    to->texts =
        (gpugraph_texts){.count = (int64_t)count, .offset = offset, .bytes = bytes};
    for (uint64_t i = 0; offset && bytes && i < count; i++) {
        const uint32_t v = a->row[at + i];
        offset[i] = (uint64_t)(value - bytes);
        if (c->kind == 'e' && a->parent[v] == UINT64_MAX)
            continue;
        if (c->kind == 'r') {
            value[0] = 'r';
            memcpy(value + 1, (const double *)c->array + v, sizeof(double));
        } else {
            write_integer(value, c->kind == 'd' ? ((const uint32_t *)c->array)[v]
                                                : ((const int64_t *)c->array)[v]);
        }
        value += INTEGER_BYTES;
    }
    if (offset && bytes)
        offset[count] = (uint64_t)(value - bytes);
    return offset && bytes;
}

/* ---- sending and taking ---- */

/* Collective: sends `count` values of a column from row `at` on, to the partition that
** `ends` names. */
static bool move_column(const answer *a, const struct answer_column *c,
                        gpugraph_exchange *x, gpugraph_run *run, uint64_t at,
                        uint64_t count, const uint64_t *ends, strings *received) {
    strings values = {.first = NULL};
    const bool has_numbers = c->kind == 'v' || (c->kind == 'e' && a->edges.numbered);
    const bool good =
        (has_numbers ? look_values_up : write_values)(a, c, run, at, count, &values) &&
        strings_post(x, run, &values.texts, NULL, ends, received);
    strings_close(&values);
    return good;
}

static void bind_value(sqlite3_stmt *insert, int at, const char *value, uint64_t length) {
    double real;
    switch (length > 0 ? *value : 0) {
    case 'i':
        sqlite3_bind_int64(insert, at, integer_of_order(word_in_order(value + 1)));
        break;
    case 'r':
        memcpy(&real, value + 1, sizeof real);
        sqlite3_bind_double(insert, at, real);
        break;
    case 't':
        sqlite3_bind_text64(insert, at, value + 1, length - 1, SQLITE_STATIC,
                            SQLITE_UTF8);
        break;
    default:
        sqlite3_bind_null(insert, at);
    }
}

static bool insert_rows(struct output *w, gpugraph_run *run, const strings *column,
                        int columns) {
    for (int64_t row = 0; row < column->texts.count; row++) {
        for (int c = 0; c < columns; c++) {
            uint64_t length;
            const char *value = gpugraph_text(&column[c].texts, (uint64_t)row, &length);
            bind_value(w->insert, c + 1, value, length);
        }
        if (sqlite3_step(w->insert) != SQLITE_DONE)
            return fail_at(w, run, NULL);
        sqlite3_reset(w->insert);
    }
    return true;
}

/* Collective: sends `count` rows of this process from row `at` on, and inserts received
** ones. */
static bool move_piece(struct output *w, const answer *a, const options *o,
                       gpugraph_exchange *x, gpugraph_run *run, uint64_t at,
                       uint64_t count) {
    strings column[ANSWER_COLUMNS] = {{.first = NULL}};
    const uint32_t to = each_writes(o) ? x->part : 0;
    uint64_t *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    bool good = ends != NULL;
    for (uint32_t q = 0; good && q <= x->parts; q++)
        ends[q] = q > to ? count : 0;
    for (int c = 0; good && c < a->columns; c++)
        good = move_column(a, &a->column[c], x, run, at, count, ends, &column[c]);
    if (!good)
        x->calls->fail(x, run);
    else if (w->db)
        insert_rows(w, run, column, a->columns);
    for (int c = 0; c < a->columns; c++)
        strings_close(&column[c]);
    gg_release(ends);
    return good;
}

static bool move_rows_of_write(struct output *w, const answer *a, const options *o,
                               gpugraph_exchange *x, gpugraph_run *run) {
    uint64_t most = a->rows;
    if (!gg_all_agree(x, run) ||
        gg_combine(x, run, GPUGRAPH_MOST, &most, 1) != GPUGRAPH_OK)
        return false;
    for (uint64_t at = 0; at < most; at += PIECE_ROWS) {
        const uint64_t left = a->rows > at ? a->rows - at : 0;
        if (!move_piece(w, a, o, x, run, at, left < PIECE_ROWS ? left : PIECE_ROWS) ||
            !gg_all_agree(x, run))
            return false;
    }
    return true;
}

bool result_write(const answer *a, const options *o, gpugraph_exchange *x,
                  gpugraph_run *run) {
    struct output w;
    memset(&w, 0, sizeof w);
    if (is_writer(o, x) && open_output(&w, o, run, x->part))
        begin_table(&w, a, o, run);
    bool good = move_rows_of_write(&w, a, o, x, run);
    if (good && w.db && sqlite3_exec(w.db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        fail_at(&w, run, NULL);
    if (good)
        good = gg_all_agree(x, run);
    if (w.db || w.path)
        close_output(&w, good);
    return good;
}
