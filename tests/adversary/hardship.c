/* Hosts that refuse: allocations that fail, interrupts, and an authorizer. Afterwards a
** connection must answer as before. */
#include "adversary.h"
#include "failing_memory.h"
#include "sqlite_memory.h"
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

void memory_begin(void) {
    sqlite_memory_may_fail();
}

static bool is_no_memory(int rc) {
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM;
}

/* An allocation of SQLite or of the library fails. The answer must be correct or an error
** about memory, and the next answer must be correct. */
void memory_any(void) {
    answer kept = {0}, fresh = {0};
    int agreement, who = (int)pick(2);
    char *again, *text = any_question(who, &again, &agreement);
    count_kind("memory");
    if (fresh_fill(w.db[who])) {
        answer_add(&fresh, w.fresh, again);
        answer_reserve(&kept);
        bool of_sqlite = pick(2), for_good = pick(3) == 0;
        int n = 1 + (int)pick(pick(2) ? 40 : 400);
        trace("memory", text,
              of_sqlite ? "an allocation of SQLite fails" : "one of ours");
        if (of_sqlite)
            sqlite_countdown = n;
        else
            fail_from(n, for_good);
        answer_add(&kept, w.db[who], text);
        fail_no_more();
        sqlite_countdown = 0;
        if (kept.rc == SQLITE_OK)
            answers_agree("little memory", text, again, &kept, &fresh, agreement);
        else if (fresh.rc == SQLITE_OK && !is_no_memory(kept.rc) && !is_locked(kept.rc))
            wrong("little memory: %s: %d %s", text, kept.rc, kept.error);
        answer_clear(&kept);
        answer_clear(&fresh);
        ask_texts(w.db[who], "after little memory", text, again, agreement);
    }
    sqlite3_free(text);
    sqlite3_free(again);
}

/* ---- interrupts ---- */

static int interrupt(void *context) {
    int *left = context;
    return --*left <= 0;
}

/* Interrupts at a random step of the statement or a nested one (progress handler). */
void interrupt_any(void) {
    answer kept = {0}, fresh = {0};
    int agreement, who = (int)pick(2), left = 1 + (int)pick(30);
    char *again, *text = any_question(who, &again, &agreement);
    count_kind("interrupt");
    if (fresh_fill(w.db[who])) {
        answer_add(&fresh, w.fresh, again);
        trace("interrupt", text, "asked");
        sqlite3_progress_handler(w.db[who], 1 + (int)pick(50), interrupt, &left);
        answer_add(&kept, w.db[who], text);
        sqlite3_progress_handler(w.db[who], 0, NULL, NULL);
        trace_outcome(kept.rc ? kept.error : "ok");
        if (kept.rc == SQLITE_OK)
            answers_agree("interrupt", text, again, &kept, &fresh, agreement);
        else if (fresh.rc == SQLITE_OK && kept.rc != SQLITE_INTERRUPT &&
                 !is_locked(kept.rc))
            wrong("interrupted: %s: %d %s", text, kept.rc, kept.error);
        answer_clear(&kept);
        answer_clear(&fresh);
        ask_texts(w.db[who], "after an interrupt", text, again, agreement);
    }
    sqlite3_free(text);
    sqlite3_free(again);
}

/* ---- an authorizer ---- */

enum denial { DENY_TABLE, DENY_COLUMN, DENY_ALL_READS, DENY_SOME, DENIALS };

typedef struct denier {
    enum denial what;
    uint64_t dice;
} denier;

static int deny(void *context, int action, const char *one, const char *two,
                const char *schema, const char *by) {
    denier *d = context;
    (void)schema, (void)by;
    bool of_table = action == SQLITE_READ && one && sqlite3_stricmp(one, w.table) == 0;
    switch (d->what) {
    case DENY_TABLE:
        return of_table ? SQLITE_DENY : SQLITE_OK;
    case DENY_COLUMN:
        return of_table && two && sqlite3_stricmp(two, w.b) == 0 ? SQLITE_DENY
                                                                 : SQLITE_OK;
    case DENY_ALL_READS:
        return action == SQLITE_READ && one && strncmp(one, "gpu", 3) ? SQLITE_DENY
                                                                      : SQLITE_OK;
    default: /* any action, sometimes */
        d->dice = d->dice * 6364136223846793005u + 1442695040888963407u;
        return d->dice >> 61 == 0 ? SQLITE_DENY : SQLITE_OK;
    }
}

/* If the authorizer denies reads of the table, a search has no rows. Without the
** authorizer the search has its rows again. */
void authorizer_any(void) {
    answer kept = {0}, fresh = {0};
    question q;
    int who = (int)pick(2);
    denier d = {(enum denial)pick(DENIALS), pick(1u << 30)};
    const char *from = stored_id();
    world_asks(who);
    count_kind("authorizer");
    question_begin(&q);
    question_kept(&q, "SELECT vertex, depth FROM gpu_bfs('$t($a, $b)', %s)", from);
    question_fresh(&q, "SELECT vertex, depth FROM gpu_bfs('$t($a, $b)', %s)", from);
    char *k = sqlite3_str_finish(q.kept), *f = sqlite3_str_finish(q.fresh);
    char *text = expand(k, false), *again = expand(f, true);
    if (!has(F_errors))
        ask_texts(w.db[who], "before an authorizer", text, again, SAME_ROWS);
    if (!has(F_errors) && fresh_fill(w.db[who])) {
        trace("authorizer", text,
              ((const char *[]){"the table is refused", "a column is refused",
                                "all reading is refused", "this and that"})[d.what]);
        sqlite3_set_authorizer(w.db[who], deny, &d);
        answer_add(&kept, w.db[who], text);
        sqlite3_set_authorizer(w.db[who], NULL, NULL);
        count(COUNT_COMPARISONS);
        if (d.what != DENY_SOME && kept.rc == SQLITE_OK && kept.rows > 0) {
            char *rows = answer_text(&kept);
            wrong("a search has rows that an authorizer denies: %s: %s", text, rows);
        }
        answer_add(&fresh, w.fresh, again);
        if (kept.rc == SQLITE_OK && d.what == DENY_SOME)
            answers_agree("an authorizer", text, again, &kept, &fresh, SAME_ROWS);
        answer_clear(&kept);
        answer_clear(&fresh);
        ask_texts(w.db[who], "after an authorizer", text, again, SAME_ROWS);
    }
    sqlite3_free(k);
    sqlite3_free(f);
    sqlite3_free(text);
    sqlite3_free(again);
}
