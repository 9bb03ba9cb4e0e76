/* The weight of a table or view that is named without its columns, and the sentences for
** searches by weight where there is none.
**
**     roads(id, src, dst, metres, lanes INT)    the weight is metres
**     roads(id, src, dst, toll REAL, name)      toll may be meant: nobody guesses
**     roads(id, src, dst, name)                 unweighted */
#include "source.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* In this order; what a sentence says of them stands below. */
static const char *const weights[] = {"weight",  "cost",    "length",  "distance",
                                      "metres",  "meters",  "km",      "miles",
                                      "seconds", "minutes", "duration"};
#define WEIGHT_NAMES                                                                     \
    "weight, cost, length, distance, metres, meters, km, miles, seconds, minutes or "    \
    "duration"

/* A column other than the ends, and not one that says which row it is. */
static bool is_further(const row_source *rows, int column) {
    const char *name = rows->table.column[column];
    return name != rows->column[SOURCE_COLUMN] && name != rows->column[TARGET_COLUMN] &&
           column != rows->table.integer_primary_key && sqlite3_stricmp(name, "id") != 0;
}

/* SQLite gives NUMERIC affinity to whatever it does not know, dates and booleans too. */
static bool is_numeric(const char *type) {
    char affinity = affinity_of_type(type);
    return affinity == 'D' || affinity == 'E' ||
           (affinity == 'C' && (sqlite3_strlike("%NUM%", type, 0) == 0 ||
                                sqlite3_strlike("%DEC%", type, 0) == 0));
}

/* -1: there is none. */
static int known_weight(const table_info *table) {
    int column = -1;
    for (int i = 0; i < COUNT(weights) && column < 0; i++)
        column = table_column(table, weights[i]);
    return column;
}

static bool others_may_be_meant(const row_source *rows) {
    bool found = false;
    for (int i = 0; i < rows->table.columns; i++)
        found |= is_further(rows, i) && is_numeric(rows->table.type[i]);
    return found;
}

void source_find_weight(row_source *rows) {
    int column = known_weight(&rows->table);
    if (column >= 0)
        rows->column[WEIGHT_COLUMN] = rows->table.column[column];
    else
        rows->weight_unclear = others_may_be_meant(rows);
}

/* A column of a known name has come since the graph was made: the graph names none. */
void source_doubt_weight(row_source *rows) {
    rows->columns_named = known_weight(&rows->table) >= 0;
    rows->weight_unclear = rows->columns_named || others_may_be_meant(rows);
}

/* The first further column that may hold weights, for an example. */
static const char *example(const row_source *rows) {
    int known = known_weight(&rows->table);
    if (known >= 0)
        return rows->table.column[known];
    for (int i = 0; i < rows->table.columns; i++)
        if (is_further(rows, i) && is_numeric(rows->table.type[i]))
            return rows->table.column[i];
    return "metres";
}

/* All columns, or the further ones of numbers. */
static char *list_columns(const row_source *rows, bool numbers) {
    sqlite3_str *list = sqlite3_str_new(NULL);
    int count = 0;
    for (int i = 0; i < rows->table.columns; i++)
        if (!numbers || (is_further(rows, i) && is_numeric(rows->table.type[i])))
            name_list_add(list, count++, rows->table.column[i]);
    name_list_end(list, count);
    return sqlite3_str_finish(list);
}

char *source_without_weight(const row_source *rows) {
    const char *table = rows->table.name, *a = rows->column[SOURCE_COLUMN],
               *b = rows->column[TARGET_COLUMN];
    if (rows->kind == 'q')
        return sqlite3_mprintf("the query in edges has no third column, the weight; "
                               "select one, as in 'SELECT a, b, metres FROM roads'");
    const bool choice = rows->weight_unclear && !rows->columns_named;
    char *names = list_columns(rows, choice), *sentence = NULL;
    if (names && choice)
        sentence = sqlite3_mprintf(
            "%s has no column of a name that is known for weights (" WEIGHT_NAMES
            "), and "
            "others that are numbers (%s): choose one, as in '%s(%s, %s, %s)', or none, "
            "as "
            "in '%s(%s, %s)'",
            rows->name, names, table, a, b, example(rows), table, a, b);
    else if (names && rows->columns_named)
        sentence = sqlite3_mprintf(
            "'%s(%s, %s)' names no third column, the weight; name one, as in '%s(%s, %s, "
            "%s)' (columns: %s)",
            table, a, b, table, a, b, example(rows), names);
    else if (names)
        sentence = sqlite3_mprintf("%s has no weight column; name one, as in '%s(%s, %s, "
                                   "%s)', or let a column be "
                                   "called " WEIGHT_NAMES " (columns: %s)",
                                   rows->name, table, a, b, example(rows), names);
    sqlite3_free(names);
    return sentence;
}
