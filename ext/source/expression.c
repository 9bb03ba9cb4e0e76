/* Checks an SQL expression by SQLite's own parser.
**
**     the host's connection     names of columns and their collations
**     a private one, in memory  CREATE TABLE "row"("open", "kind of" COLLATE ...)
**                               CREATE INDEX i ON "row"(+(TEXT))            these two are
**                               CREATE INDEX i ON "row"(1)                  prepared, but
**                                   WHERE CASE WHEN TEXT THEN 1 END         never run
**         its authorizer        gets the functions and columns in TEXT
**
** In an index expression SQLite refuses subqueries, aggregates, parameters, rowids,
** qualified names and functions that are not deterministic. If the text parses inside
** CASE, its parentheses are balanced, so the parentheses of the other statement hold
** exactly one expression.
**
** The private connection has no functions and collations of the application, and the host
** keeps its own authorizer. The host's list of functions shows whether the application
** has replaced one. */
#include "source.h"
#include "base/statement.h"
#include <string.h>

typedef struct parsing {
    sqlite3 *host;
    const table_info *table;
    bool *used;
    char *fault;
    int rc; /* of statements of the host */
} parsing;

#define TABLE_NAME "row"

/* ---- functions ---- */

/* *built_in: every program that uses SQLite has the function. *same: the function is
** deterministic. */
static int look_up(sqlite3 *db, const char *name, bool *built_in, bool *same) {
    enum { NAME, BUILT_IN, TYPE, FLAGS = 5 };
    sqlite3_stmt *row;
    int rc = statement_prepare(db, &row, "PRAGMA function_list");
    *built_in = true;
    *same = false;
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        if (sqlite3_stricmp(statement_text(row, NAME), name) != 0)
            continue;
        *built_in &= sqlite3_column_int(row, BUILT_IN) != 0;
        *same |= *statement_text(row, TYPE) == 's' &&
                 (sqlite3_column_int(row, FLAGS) & SQLITE_DETERMINISTIC);
    }
    return statement_end(row, rc);
}

static const char foreign[] = "calls a function that is not SQLite's own: %s";

/* Sets p->fault if the function may not be called. */
static void judge_function(parsing *p, const char *name) {
    static const char *const of_time[] = {
        "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"};
    bool built_in, same, timed = false;
    p->rc = look_up(p->host, name, &built_in, &same);
    for (int i = 0; i < COUNT(of_time); i++)
        timed |= sqlite3_stricmp(name, of_time[i]) == 0;
    const char *why = NULL;
    if (sqlite3_stricmp(name, "like") == 0)
        why =
            "uses LIKE, whose answer depends on PRAGMA case_sensitive_like; use GLOB, or "
            "compare the result of lower()";
    else if (!built_in)
        why = foreign;
    else if (!same)
        why = "calls a function that is not a deterministic function of one row: %s";
    else if (timed)
        why = "calls a function that may ask for the time: %s";
    if (p->rc || !why)
        return;
    p->fault = sqlite3_mprintf(why, name);
    if (!p->fault)
        p->rc = SQLITE_NOMEM;
}

/* ---- columns ---- */

/* The collation that column i declares; BINARY for a view. */
static const char *collation_of(const parsing *p, int i) {
    const char *collation = NULL;
    sqlite3_table_column_metadata(p->host, p->table->schema, p->table->name,
                                  p->table->column[i], NULL, &collation, NULL, NULL,
                                  NULL);
    return collation ? collation : "BINARY";
}

static bool is_known(const char *collation) {
    return sqlite3_stricmp(collation, "BINARY") == 0 ||
           sqlite3_stricmp(collation, "NOCASE") == 0 ||
           sqlite3_stricmp(collation, "RTRIM") == 0;
}

/* Marks column i as used, and sets p->fault if it may not be read. */
static void judge_column(parsing *p, int i) {
    const char *collation = collation_of(p, i);
    p->used[i] = true;
    if (is_known(collation))
        return;
    p->fault = sqlite3_mprintf("reads column %s, whose collation is not SQLite's own: %s",
                               p->table->column[i], collation);
    if (!p->fault)
        p->rc = SQLITE_NOMEM;
}

/* The private connection's authorizer. */
static int take_note(void *context, int action, const char *one, const char *two,
                     const char *schema, const char *trigger) {
    (void)schema, (void)trigger;
    parsing *p = context;
    if (action == SQLITE_READ && sqlite3_stricmp(one, TABLE_NAME) == 0) {
        int column = table_column(p->table, two);
        if (column >= 0 && !p->fault && !p->rc)
            judge_column(p, column);
    }
    if (action == SQLITE_FUNCTION && !p->fault && !p->rc)
        judge_function(p, two);
    return p->fault || p->rc ? SQLITE_DENY : SQLITE_OK;
}

/* ---- the private connection ---- */

/* Makes an empty table with the columns. Collations of the application are left out;
** judge_column refuses such columns. */
static int make_table(sqlite3 *db, parsing *p) {
    const table_info *table = p->table;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < table->columns; i++) {
        const char *collation = collation_of(p, i);
        sqlite3_str_appendf(text, "%s\"%w\" COLLATE \"%w\"", i ? ", " : "",
                            table->column[i], is_known(collation) ? collation : "BINARY");
    }
    char *columns = sqlite3_str_finish(text), *error = NULL;
    int rc = columns ? statement_execute(db, &error,
                                         "CREATE TABLE \"" TABLE_NAME "\"(%s)", columns)
                     : SQLITE_NOMEM;
    sqlite3_free(error);
    sqlite3_free(columns);
    return rc;
}

/* Makes a clause of SQLite's message, without its words about the private index. */
static char *clause_of(const char *message) {
    static const char unknown[] = "no such function: ";
    static const char *const contexts[] = {" in index expressions",
                                           " in partial index WHERE clauses"};
    if (strncmp(message, unknown, sizeof unknown - 1) == 0)
        return sqlite3_mprintf(foreign, message + sizeof unknown - 1);
    const char *end = message + strlen(message);
    for (int i = 0; i < 2; i++) {
        const char *context = strstr(message, contexts[i]);
        end = context ? context : end;
    }
    return sqlite3_mprintf("is not allowed: %.*s", (int)(end - message), message);
}

static int parse(sqlite3 *db, parsing *p, const char *format, const char *text) {
    sqlite3_stmt *index;
    int rc = statement_prepare(db, &index, format, text);
    sqlite3_finalize(index);
    if (p->rc || rc == SQLITE_OK || rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
        return p->rc ? p->rc : rc;
    if (!p->fault)
        p->fault = clause_of(sqlite3_errmsg(db));
    return p->fault ? SQLITE_ERROR : SQLITE_NOMEM;
}

int expression_check(sqlite3 *db, const table_info *table, const char *text, bool *used,
                     char **fault) {
    parsing p = {.host = db, .table = table, .used = used};
    sqlite3 *own = NULL;
    int rc = sqlite3_open_v2(
        ":memory:", &own,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE, NULL);
    rc = rc ? rc : make_table(own, &p);
    rc = rc ? rc : sqlite3_db_config(own, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    rc = rc ? rc : sqlite3_set_authorizer(own, take_note, &p);
    rc = rc ? rc : parse(own, &p, "CREATE INDEX i ON \"" TABLE_NAME "\"(+(%s\n))", text);
    if (rc == SQLITE_OK)
        rc = parse(own, &p,
                   "CREATE INDEX i ON \"" TABLE_NAME
                   "\"(1) WHERE CASE WHEN %s\n THEN 1 END",
                   text);
    sqlite3_close(own);
    *fault = p.fault;
    return rc;
}
