/* Rows of the result, in pieces: each process looks up the ids of some of its rows and sends them to who
** writes, process 0, or with a file for each process itself.
**
**     a value of a row   'i' and 8 bytes | 'r' and 8 bytes | 't', length, bytes | 'n'
**
** Whoever writes does it in one transaction, and ends it when all have agreed that nothing has failed. */
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
    bool made; /* the file was not there */
};

static bool each_writes(const options *o) {
    return strstr(o->out, "%d") != NULL;
}

static bool writes(const options *o, const gpugraph_exchange *x) {
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
    if (getenv("GPUGRAPH_TEST_PAGES")) { /* a disk that is full soon */
        char *sql = sqlite3_mprintf("PRAGMA max_page_count = %d",
                                    atoi(getenv("GPUGRAPH_TEST_PAGES")));
        sqlite3_exec(w->db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    if (sqlite3_db_readonly(w->db, "main"))
        return fail_at(w, run, "it may only be read");
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

/* What has been made for nothing goes. */
static void close_output(struct output *w, bool keep) {
    sqlite3_finalize(w->insert);
    sqlite3_close(w->db);
    if (w->made && !keep && w->path)
        unlink(w->path);
    sqlite3_free(w->path);
    memset(w, 0, sizeof *w);
}

bool result_check(const options *o, gpugraph_exchange *x, gpugraph_run *run,
                  bool *politely) {
    struct output w;
    if (writes(o, x)) {
        if (open_output(&w, o, run, x->part) && refuse_table(&w, o, run) &&
            sqlite3_exec(w.db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL) !=
                SQLITE_OK)
            fail_at(&w, run, NULL);
        close_output(&w, false);
    }
    return gg_all_agree(x, run, politely);
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

/* ---- a row ---- */

/* Ids of one column of a piece. */
struct piece {
    uint64_t count;
    id_names names[ANSWER_COLUMNS];
};

static void numbers_of(const struct answer_column *c, const answer *a, uint64_t at,
                       uint64_t count, uint64_t *number) {
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t v = a->row[at + i];
        number[i] = c->kind == 'v' ? ((const uint64_t *)c->array)[v]
                    : a->parent[v] == UINT64_MAX
                        ? UINT64_MAX
                        : (uint64_t)((const int64_t *)c->array)[v];
    }
}

/* Keys become numbers of ids; none stays none. */
static bool number_keys(const edge_keys *k, gpugraph_run *run, uint64_t *number,
                        uint64_t count) {
    uint64_t asked = 0, *key = gg_alloc(run, count + 1, sizeof *key);
    char *pair = NULL;
    for (uint64_t i = 0; key && i < count; i++)
        if (number[i] != UINT64_MAX)
            key[asked++] = number[i];
    if (key && range_look_up(&k->order, run, key, asked, key, &pair)) {
        asked = 0;
        for (uint64_t i = 0; i < count; i++)
            if (number[i] != UINT64_MAX) {
                number[i] = word_in_order(pair + 16 * asked++);
                number[i] = number[i] == range_all(&k->ids) ? UINT64_MAX : number[i];
            }
    }
    gg_release(key);
    gg_release(pair);
    return run->status == GPUGRAPH_OK;
}

/* Collective. */
static bool look_write_up(const answer *a, gpugraph_run *run, struct piece *p,
                          uint64_t at) {
    uint64_t *number = gg_alloc(run, p->count + 1, sizeof *number);
    for (int i = 0; number && i < a->columns; i++) {
        const struct answer_column *c = &a->column[i];
        if (c->kind != 'v' && c->kind != 'e')
            continue;
        numbers_of(c, a, at, p->count, number);
        if (c->kind == 'v') {
            if (!dictionary_look_up(&a->vertices, run, number, p->count, &p->names[i]))
                break;
        } else if (a->edges.numbered) {
            if (!number_keys(&a->edges, run, number, p->count) ||
                !dictionary_look_up(&a->edges.ids, run, number, p->count, &p->names[i]))
                break;
        }
    }
    gg_release(number);
    return run->status == GPUGRAPH_OK;
}

static char *put_word(char *to, char type, const void *word) {
    *to = type;
    memcpy(to + 1, word, 8);
    return to + 9;
}

static char *put_name(char *to, const id_names *n, uint64_t i) {
    if (n->type[i] == 'i')
        return put_word(to, 'i', &n->value[i]);
    if (n->type[i] == 'n')
        return *to = 'n', to + 1;
    to = put_word(to, 't', &n->length[i]);
    memcpy(to, n->bytes + n->value[i], n->length[i]);
    return to + n->length[i];
}

static char *put_value(char *to, const answer *a, const struct piece *p, int column,
                       uint64_t i, uint32_t v) {
    const struct answer_column *c = &a->column[column];
    int64_t integer;
    switch (c->kind) {
    case 'v':
        return put_name(to, &p->names[column], i);
    case 'e':
        if (a->edges.numbered)
            return put_name(to, &p->names[column], i);
        if (a->parent[v] == UINT64_MAX)
            return *to = 'n', to + 1;
        return put_word(to, 'i', (const int64_t *)c->array + v);
    case 'd':
        integer = ((const uint32_t *)c->array)[v];
        return put_word(to, 'i', &integer);
    default: /* 'i', 'r' */
        return put_word(to, c->kind, (const char *)c->array + 8 * (size_t)v);
    }
}

static uint64_t room_write_of(const answer *a, const struct piece *p) {
    uint64_t bytes = p->count * 9 * (uint64_t)a->columns;
    for (int c = 0; c < a->columns; c++)
        for (uint64_t i = 0; p->names[c].type && i < p->count; i++)
            bytes += p->names[c].type[i] == 't' ? p->names[c].length[i] : 0;
    return bytes;
}

/* ---- sending and taking ---- */

static const char *bind_value(sqlite3_stmt *insert, int at, const char *from) {
    int64_t integer = 0;
    double real = 0;
    memcpy(&integer, from + 1, *from == 'n' ? 0 : 8);
    memcpy(&real, from + 1, *from == 'n' ? 0 : 8);
    switch (*from) {
    case 'i':
        sqlite3_bind_int64(insert, at, integer);
        return from + 9;
    case 'r':
        sqlite3_bind_double(insert, at, real);
        return from + 9;
    case 't':
        sqlite3_bind_text64(insert, at, from + 9, (sqlite3_uint64)integer, SQLITE_STATIC,
                            SQLITE_UTF8);
        return from + 9 + integer;
    default:
        sqlite3_bind_null(insert, at);
        return from + 1;
    }
}

static bool insert_rows(struct output *w, gpugraph_run *run, int columns,
                        const char *from, const char *end) {
    while (from < end) {
        for (int c = 0; c < columns; c++)
            from = bind_value(w->insert, c + 1, from);
        const int rc = sqlite3_step(w->insert);
        if (rc != SQLITE_DONE)
            return fail_at(w, run, NULL);
        sqlite3_reset(w->insert);
    }
    return true;
}

/* Collective. Rows at .. at + count - 1 of this process go out; what comes is inserted. */
static bool move_piece(struct output *w, const answer *a, const options *o,
                       gpugraph_exchange *x, gpugraph_run *run, uint64_t at,
                       uint64_t count) {
    struct piece p = {.count = count};
    gg_letters out = {NULL, NULL}, in = {NULL, NULL};
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    const uint32_t to = each_writes(o) ? x->part : 0;
    bool good = size && look_write_up(a, run, &p, at);
    if (good) {
        size[to] = room_write_of(a, &p);
        good = gg_letters_open(&out, x, run, size);
    }
    char *end = good ? out.bytes : NULL;
    for (uint64_t i = 0; good && i < count; i++)
        for (int c = 0; c < a->columns; c++)
            end = put_value(end, a, &p, c, i, a->row[at + i]);
    if (good) { /* less than there is room for, where something is NULL */
        for (uint32_t q = to + 1; q <= x->parts; q++)
            out.offset[q] = (uint64_t)(end - out.bytes);
        good = gg_post(x, run, &out, &in);
    }
    if (!good)
        x->calls->fail(x, run);
    else if (w->db)
        insert_rows(w, run, a->columns, in.bytes, in.bytes + in.offset[x->parts]);
    for (int c = 0; c < ANSWER_COLUMNS; c++)
        id_names_close(&p.names[c]);
    gg_letters_close(&out);
    gg_letters_close(&in);
    gg_release(size);
    return good;
}

static bool move_rows_of_write(struct output *w, const answer *a, const options *o,
                               gpugraph_exchange *x, gpugraph_run *run, bool *politely) {
    uint64_t at = 0, left = 1;
    while (gg_all_agree(x, run, politely) && left > 0) {
        const uint64_t rest = a->rows - at;
        const uint64_t count = rest < PIECE_ROWS ? rest : PIECE_ROWS;
        if (!move_piece(w, a, o, x, run, at, count))
            return false;
        at += count;
        left = a->rows - at;
        gpugraph_run talk = {.status = GPUGRAPH_OK};
        if (gg_combine(x, &talk, GPUGRAPH_MOST, &left, 1) != GPUGRAPH_OK)
            gg_fail(run, talk.status, "%s", talk.message);
    }
    return run->status == GPUGRAPH_OK;
}

bool result_write(const answer *a, const options *o, gpugraph_exchange *x,
                  gpugraph_run *run, bool *politely) {
    struct output w;
    memset(&w, 0, sizeof w);
    if (writes(o, x) && open_output(&w, o, run, x->part))
        begin_table(&w, a, o, run);
    bool good = move_rows_of_write(&w, a, o, x, run, politely);
    if (good && w.db && sqlite3_exec(w.db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        fail_at(&w, run, NULL);
    if (good)
        good = gg_all_agree(x, run, politely);
    if (w.db || w.path)
        close_output(&w, good);
    return good;
}
