/* Finds the weight of a table or view that is named without its columns, and says what to
** do if there is none.
**
**     roads(id, src, dst, metres, lanes INT)          metres
**     ways(gid, source, target, cost, reverse_cost)   cost, with reverse_cost
**     roads(id, src, dst, toll REAL, name)            unclear, as toll may be meant
**     roads(id, src, dst, name)                       unweighted */
#include "source.h"

/* In order of preference; WEIGHT_NAMES is the same list for sentences. */
static const char *const weights[] = {"weight",  "cost",    "length",  "distance",
                                      "metres",  "meters",  "km",      "miles",
                                      "seconds", "minutes", "duration"};
#define WEIGHT_NAMES                                                                     \
    "weight, cost, length, distance, metres, meters, km, miles, seconds, minutes or "    \
    "duration"

/* True if the column is not an end and does not number the rows. */
static bool is_further(const row_source *rows, int column) {
    const char *name = rows->table.column[column];
    return name != rows->column[SOURCE_COLUMN] && name != rows->column[TARGET_COLUMN] &&
           column != rows->table.integer_primary_key && sqlite3_stricmp(name, "id") != 0;
}

/* SQLite gives NUMERIC affinity to all unknown types, so the name must have NUM or
** DEC. */
static bool is_numeric(const char *type) {
    char affinity = affinity_of_type(type);
    return affinity == 'D' || affinity == 'E' ||
           (affinity == 'C' && (sqlite3_strlike("%NUM%", type, 0) == 0 ||
                                sqlite3_strlike("%DEC%", type, 0) == 0));
}

/* Returns the column with a usual name for weights, or -1. */
static int known_weight(const table_info *table) {
    int column = -1;
    for (int i = 0; i < COUNT(weights) && column < 0; i++)
        column = table_column(table, weights[i]);
    return column;
}

/* The first further column with a numeric type; NULL: none. */
static const char *numeric_column(const row_source *rows) {
    for (int i = 0; i < rows->table.columns; i++)
        if (is_further(rows, i) && is_numeric(rows->table.type[i]))
            return rows->table.column[i];
    return NULL;
}

void source_find_weight(row_source *rows) {
    const table_info *table = &rows->table;
    const int column = known_weight(table);
    /* pgRouting names the columns cost and reverse_cost */
    const int reverse = column >= 0 && sqlite3_stricmp(table->column[column], "cost") == 0
                            ? table_column(table, "reverse_cost")
                            : -1;
    if (column >= 0)
        rows->column[WEIGHT_COLUMN] = table->column[column];
    else
        rows->weight_unclear = numeric_column(rows) != NULL;
    if (reverse >= 0)
        rows->column[REVERSE_COLUMN] = table->column[reverse];
}

/* If a column with a usual name has been added since the graph was made, the graph does
** not use it: the sentence then proposes to name the column. */
void source_doubt_weight(row_source *rows) {
    rows->columns_named = known_weight(&rows->table) >= 0;
    rows->weight_unclear = rows->columns_named || numeric_column(rows);
}

/* , as in 'roads(a, b, metres)', or "" if no column can be proposed. */
static char *proposal(const row_source *rows) {
    const int known = known_weight(&rows->table);
    const char *column[] = {rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN],
                            known >= 0 ? rows->table.column[known]
                                       : numeric_column(rows)};
    if (!column[2])
        return sqlite3_mprintf("%s", "");
    char *typed = source_as_typed(rows, column, 3);
    char *text = typed ? sqlite3_mprintf(", as in %Q", typed) : NULL;
    sqlite3_free(typed);
    return text;
}

char *source_without_weight(const row_source *rows) {
    if (rows->kind == 'q')
        return sqlite3_mprintf("the query in edges has no third column, the weight; "
                               "select one");
    const char *const ends[] = {rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN]};
    char *with = proposal(rows), *without = source_as_typed(rows, ends, 2);
    char *sentence = NULL;
    if (with && without && rows->columns_named)
        sentence = sqlite3_mprintf("%Q names no third column, the weight; name one that "
                                   "holds numbers%s",
                                   without, with);
    else if (with && without)
        sentence =
            sqlite3_mprintf("%s has no weight column; name one that holds numbers%s, "
                            "or let a column be called " WEIGHT_NAMES,
                            rows->name, with);
    sqlite3_free(with);
    sqlite3_free(without);
    return sentence;
}
