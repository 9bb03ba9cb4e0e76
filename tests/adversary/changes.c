/* Random statements that write to the table of edges, and random transactions. */
#include "adversary.h"
#include <stddef.h>

static const char *weight(void) {
    if (has(F_errors) && pick(60) == 0)
        return ONE_OF("NULL", "-1", "'heavy'", "9e999",
                      has(F_bounds) ? "-2.5" : "9223372036854775807");
    if (pick(10) == 0)
        return ONE_OF("1.5", "2.0", "'4'", "0.25");
    return ONE_OF("0", "1", "2", "3", "4", "5", "6", "7");
}

/* Returns an id for an end of an edge; rarely NULL or, with errors, a bad id. */
static const char *end(void) {
    if (pick(60) == 0)
        return "NULL";
    if (has(F_errors) && pick(80) == 0)
        return ONE_OF("2.5", "x'31'");
    return stored_id();
}

static char *values(void) {
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (uint32_t i = 0, count = 1 + pick(3); i < count; i++)
        sqlite3_str_appendf(text, "%s(%s, %s, %s)", i ? ", " : "", end(), end(),
                            weight());
    return sqlite3_str_finish(text);
}

static char *condition(void) {
    switch (pick(w.kind->rowids ? 6 : 3)) {
    case 0:
        return sqlite3_mprintf("$a = %s", stored_id());
    case 1:
        return sqlite3_mprintf("$b = %s AND $w < 4", stored_id());
    case 2:
        return sqlite3_mprintf(
            "typeof($a) NOT IN ('integer', 'text', 'null') OR typeof($b) NOT IN "
            "('integer', "
            "'text', 'null') OR ifnull($w, -1) < 0 OR $w = 'heavy' OR $w > 1000");
    case 3:
        return sqlite3_mprintf("rowid = (SELECT max(rowid) FROM $t)");
    case 4:
        return sqlite3_mprintf("rowid %% 7 = %u", pick(7));
    default:
        return sqlite3_mprintf("rowid = %u", 1 + pick(20));
    }
}

static char *insert(void) {
    char *rows = values(), *sql;
    switch (pick(7)) {
    case 0:
        sql = sqlite3_mprintf("INSERT %s INTO $t($a, $b, $w) SELECT $b, $a, $w FROM $t "
                              "ORDER BY $a, $b LIMIT %u",
                              conflict(), 1 + pick(3));
        break;
    case 1:
        sql =
            sqlite3_mprintf("INSERT INTO $t($a, $b, $w) VALUES %s ON CONFLICT DO UPDATE "
                            "SET $w = %s",
                            rows, weight());
        break;
    case 2:
        if (w.kind->rowids) {
            sql = sqlite3_mprintf(
                "INSERT %s INTO $t(rowid, $a, $b, $w) VALUES (%u, %s, %s, %s)",
                conflict(), 1 + pick(20), end(), end(), weight());
            break;
        } /* fall through */
    case 3:
        if (w.kind->refers && pick(2)) {
            sql =
                sqlite3_mprintf("INSERT OR IGNORE INTO places VALUES (%s)", stored_id());
            break;
        } /* fall through */
    default:
        sql =
            sqlite3_mprintf("INSERT %s INTO $t($a, $b, $w) VALUES %s", conflict(), rows);
    }
    sqlite3_free(rows);
    return sql;
}

static char *update(void) {
    char *where = condition(), *sql;
    uint32_t what = pick(w.kind->rowids ? 4 : 3);
    if (what == 3)
        sql = sqlite3_mprintf("UPDATE %s $t SET rowid = %u WHERE %s", conflict(),
                              1 + pick(25), where);
    else
        sql = sqlite3_mprintf("UPDATE %s $t SET %s = %s WHERE %s", conflict(),
                              what == 0   ? "$a"
                              : what == 1 ? "$b"
                                          : "$w",
                              what == 2 ? weight() : end(), where);
    sqlite3_free(where);
    return sql;
}

/* Changes or deletes a row that others refer to, or changes such references. */
static char *change_references(void) {
    switch (pick(2) + (w.kind->refers == 'r' ? 2 : 0)) {
    case 0:
        return sqlite3_mprintf("DELETE FROM places WHERE id = %s", stored_id());
    case 1:
        return sqlite3_mprintf("UPDATE OR IGNORE places SET id = %s WHERE id = %s",
                               stored_id(), stored_id());
    case 2:
        return sqlite3_mprintf(
            "DELETE FROM $t WHERE rowid = (SELECT min(rowid) FROM $t)");
    default:
        return sqlite3_mprintf("UPDATE OR IGNORE $t SET up = (SELECT rowid FROM $t WHERE "
                               "rowid < %u ORDER BY "
                               "rowid DESC LIMIT 1) WHERE rowid >= %u",
                               2 + pick(8), 2 + pick(8));
    }
}

char *any_write(void) {
    if (w.kind->refers && pick(4) == 0)
        return change_references();
    switch (pick(12)) {
    case 0:
    case 1:
    case 2:
        return update();
    case 3:
    case 4:
    case 5: {
        char *where = condition();
        char *sql = sqlite3_mprintf("DELETE FROM $t WHERE %s", where);
        sqlite3_free(where);
        return sql;
    }
    case 6: /* limits the size of the table */
        return sqlite3_mprintf(
            pick(12) ? "DELETE FROM $t WHERE (SELECT count(*) FROM $t) > 24 AND $w IN "
                       "(1, 3, 4)"
                     : "DELETE FROM $t");
    default:
        return insert();
    }
}

void change_any(void) {
    char *sql = any_write();
    count_kind("write");
    perform(w.fires_functions ? (int)pick(2) : (int)pick(CONNECTIONS), "%s", sql);
    sqlite3_free(sql);
}

/* An INSERT that searches its own table must not see the rows that it adds. */
void change_from_search(void) {
    answer kept = {0}, fresh = {0};
    int who = (int)pick(2);
    const char *from = stored_id();
    const char *source = w.followed && pick(2) ? "'$g'" : "'$t($a, $b, $w$f)'";
    count_kind("write from search");
    if (!w.kind->rowids || w.kind->refers || has(F_triggers) || !fresh_fill(w.db[who]))
        return;
    char *asked =
        sqlite3_mprintf("SELECT vertex, %s, depth FROM gpu_bfs('$g', %s)", from, from);
    char *again = expand(asked, true);
    char *before = expand("SELECT coalesce(max(rowid), 0) FROM $t", false);
    char *last = NULL;
    sqlite3_stmt *s = NULL;
    sqlite3_int64 most = 0;
    if (sqlite3_prepare_v2(w.db[who], before, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        most = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    if (answer_add(&fresh, w.fresh, again) &&
        perform(who,
                "INSERT INTO $t($a, $b, $w) SELECT vertex, %s, depth FROM "
                "gpu_bfs(%s, %s)",
                from, source, from) == SQLITE_OK) {
        char *added =
            sqlite3_mprintf("SELECT $a, $b, $w FROM $t WHERE rowid > %lld", most);
        last = expand(added, false);
        sqlite3_free(added);
        answer_add(&kept, w.db[who], last);
        if (w.kind->plain && !w.kind->unique)
            answers_agree("an INSERT from a search", last, again, &kept, &fresh,
                          SAME_ROWS);
    }
    answer_clear(&kept);
    answer_clear(&fresh);
    sqlite3_free(last);
    sqlite3_free(asked);
    sqlite3_free(again);
    sqlite3_free(before);
}

/* ---- transactions ---- */

void transaction_any(void) {
    int who = (int)pick(CONNECTIONS);
    count_kind("transaction");
    if (sqlite3_get_autocommit(w.db[who]))
        perform(who, "%s", ONE_OF("BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT one"));
    else
        perform(who, "%s",
                ONE_OF("COMMIT", "ROLLBACK", "SAVEPOINT one", "SAVEPOINT two",
                       "ROLLBACK TO one", "ROLLBACK TO two", "RELEASE one", "COMMIT",
                       "PRAGMA recursive_triggers = ON",
                       "PRAGMA recursive_triggers = OFF", "PRAGMA trusted_schema = ON"));
    if (pick(20) == 0)
        perform(who, "PRAGMA reverse_unordered_selects = %d",
                has(F_reversed) && pick(2) == 0);
}
