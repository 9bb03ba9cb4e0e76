/* Functions of a graph and of its connection, statements that wait while rows change, and
** a log with entries of other programs. */
#include "adversary.h"
#include <string.h>

/* ---- gpugraph_delete_vertex: all edges or none ---- */

void delete_vertex_any(void) {
    answer kept = {0}, fresh = {0}, outcome = {0};
    int who = (int)pick(2);
    const char *id = stored_id();
    if (!w.followed || !w.kind->plain || !w.kind->rowids || w.kind->refers)
        return;
    world_asks(who);
    count_kind("delete vertex");
    bool guarded =
        pick(2) && perform(who,
                           "CREATE TEMP TRIGGER guard BEFORE DELETE ON $s.$t "
                           "WHEN old.$w = 2 BEGIN SELECT RAISE(%s, 'kept'); END",
                           ONE_OF("FAIL", "FAIL", "ABORT")) == SQLITE_OK;
    if (!fresh_fill(w.db[who]))
        return;
    char *call = sqlite3_mprintf("SELECT gpugraph_delete_vertex('$g', %s)", id);
    char *text = expand(call, false);
    trace(who == KEEPER ? "keeper" : "second", text, "asked");
    bool done = answer_add(&outcome, w.db[who], text);
    bool locked = is_locked(outcome.rc);
    trace_outcome(done ? "ok" : outcome.error);
    char *wanted = sqlite3_mprintf(
        "SELECT rowid, $a, $b, $w FROM $t WHERE %s OR $a IS NULL "
        "OR $b IS NULL OR ($a <> %s AND $b <> %s)%s",
        done ? "0" : "1", id, id,
        w.kind->ways ? " OR ifnull($w, -1) < 0 AND ifnull(back, -1) < 0" : "");
    char *again = expand(wanted, true);
    char *rows = expand("SELECT rowid, $a, $b, $w FROM $t", false);
    if (!locked && answer_add(&kept, w.db[who], rows) &&
        answer_add(&fresh, w.fresh, again))
        answers_agree(text, rows, again, &kept, &fresh, SAME_ROWS);
    if (guarded)
        perform(who, "DROP TRIGGER guard");
    answer_clear(&outcome);
    answer_clear(&kept);
    answer_clear(&fresh);
    sqlite3_free(call);
    sqlite3_free(text);
    sqlite3_free(wanted);
    sqlite3_free(again);
    sqlite3_free(rows);
}

void check_any(void) {
    question q;
    if (!w.followed || has(F_errors))
        return;
    question_begin(&q);
    question_kept(&q, "SELECT gpugraph_check('$g')");
    question_fresh(&q, "SELECT 'ok'");
    ask(w.db[pick(2)], "check", &q);
}

/* ---- gpugraph_timings ---- */

static void look_at_timings(int who, const char *wanted) {
    answer got = {0}, expected = {0};
    const char *sql =
        "SELECT (SELECT phase FROM gpugraph_timings ORDER BY rowid DESC LIMIT 1), "
        "(SELECT count(*) FROM gpugraph_timings WHERE phase = 'total'), "
        "(SELECT count(*) FROM gpugraph_timings WHERE phase = 'read')";
    answer_add(&got, w.db[who], sql);
    answer_add(&expected, w.fresh, wanted);
    answers_agree("gpugraph_timings", sql, wanted, &got, &expected, SAME_ROWS);
}

/* A view is read for every search, even after other look-ups in the graph. */
void timings_any(void) {
    answer ignored = {0};
    int who = (int)pick(2);
    count_kind("timings");
    if (!fresh_fill(w.db[who]) || has(F_errors))
        return;
    for (uint32_t i = pick(3); w.followed && i > 0; i--)
        perform(who,
                ONE_OF("SELECT * FROM $g WHERE src = %s", "SELECT gpugraph_check('$g')",
                       "SELECT count(*) FROM gpu_bfs('$g', %s)"),
                stored_id());
    const char *sql = "SELECT vertex FROM gpu_mis('ways')";
    trace(who == KEEPER ? "keeper" : "second", sql, "asked");
    if (answer_add(&ignored, w.db[who], sql))
        look_at_timings(who, "SELECT 'total', 1, 1");
    answer_clear(&ignored);
}

/* ---- a text does not end at a zero byte ---- */

/* 'a', a zero byte and 'b' are not the vertex 'a': the call has no rows, or an error. */
void zero_any(void) {
    answer got = {0};
    source_text s = any_source();
    int who = (int)pick(2);
    char *sql =
        pick(2) ? sqlite3_mprintf(
                      "SELECT 1 FROM gpu_bfs(%s) WHERE sources = %s", s.kept,
                      ONE_OF("'[\"a\\u0000b\"]'", "json_array('a' || char(0) || 'b')"))
                : sqlite3_mprintf("SELECT 1 FROM gpu_bfs(%s, 'a' || char(0) || "
                                  "'b')",
                                  s.kept);
    world_asks(who);
    char *text = expand(sql, false);
    count_kind("zero");
    count(COUNT_COMPARISONS);
    trace("zero", text, "asked");
    answer_add(&got, w.db[who], text);
    if (got.rows > 0)
        wrong("text with a zero byte is found: %s", text);
    answer_clear(&got);
    sqlite3_free(sql);
    sqlite3_free(text);
}

/* ---- a statement that waits while rows change ---- */

/* A statement that has returned a row gets its other rows from the graph as it was then.
** A ROLLBACK may end the statement with an error. */
void held_any(void) {
    answer kept = {0}, fresh = {0};
    int who = (int)pick(2), rc;
    sqlite3_stmt *held = NULL;
    const char *name = w.followed && pick(2) ? "$g" : "$t($a, $b, $w$f)";
    if (has(F_errors) || !fresh_fill(w.db[who]))
        return;
    world_asks(who);
    count_kind("held");
    char *sql = sqlite3_mprintf("SELECT vertex, depth FROM gpu_bfs('%s', %s) WHERE "
                                "direction = '%s'",
                                name, stored_id(), ONE_OF("out", "both"));
    char *text = expand(sql, false), *again = expand(sql, true);
    answer_add(&fresh, w.fresh, again);
    trace("held", text, "begun");
    if (sqlite3_prepare_v2(w.db[who], text, -1, &held, NULL) == SQLITE_OK &&
        answer_take(&kept, held, 1) == SQLITE_ROW) {
        for (uint32_t i = 1 + pick(4); i > 0; i--) {
            char *write = any_write();
            perform((int)pick(2), "%s", write);
            sqlite3_free(write);
            ask_any((int)pick(2));
        }
        rc = answer_take(&kept, held, 1000);
        trace("held", text, rc == SQLITE_DONE ? "at its end" : "ended");
        if (rc == SQLITE_DONE)
            answers_agree("held", text, again, &kept, &fresh, SAME_ROWS);
    }
    sqlite3_finalize(held);
    answer_clear(&kept);
    answer_clear(&fresh);
    sqlite3_free(sql);
    sqlite3_free(text);
    sqlite3_free(again);
}

/* ---- the log with entries of other programs ---- */

/* The answers may then be wrong, but each statement must end with rows or an error. */
void forge_any(void) {
    static const char *const forgeries[] = {
        "INSERT OR REPLACE INTO $g_log(rowid, edge) VALUES (9223372036854775807, 1)",
        "INSERT OR REPLACE INTO $g_log(rowid, edge) VALUES (-9223372036854775808, 1)",
        "UPDATE OR IGNORE $g_log SET rowid = -rowid",
        "UPDATE OR IGNORE $g_log SET rowid = rowid + 9223372036854775000",
        "UPDATE $g_log SET edge = 'x'",
        "UPDATE $g_log SET edge = 9223372036854775807",
        "UPDATE $g_log SET mark = rowid % 7",
        "DELETE FROM $g_log WHERE rowid % 3 = 0",
        "DELETE FROM $g_log",
        "UPDATE $g_blocks SET data = 'gpugraph 4 7 9223372036854775807 1 1 100 9 9 9 9 "
        "9' WHERE "
        "rowid "
        "= 2",
        "UPDATE $g_blocks SET data = replace(data, 'gpugraph 4', 'gpugraph 4 1') WHERE "
        "rowid = 2",
        "UPDATE $g_blocks SET data = zeroblob(length(data)) WHERE rowid = 3",
    };
    if (!w.followed)
        return;
    world_settle();
    for (int i = 0; i < 12; i++) {
        answer ignored = {0};
        char *fresh, *text;
        int agreement;
        count_kind("forged");
        perform(PLAIN, "%s", forgeries[pick(sizeof forgeries / sizeof *forgeries)]);
        sqlite3 *db = pick(2) ? world_open(w.file, true) : w.db[KEEPER];
        text = any_question(KEEPER, &fresh, &agreement);
        trace("forged", text, "asked");
        answer_add(&ignored, db, text);
        answer_clear(&ignored);
        sqlite3_free(text);
        sqlite3_free(fresh);
        if (db != w.db[KEEPER])
            sqlite3_close(db);
    }
}
