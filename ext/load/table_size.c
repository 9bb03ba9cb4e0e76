/* About how many rows a table has, and how many vertices. */
#include "table_size.h"
#include "base/statement.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROW = 8,   /* bytes of the shortest row of two ends on a page */
    FEW_ROWS = 4096, /* so many are not worth a further question */
    PLACES = 16,
    RUN = 64,
    MOST_SEEN = 2 * PLACES * RUN
};

/* ---- bounds ---- */

static bool has_rowids(const row_source *rows) {
    return rows->kind == 't' && rows->table.rowid_name[0];
}

static int database_bytes(connection *c, const row_source *rows, double *bytes) {
    sqlite3_int64 pages = 0, size = 0;
    int rc = statement_integer(c->db, &pages, OWN_SQL "PRAGMA \"%w\".page_count",
                               rows->table.schema);
    if (rc == SQLITE_OK)
        rc = statement_integer(c->db, &size, OWN_SQL "PRAGMA \"%w\".page_size",
                               rows->table.schema);
    *bytes = (double)pages * (double)size;
    return rc;
}

/* The first rowid and the last; false: there is no row. */
static int find_span(connection *c, const row_source *rows, sqlite3_int64 span[2],
                     bool *any) {
    const table_info *t = &rows->table;
    sqlite3_stmt *statement;
    int rc = statement_prepare(c->db, &statement,
                               OWN_SQL "SELECT (SELECT min(%s) FROM \"%w\".\"%w\"), "
                                       "(SELECT max(%s) FROM \"%w\".\"%w\")",
                               t->rowid_name, t->schema, t->name, t->rowid_name,
                               t->schema, t->name);
    *any = false;
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        *any = sqlite3_column_type(statement, 0) == SQLITE_INTEGER;
        span[0] = sqlite3_column_int64(statement, 0);
        span[1] = sqlite3_column_int64(statement, 1);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return rc;
}

static double rows_of_span(const sqlite3_int64 span[2]) {
    return (double)span[1] - (double)span[0] + 1;
}

int64_t table_rows_at_most(connection *c, const row_source *rows) {
    sqlite3_int64 span[2];
    double bytes;
    bool any;
    if (!has_rowids(rows) || find_span(c, rows, span, &any) || !any)
        return 0;
    double most = rows_of_span(span);
    if (most <= FEW_ROWS)
        return (int64_t)most;
    if (database_bytes(c, rows, &bytes))
        return 0;
    return (int64_t)(bytes / LEAST_ROW < most ? bytes / LEAST_ROW : most);
}

/* ---- the sample ---- */

struct seen {
    uint64_t end[MOST_SEEN]; /* hashes of ids */
    int ends;
    double least, most; /* of INTEGER ids */
    bool texts;
    int rows;
    double bytes;   /* of these rows, about */
    double density; /* rows for each rowid, summed over places */
};

/* Bytes that SQLite takes for the value. */
static int bytes_table_size_of(sqlite3_value *value) {
    if (sqlite3_value_type(value) != SQLITE_INTEGER)
        return 1 + sqlite3_value_bytes(value);
    sqlite3_int64 number = sqlite3_value_int64(value);
    int bytes = 1;
    for (sqlite3_uint64 u = (sqlite3_uint64)(number < 0 ? ~number : number); u; u >>= 8)
        bytes++;
    return bytes;
}

static void see_end(struct seen *s, sqlite3_value *value) {
    uint64_t hash = 0xcbf29ce484222325u;
    if (sqlite3_value_type(value) == SQLITE_NULL || s->ends == MOST_SEEN)
        return;
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        double number = (double)sqlite3_value_int64(value);
        s->least = s->ends == 0 || number < s->least ? number : s->least;
        s->most = s->ends == 0 || number > s->most ? number : s->most;
    } else {
        s->texts = true;
    }
    const unsigned char *text = sqlite3_value_text(value);
    for (; text && *text; text++)
        hash = (hash ^ *text) * 0x100000001b3u;
    s->end[s->ends++] = hash;
}

/* A statement's rows: ends in its columns 0 and 1, and in any further ones what else there is in a
** row. */
static int see_rows(struct seen *s, sqlite3_stmt *statement, sqlite3_int64 *last) {
    int rc, columns = sqlite3_column_count(statement);
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        see_end(s, sqlite3_column_value(statement, 0));
        see_end(s, sqlite3_column_value(statement, 1));
        if (last)
            *last = sqlite3_column_int64(statement, 2);
        for (int i = 0; i < columns; i++)
            s->bytes += bytes_table_size_of(sqlite3_column_value(statement, i));
        s->bytes += 2;
        s->rows++;
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Runs of rows at places that divide the span: of each how many rowids they take, with the gap
** before them. */
static int see_places(connection *c, const row_source *rows, const sqlite3_int64 span[2],
                      struct seen *s) {
    const table_info *t = &rows->table;
    sqlite3_stmt *statement;
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL "SELECT \"%w\", \"%w\", %s FROM \"%w\".\"%w\" WHERE %s >= ?1 "
                "ORDER BY %s LIMIT %d",
        rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN], t->rowid_name,
        t->schema, t->name, t->rowid_name, t->rowid_name, RUN);
    const double step = rows_of_span(span) / PLACES;
    for (int i = 0; i < PLACES && rc == SQLITE_OK; i++) {
        const sqlite3_int64 place = (sqlite3_int64)((double)span[0] + step * i);
        const int before = s->rows;
        sqlite3_int64 last = 0;
        sqlite3_bind_int64(statement, 1, place);
        rc = see_rows(s, statement, &last);
        sqlite3_reset(statement);
        if (s->rows - before == RUN)
            s->density += RUN / ((double)last - (double)place + 1);
        else /* these are the last ones of the table */
            s->density += (s->rows - before) / ((double)span[1] - (double)place + 1);
    }
    sqlite3_finalize(statement);
    return rc;
}

static int see_first_rows(connection *c, const row_source *rows, struct seen *s) {
    sqlite3_stmt *statement;
    int rc = statement_prepare(
        c->db, &statement, OWN_SQL "SELECT \"%w\", \"%w\" FROM \"%w\".\"%w\" LIMIT %d",
        rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN], rows->table.schema,
        rows->table.name, PLACES * RUN);
    if (rc == SQLITE_OK)
        rc = see_rows(s, statement, NULL);
    sqlite3_finalize(statement);
    return rc;
}

static int by_hash(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of d distinct ids among so many ends that were drawn: how many there are to draw from. */
static double draw_from(double ends, int distinct) {
    double low = distinct, high = ends * ends;
    for (int i = 0; i < 60; i++) { /* n such that n (1 - (1 - 1/n)^ends) is that many */
        double n = (low + high) / 2, missed = 1, base = 1 - 1 / n;
        for (unsigned left = (unsigned)ends; left; left >>= 1, base *= base)
            missed *= left & 1 ? base : 1;
        if (n * (1 - missed) < distinct)
            low = n;
        else
            high = n;
    }
    return high;
}

static int64_t count_vertices(struct seen *s, double rows) {
    int distinct = 0;
    qsort(s->end, (size_t)s->ends, sizeof *s->end, by_hash);
    for (int i = 0; i < s->ends; i++)
        distinct += i == 0 || s->end[i] != s->end[i - 1];
    double n = s->rows >= rows ? distinct : draw_from(s->ends, distinct);
    if (!s->texts && n > s->most - s->least + 1)
        n = s->most - s->least + 1;
    return (int64_t)(n < 2 * rows ? n : 2 * rows);
}

int table_take_sample(connection *c, const row_source *rows, table_sample *sample) {
    struct seen *s = calloc(1, sizeof *s);
    sqlite3_int64 span[2] = {0, 0};
    double bytes = 0, count = 0;
    bool any = true;
    *sample = (table_sample){0, 0, false};
    if (!s)
        return SQLITE_NOMEM;
    int rc = database_bytes(c, rows, &bytes);
    if (rc == SQLITE_OK && has_rowids(rows)) {
        rc = find_span(c, rows, span, &any);
        if (rc == SQLITE_OK && any && rows_of_span(span) > PLACES * RUN) {
            rc = see_places(c, rows, span, s);
            count = s->density / PLACES * rows_of_span(span);
        }
    }
    if (rc == SQLITE_OK && any && s->rows == 0) {
        rc = see_first_rows(c, rows, s);
        count = s->rows;
        if (s->rows == PLACES * RUN && !has_rowids(rows))
            count = bytes;
    }
    if (rc == SQLITE_OK && s->rows > 0) {
        double most = bytes / (s->bytes / s->rows);
        sample->rows = (int64_t)(count < most || s->rows >= most ? count : most);
        sample->vertices = count_vertices(s, (double)sample->rows);
        sample->counted = span[0] == 1 && span[1] == sample->rows;
    }
    free(s);
    return rc;
}
