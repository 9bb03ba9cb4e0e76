/* Sentences about a fault of a row. They name the row, the column and the cure. */
#include "loader.h"
#include "base/value.h"

/* "NULL", "the REAL 2.5", "a BLOB", "the text 'x'" */
char *fault_value(sqlite3_value *value) {
    const int type = sqlite3_value_type(value);
    return sqlite3_mprintf("%s%s",
                           type == SQLITE_FLOAT  ? "the REAL "
                           : type == SQLITE_TEXT ? "the text "
                                                 : "",
                           VALUE_WRITTEN(value));
}

char *fault_row(const loader *l, sqlite3_value *id) {
    int type = id ? sqlite3_value_type(id) : SQLITE_NULL;
    if (type == SQLITE_NULL)
        return sqlite3_mprintf("row %lld",
                               (sqlite3_int64)(l->count - l->begun_at + l->halves + 1));
    if (type == SQLITE_TEXT)
        return sqlite3_mprintf("edge '%!.40s'", sqlite3_value_text(id));
    return sqlite3_mprintf("edge %lld", sqlite3_value_int64(id));
}

char *fault_sentence(const loader *l, int column, char *row, char *is) {
    static const char vertex[] = "a vertex id is an INTEGER or a TEXT: CAST it to one of "
                                 "them, or leave the row out, in a view or a query";
    static const char weight[] =
        "a weight is a number, finite and not negative: correct it, "
        "or leave the row out, in a view or a query";
    static const char ways[] =
        "a weight is a finite number, or NULL or negative to close this "
        "direction: correct it, or leave the row out, in a view or a query";
    static const struct {
        const char *what, *rule;
    } of[] = {{"source", vertex},
              {"destination", vertex},
              {"weight", weight},
              {"edge id",
               "an edge id is an INTEGER or a TEXT: CAST it to one of them, in a "
               "view or a query"},
              {"reverse weight", ways}};
    char *text =
        is && row ? sqlite3_mprintf(
                        "the %s of %s in %s (column %s) is %s; %s",
                        l->edges ? of[column].what : "vertex id", row, l->rows->name,
                        l->rows->column[column], is,
                        column == WEIGHT_COLUMN && l->two_ways ? ways : of[column].rule)
                  : NULL;
    sqlite3_free(row);
    sqlite3_free(is);
    return text;
}
