/* What a statement may do while it runs, as EXPLAIN lists it: the statement's own program,
** then those of the triggers and foreign keys that it may fire.
**
**     addr  opcode     p1    p2    p3
**     0     Init
**     5     OpenWrite   0    17     0     p2 the table's root page, p3 its schema
**     31    Halt     1811     3           RAISE(FAIL): p2 says what becomes of what is done
**     0     Init                          a trigger
**     3     VOpen                         which may be a table of this extension
**/
#include "program.h"
#include "statement.h"
#include <string.h>

enum { COLUMN_OPCODE = 1, COLUMN_P1, COLUMN_P2, COLUMN_P3, COLUMN_P4 };
enum { LEAVES_ALL = 3 }; /* p2 of Halt: SQLite's OE_Fail */

typedef struct place {
    int schema, root;
} place;

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static int find_place(sqlite3 *db, const table_info *table, place *at) {
    sqlite3_stmt *statement;
    const char *name;
    *at = (place){-1, -1};
    if (!table)
        return SQLITE_OK;
    for (int i = 0; at->schema < 0 && (name = sqlite3_db_name(db, i)) != NULL; i++)
        if (sqlite3_stricmp(name, table->schema) == 0)
            at->schema = i;
    int rc = statement_prepare(db, &statement,
                               "SELECT rootpage FROM \"%w\".sqlite_schema WHERE type = "
                               "'table' AND name = %Q",
                               table->schema, table->name);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        at->root = sqlite3_column_int(statement, 0);
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish ? finish : at->root > 0 ? SQLITE_OK : SQLITE_ERROR;
}

/* No other function runs SQL unless by a statement of its own, which is executing then. */
static bool may_call(sqlite3_stmt *op, const char *opcode) {
    return starts(opcode, "VOpen") ||
           ((starts(opcode, "Function") || starts(opcode, "PureFunc")) &&
            starts(statement_text(op, COLUMN_P4), "gpu"));
}

static bool may_write(sqlite3_stmt *op, const char *opcode, const place *at) {
    int p1 = sqlite3_column_int(op, COLUMN_P1), p2 = sqlite3_column_int(op, COLUMN_P2);
    return (starts(opcode, "OpenWrite") && p2 == at->root &&
            sqlite3_column_int(op, COLUMN_P3) == at->schema) ||
           (starts(opcode, "Clear") && p1 == at->root && p2 == at->schema);
}

static int list(sqlite3 *db, const char *sql, const place *at, program *made) {
    sqlite3_stmt *op;
    int programs = 0, step = SQLITE_DONE;
    int rc = statement_prepare(db, &op, "EXPLAIN %s", sql);
    while (rc == SQLITE_OK && (step = sqlite3_step(op)) == SQLITE_ROW) {
        const char *opcode = statement_text(op, COLUMN_OPCODE);
        programs += strcmp(opcode, "Init") == 0;
        made->triggers_call |= programs > 1 && may_call(op, opcode);
        made->writes |= may_write(op, opcode, at);
        made->may_stop |=
            starts(opcode, "Halt") && sqlite3_column_int(op, COLUMN_P2) == LEAVES_ALL;
    }
    sqlite3_finalize(op);
    return rc ? rc : step == SQLITE_DONE ? SQLITE_OK : step;
}

int program_read(sqlite3 *db, const char *sql, const table_info *table, program *made) {
    place at;
    *made = (program){false, false, false};
    int rc = sql ? find_place(db, table, &at) : SQLITE_ERROR;
    if (rc == SQLITE_OK)
        rc = list(db, sql, &at, made);
    if (rc)
        *made = (program){true, true, true};
    return rc == SQLITE_NOMEM ? rc : SQLITE_OK;
}
