/* Estimates the number of rows of a table without reading it.
**
**     rowids   1 ... 80  ...  1000000     two b-tree descents give the span: a limit
**                 |  |  |  |  |           a sample of rows in between gives ids and bytes
**     pages    of the whole database      the rows that would fill them: a limit, too */
#include "load.h"
#include "base/statement.h"

#include <math.h>

enum {
    LEAST_ROW = 8,   /* bytes of the shortest row with two ends */
    FEW_ROWS = 4096, /* up to this many rows the span alone is the limit */
    PLACES = 400,    /* rows in the sample */
    OVERHEAD = 10    /* bytes of a row in addition to the values of its ends */
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

int table_span(connection *c, const row_source *rows, sqlite3_int64 span[2], bool *any) {
    const char *id = source_row_name(rows), *schema = rows->table.schema,
               *name = rows->table.name;
    sqlite3_stmt *statement;
    int rc = statement_prepare(c->db, &statement,
                               OWN_SQL "SELECT (SELECT min(\"%w\") FROM \"%w\".\"%w\"), "
                                       "(SELECT max(\"%w\") FROM \"%w\".\"%w\")",
                               id, schema, name, id, schema, name);
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
    if (!has_rowids(rows) || table_span(c, rows, span, &any) || !any)
        return 0;
    double most = rows_of_span(span);
    if (most <= FEW_ROWS)
        return (int64_t)most;
    if (database_bytes(c, rows, &bytes))
        return 0;
    return (int64_t)(bytes / LEAST_ROW < most ? bytes / LEAST_ROW : most);
}

/* ---- the sample ---- */

/* Sums over the sample, which in a small table contains a row several times. */
struct seen {
    double rows, bytes; /* bytes: approximate size of the ends */
    double ends, distinct;
    double range; /* largest id - smallest id + 1 if all ids are INTEGERs; otherwise 0 */
};

/* Appends a query for the sampled rows: evenly spaced rowids, or the first rows. */
static void append_sample(sqlite3_str *sql, const row_source *rows,
                          const sqlite3_int64 span[2]) {
    const table_info *t = &rows->table;
    const bool placed = has_rowids(rows);
    if (placed)
        sqlite3_str_appendf(
            sql,
            "WITH p(at) AS (VALUES (%lld) UNION ALL SELECT at + %!.17g FROM p LIMIT %d) ",
            span[0], rows_of_span(span) / PLACES, PLACES);
    sqlite3_str_appendf(sql,
                        "SELECT t.\"%w\" AS a, t.\"%w\" AS b FROM %s\"%w\".\"%w\" AS t",
                        rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN],
                        placed ? "p CROSS JOIN " : "", t->schema, t->name);
    if (placed)
        sqlite3_str_appendf(
            sql,
            " ON t.%s = (SELECT min(r.%s) FROM \"%w\".\"%w\" AS r WHERE r.%s >= p.at)",
            t->rowid_name, t->rowid_name, t->schema, t->name, t->rowid_name);
    else
        sqlite3_str_appendf(sql, " LIMIT %d", PLACES);
}

static int read_sample(connection *c, const row_source *rows, const sqlite3_int64 span[2],
                       struct seen *seen) {
    sqlite3_stmt *statement;
    sqlite3_str *sql = sqlite3_str_new(c->db);
    sqlite3_str_appendall(
        sql,
        OWN_SQL "SELECT count(*) / 2, total(length(CAST(id AS BLOB))), count(id), "
                "count(DISTINCT id), iif(total(typeof(id) = 'integer') = count(id), "
                "1.0 + max(id) - min(id), 0) FROM (SELECT iif(k, a, b) AS id FROM (");
    append_sample(sql, rows, span);
    sqlite3_str_appendall(sql, ") CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1))");
    int rc = statement_prepare_text(c->db, &statement, sql);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        *seen = (struct seen){
            sqlite3_column_double(statement, 0), sqlite3_column_double(statement, 1),
            sqlite3_column_double(statement, 2), sqlite3_column_double(statement, 3),
            sqlite3_column_double(statement, 4)};
        if (seen->range > 0) /* SQLite stores about 2.4 decimal digits in a byte */
            seen->bytes /= 2.4;
    }
    return statement_end(statement, rc);
}

/* Estimates the number of ids if `draws` draws have found `distinct` ids. */
static double draw_from(double draws, double distinct) {
    double low = distinct, high = draws * draws;
    /* finds n such that n (1 - (1 - 1/n)^draws) = distinct */
    for (int i = 0; i < 60; i++) {
        const double n = (low + high) / 2;
        if (n * (1 - pow(1 - 1 / n, draws)) < distinct)
            low = n;
        else
            high = n;
    }
    return high;
}

/* Assumes that a table without rowids, of PLACES rows or more, fills the database. */
int table_take_sample(connection *c, const row_source *rows, table_sample *sample) {
    sqlite3_int64 span[2] = {0, 0};
    struct seen seen = {0};
    double bytes = 0;
    bool any = true;
    *sample = (table_sample){0, 0, false};
    int rc = database_bytes(c, rows, &bytes);
    if (rc == SQLITE_OK && has_rowids(rows))
        rc = table_span(c, rows, span, &any);
    if (rc == SQLITE_OK && any)
        rc = read_sample(c, rows, span, &seen);
    if (rc || seen.rows == 0)
        return rc;
    const double most = bytes / (seen.bytes / seen.rows + OVERHEAD),
                 count = has_rowids(rows)      ? rows_of_span(span)
                         : seen.rows == PLACES ? most
                                               : seen.rows;
    sample->rows = (int64_t)(count < most || seen.rows >= most ? count : most);
    const double rows_read = (double)sample->rows;
    double n =
        seen.rows >= rows_read ? seen.distinct : draw_from(seen.ends, seen.distinct);
    if (seen.range > 0 && n > seen.range)
        n = seen.range;
    sample->vertices = (int64_t)(n < 2 * rows_read ? n : 2 * rows_read);
    sample->counted = span[0] == 1 && span[1] == sample->rows;
    return rc;
}
