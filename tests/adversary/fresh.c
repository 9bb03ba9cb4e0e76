/* The database that keeps nothing (cache_limit is 0). Its table has the rows that another
** connection sees now, in its transaction. If names have changed, fresh_fill makes the
** database again; if only rows have changed, it mostly replaces the rows. */
#include "adversary.h"
#include "gpugraph_extension.h"
#include <string.h>

enum { MADE_ANEW = 6 }; /* makes the database again for one in 6 changes of rows */

static char made_for[80]; /* the names at the last rebuild */

void fresh_close(void) {
    if (sqlite3_close(w.fresh) != SQLITE_OK)
        wrong("the fresh connection cannot be closed");
    w.fresh = NULL;
    w.fresh_rows = 0;
}

static void make(const char *names) {
    fresh_close();
    w.fresh = world_open(":memory:", true);
    char *sql = expand(w.kind->create, true);
    if (sqlite3_exec(w.fresh, sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(w.fresh, "SELECT gpugraph_config('cache_limit', 0)", NULL, NULL,
                     NULL) != SQLITE_OK)
        wrong("no fresh table: %s: %s", sql, sqlite3_errmsg(w.fresh));
    sqlite3_free(sql);
    sqlite3_snprintf(sizeof made_for, made_for, "%s", names);
}

static uint64_t hash_of(const answer *a) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < a->used; i++)
        hash = (hash ^ (unsigned char)a->bytes[i]) * 1099511628211u;
    return hash | 1;
}

static const char *const every_row[] = {
    "SELECT rowid, $a, $b, $w FROM $t NOT INDEXED ORDER BY rowid",
    "SELECT NULL, $a, $b, $w FROM $t ORDER BY $a, $b",
};
static const char *const put_row[] = {
    "INSERT INTO $t(rowid, $a, $b, $w) VALUES (?1, ?2, ?3, ?4)",
    "INSERT INTO $t($a, $b, $w) VALUES (?2, ?3, ?4)",
};

static void copy(sqlite3 *from, const char *select, const char *insert) {
    sqlite3_stmt *read = NULL, *write = NULL;
    if (sqlite3_prepare_v2(from, select, -1, &read, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(w.fresh, insert, -1, &write, NULL) != SQLITE_OK)
        wrong("no copy: %s: %s, %s: %s", select, sqlite3_errmsg(from), insert,
              sqlite3_errmsg(w.fresh));
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(read); i++)
            sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i));
        if (sqlite3_step(write) != SQLITE_DONE)
            wrong("no copy of a row: %s", sqlite3_errmsg(w.fresh));
        sqlite3_reset(write);
    }
    sqlite3_finalize(read);
    sqlite3_finalize(write);
}

bool fresh_fill(sqlite3 *from) {
    answer rows = {0};
    char names[80];
    char *select = expand(every_row[!w.kind->rowids], false);
    sqlite3_snprintf(sizeof names, names, "%s %s %s %s", w.table, w.a, w.b, w.w);
    bool seen = answer_add(&rows, from, select) &&
                answer_add(&rows, from, "SELECT id FROM places ORDER BY rowid");
    if (!seen && !is_locked(rows.rc))
        wrong("the table cannot be read: %d %s: %s", rows.rc, select, rows.error);
    uint64_t hash = seen ? hash_of(&rows) : w.fresh_rows;
    if (hash != w.fresh_rows || strcmp(names, made_for) != 0) {
        if (!w.fresh || strcmp(names, made_for) != 0 || pick(MADE_ANEW) == 0)
            make(names);
        char *insert = expand(put_row[!w.kind->rowids], false);
        char *clear = expand("BEGIN; DELETE FROM $t; DELETE FROM places", false);
        sqlite3_exec(w.fresh, clear, NULL, NULL, NULL);
        copy(from, select, insert);
        copy(from, "SELECT rowid, id FROM places ORDER BY rowid",
             "INSERT INTO places(rowid, id) VALUES (?1, ?2)");
        sqlite3_exec(w.fresh, "COMMIT", NULL, NULL, NULL);
        sqlite3_free(insert);
        sqlite3_free(clear);
        w.fresh_rows = hash;
    }
    sqlite3_free(select);
    answer_clear(&rows);
    return seen;
}
