/* Reads by EXPLAIN what a statement may do while it runs. EXPLAIN lists the statement's
** own program, then the programs of triggers and foreign keys that it may fire.
**
**     addr  opcode     p1    p2    p3
**     0     Init
**     5     OpenWrite   0    17     0     p2 the table's root page, p3 its schema
**     31    Halt     1811     3           RAISE(FAIL): p2 3 keeps the finished changes
**     0     Init                          begins a trigger
**     3     VOpen                         may open a table of this extension
**/
#include "program.h"
#include "statement.h"
#include <string.h>

enum { COLUMN_OPCODE = 1, COLUMN_P1, COLUMN_P2, COLUMN_P3, COLUMN_P4, COLUMN_P5 };
enum { LEAVES_ALL = 3 }; /* p2 of Halt: SQLite's OE_Fail */
/* p5 of OpenWrite: p2 is a register, because the program creates the table */
enum { IN_A_REGISTER = 16 };

typedef struct place {
    int schema, root;
} place;

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static int find_place_of_program(sqlite3 *db, const char *schema, const char *table,
                                 place *at) {
    sqlite3_int64 root = -1;
    const char *name;
    *at = (place){-1, -1};
    for (int i = 0; at->schema < 0 && (name = sqlite3_db_name(db, i)) != NULL; i++)
        if (sqlite3_stricmp(name, schema) == 0)
            at->schema = i;
    int rc = statement_integer(db, &root,
                               "SELECT rootpage FROM \"%w\".sqlite_schema WHERE type = "
                               "'table' AND name = %Q",
                               schema, table);
    at->root = (int)root;
    return rc ? rc : root > 0 ? SQLITE_OK : SQLITE_ERROR;
}

/* True if the operation may call this extension. Functions of other extensions may do so
** only through another statement, which scope_open then also finds executing. */
static bool may_call(sqlite3_stmt *op, const char *opcode) {
    return starts(opcode, "VOpen") ||
           ((starts(opcode, "Function") || starts(opcode, "PureFunc")) &&
            starts(statement_text(op, COLUMN_P4), "gpu"));
}

static bool may_write(sqlite3_stmt *op, const char *opcode, const place *at) {
    int p1 = sqlite3_column_int(op, COLUMN_P1), p2 = sqlite3_column_int(op, COLUMN_P2);
    return (starts(opcode, "OpenWrite") && p2 == at->root &&
            sqlite3_column_int(op, COLUMN_P3) == at->schema &&
            !(sqlite3_column_int(op, COLUMN_P5) & IN_A_REGISTER)) ||
           (starts(opcode, "Clear") && p1 == at->root && p2 == at->schema);
}

/* True if the operation may write without a cursor: through a virtual table, which may
** reach any page, or to a whole table or file. */
static bool may_write_past(const char *opcode) {
    static const char *const past[] = {"VUpdate", "VCreate", "VDestroy", "VRename",
                                       "Destroy", "SqlExec", "Vacuum",   "IncrVacuum"};
    for (int i = 0; i < COUNT(past); i++)
        if (strcmp(opcode, past[i]) == 0)
            return true;
    return false;
}

static int list_program(sqlite3 *db, const char *sql, const place *at, program *made) {
    sqlite3_stmt *op;
    int programs = 0, step = SQLITE_DONE;
    int rc = statement_prepare(db, &op, "EXPLAIN %s", sql);
    while (rc == SQLITE_OK && (step = sqlite3_step(op)) == SQLITE_ROW) {
        const char *opcode = statement_text(op, COLUMN_OPCODE);
        programs += strcmp(opcode, "Init") == 0;
        made->triggers_call |= programs > 1 && may_call(op, opcode);
        made->writes |= may_write(op, opcode, at);
        made->writes_past |= may_write_past(opcode);
        made->may_stop |=
            starts(opcode, "Halt") && sqlite3_column_int(op, COLUMN_P2) == LEAVES_ALL;
    }
    sqlite3_finalize(op);
    return rc ? rc : step == SQLITE_DONE ? SQLITE_OK : step;
}

int program_read(sqlite3 *db, const char *sql, const char *schema, const char *table,
                 program *made) {
    place at = {-1, -1};
    *made = (program){0};
    int rc = sql ? SQLITE_OK : SQLITE_ERROR;
    if (rc == SQLITE_OK && table)
        rc = find_place_of_program(db, schema, table, &at);
    rc = rc ? rc : list_program(db, sql, &at, made);
    if (rc)
        *made = (program){true, true, true, true};
    return rc == SQLITE_NOMEM ? rc : SQLITE_OK;
}
