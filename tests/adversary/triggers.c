/* Triggers that search while rows change. A recursive query over the current rows gives
** the expected answers.
**
**     same(label, got, wanted)    an SQL function: reports a difference and exits
**
** Every search sees the current rows, also inside a statement that writes many rows. The
** triggers are AFTER, BEFORE or INSTEAD OF, in the file or TEMP, and made before or after
** the graph. Cascades also fire triggers. Some triggers RAISE after the search. */
#include "adversary.h"
#include <stdio.h>
#include <string.h>

static void same(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    const char *label = (const char *)sqlite3_value_text(argv[0]);
    const char *got = (const char *)sqlite3_value_text(argv[1]);
    const char *wanted = (const char *)sqlite3_value_text(argv[2]);
    count(COUNT_COMPARISONS);
    count_kind("firing");
    if (strcmp(got ? got : "", wanted ? wanted : "") != 0)
        wrong("trigger %s:\n    got    %s\n    wanted %s", label, got ? got : "",
              wanted ? wanted : "");
    sqlite3_result_null(context);
}

int triggers_register(sqlite3 *db) {
    return sqlite3_create_function(db, "same", 3, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                                   same, NULL, NULL);
}

/* The vertices reachable from an id with their depths: by the extension, by SQL. */
#define REACHED                                                                          \
    "(SELECT group_concat(v) FROM (SELECT vertex || ':' || depth AS v FROM gpu_bfs("     \
    "%s, %s) ORDER BY typeof(vertex), vertex))"
#define REACHED_AGAIN                                                                    \
    "(WITH RECURSIVE d(v, n) AS (SELECT %s, 0 WHERE EXISTS (SELECT 1 FROM $t WHERE $a "  \
    "= %s OR $b = %s) UNION SELECT r.$b, n + 1 FROM d JOIN $t r ON r.$a = d.v AND r.$b " \
    "IS NOT NULL WHERE n "                                                               \
    "< 16) SELECT group_concat(v || ':' || n) FROM (SELECT v, min(n) AS n FROM d GROUP " \
    "BY v ORDER BY typeof(v), v))"
/* All edges: by the extension, by SQL. */
#define EDGES                                                                            \
    "(SELECT group_concat(e) FROM (SELECT src || '>' || dst || '#' || edge AS e FROM "   \
    "$g "                                                                                \
    "ORDER BY edge))"
#define EDGES_AGAIN                                                                      \
    "(SELECT group_concat(e) FROM (SELECT $a || '>' || $b || '#' || rowid AS e FROM $t " \
    "WHERE $a IS NOT NULL AND $b IS NOT NULL ORDER BY rowid))"

static char *asking(const char *label) {
    if (w.followed && w.kind->rowids && !w.kind->further && pick(3) == 0)
        return sqlite3_mprintf("SELECT same(%Q, " EDGES ", " EDGES_AGAIN ");", label);
    const char *id = stored_id();
    const char *source = w.followed && !w.kind->ways && pick(3) ? "'$g'" : "'$t($a, $b)'";
    return sqlite3_mprintf("SELECT same(%Q, " REACHED ", " REACHED_AGAIN ");", label,
                           source, id, id, id, id);
}

static const char *raise(void) {
    if (pick(4))
        return "";
    return ONE_OF("SELECT RAISE(ABORT, 'no') WHERE new.$w = 3;",
                  "SELECT RAISE(FAIL, 'no') WHERE new.$w = 4;",
                  "SELECT RAISE(ROLLBACK, 'no') WHERE new.$w = 5;",
                  "SELECT RAISE(IGNORE) WHERE new.$w = 6;");
}

static void make_on_table(int who, bool temporary) {
    const char *when = ONE_OF("AFTER", "AFTER", "BEFORE");
    const char *what = ONE_OF("INSERT", "UPDATE", "DELETE");
    uint32_t number = pick(4);
    char label[80];
    snprintf(label, sizeof label, "%s%s %s %u", temporary ? "TEMP " : "", when, what,
             number);
    char *asked = asking(label), *asked_again = asking(label);
    bool twice = pick(3) == 0;
    /* A RAISE between a change of rows and the log's own trigger leaves no log entry. So
    ** only triggers that run before the change RAISE. */
    bool raises =
        strcmp(what, "DELETE") != 0 && strcmp(when, "BEFORE") == 0 && !temporary;
    perform(who,
            "CREATE %s TRIGGER IF NOT EXISTS asks_%u %s %s ON %s$t BEGIN %s %s %s END",
            temporary ? "TEMP" : "", number, when, what, temporary ? "$s." : "", asked,
            raises ? raise() : "", twice ? asked_again : "");
    sqlite3_free(asked);
    sqlite3_free(asked_again);
}

/* Makes a view whose triggers write to the table and search. */
static void make_on_view(int who) {
    char *before = asking("INSTEAD OF, before"), *after = asking("INSTEAD OF, after");
    perform(who, "CREATE VIEW IF NOT EXISTS doors AS SELECT $a AS src, $b AS dst, $w AS "
                 "weight FROM $t");
    perform(who,
            "CREATE TRIGGER IF NOT EXISTS through INSTEAD OF INSERT ON doors BEGIN %s "
            "INSERT OR IGNORE INTO $t($a, $b, $w) VALUES (new.src, new.dst, new.weight); "
            "END",
            before);
    perform(who,
            "CREATE TRIGGER IF NOT EXISTS out INSTEAD OF DELETE ON doors BEGIN "
            "DELETE FROM $t WHERE $a = old.src AND $b = old.dst; %s END",
            after);
    sqlite3_free(before);
    sqlite3_free(after);
}

static void use_view(int who) {
    if (pick(2))
        perform(who, "INSERT INTO doors VALUES (%s, %s, 2), (%s, %s, 1)", stored_id(),
                stored_id(), stored_id(), stored_id());
    else
        perform(who, "DELETE FROM doors WHERE src = %s", stored_id());
}

void trigger_any(void) {
    int who = (int)pick(2);
    count_kind("trigger");
    w.fires_functions = true;
    if (!w.kind->plain)
        return;
    switch (pick(10)) {
    case 0:
    case 1:
        make_on_table(who, false);
        break;
    case 2:
        make_on_table(who, true);
        break;
    case 3:
        perform(who, "DROP TRIGGER IF EXISTS asks_%u", pick(4));
        break;
    case 4:
        make_on_view(who);
        break;
    default:
        use_view(who);
    }
}
