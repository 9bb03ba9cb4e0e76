/* Changes of the schema: new names, indexes, VACUUM, a new graph. */
#include "adversary.h"
#include <string.h>

void graph_make(void) {
    w.persists = has(F_persist) && pick(2);
    for (int i = 0; i < 12 && w.persists && !w.schema_version; i++) /* for move_any */
        must(PLAIN, "CREATE TABLE pad(x); DROP TABLE pad");
    w.followed =
        perform(KEEPER, "CREATE VIRTUAL TABLE $g USING gpugraph($t($a, $b, $w$f)%s)",
                w.persists ? ", persist = 1" : "") == SQLITE_OK;
    w.schema_version = (int)number_from(w.db[KEEPER], "PRAGMA schema_version");
    w.schema_version = (int)number_from(w.db[KEEPER], "PRAGMA schema_version");
}

static void rename_column(char *column, const char *one, const char *two) {
    const char *to = strcmp(column, one) ? one : two;
    if (perform(KEEPER, "ALTER TABLE $t RENAME COLUMN %s TO %s", column, to) == SQLITE_OK)
        strcpy(column, to);
}

/* After a table or column has got another name, only the triggers of a graph have the new
** name. So a graph whose triggers are dropped is made again. */
void schema_any(void) {
    count_kind("schema");
    world_settle();
    switch (pick(9)) {
    case 0: {
        const char *to = strcmp(w.table, "roads") ? "roads" : "streets";
        if (perform(KEEPER, "ALTER TABLE $t RENAME TO %s", to) == SQLITE_OK)
            strcpy(w.table, to);
        break;
    }
    case 1:
        rename_column(w.a, "src", "von");
        break;
    case 2:
        rename_column(w.w, "weight", "metres");
        break;
    case 3: {
        const char *to = strcmp(w.graph, "g") ? "g" : "net";
        if (w.followed && perform(KEEPER, "ALTER TABLE $g RENAME TO %s", to) == SQLITE_OK)
            strcpy(w.graph, to);
        break;
    }
    case 4:
        perform((int)pick(CONNECTIONS), "VACUUM");
        break;
    case 5:
        perform(PLAIN, "CREATE INDEX IF NOT EXISTS another ON $t($b, $a)");
        break;
    case 6:
        perform(PLAIN, "DROP INDEX IF EXISTS another");
        break;
    case 7:
        perform(PLAIN, "CREATE TABLE IF NOT EXISTS other(x); DROP TABLE other");
        break;
    default:
        if (!w.followed)
            break;
        must((int)pick(2), "DROP TABLE $g");
        graph_make();
    }
}
