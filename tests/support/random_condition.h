/* Random tables, and random conditions over their columns, each of which is compared with
** SQLite row by row. The including file defines the source of random numbers. */
#ifndef TEST_RANDOM_CONDITION_H
#define TEST_RANDOM_CONDITION_H

#include "pages/condition.h"
#include "random_sql.h"

#include <stdlib.h>

/* A condition, and what the generator knows about it. */
typedef struct random_condition {
    sqlite3_str *sql;
    bool simple;
    bool truth; /* a column stands as a truth value, which SQLite may have to convert */
} random_condition;

static const char *const condition_column[] = {"id",   "c1",       "\"c2\"", "[kind of]",
                                               "`C4`", "\"true\"", "x"};
enum { CONDITION_NAMES = sizeof condition_column / sizeof *condition_column };
static uint32_t condition_columns; /* the first ones are columns of the table */

/* ---- values ---- */

static inline const char *random_number(void) {
    return ONE_OF("0", "1", "-1", "5", "+5", "5.0", "127", "128", "-129", "32768",
                  "-8388609", "2147483648", "-140737488355329", "9007199254740992",
                  "9007199254740993", "-9007199254740993", "9007199254740992.0",
                  "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                  "9223372036854774784.0", "-9.3e18", "0.5", "-0.0", ".5", "5.", "1e3",
                  "1E+3", "12e-1", "1e300", "9e999", "-9e999", "0x10", "- 5", "1000");
}

static inline const char *random_string(void) {
    return ONE_OF("'abc'", "'ABC'", "'abc  '", "'aBc '", "'a'", "'[b'", "'Zb'", "'b'",
                  "''", "'  '", "'it''s'", "'caf\u00e9'", "'CAF\u00c9'", "'5'", "'5.0'",
                  "'05'", "' 5 '", "'5 km'", "'1e3'", "'1000'", "'0x10'", "'.5'", "'0.5'",
                  "'-0'", "'0'", "'+5'", "'5.'", "'1e'", "'9007199254740993'",
                  "'9007199254740992.0'", "'9223372036854775808'", "'1e400'", "'Inf'",
                  "'1_000'", "'-'", "'-9223372036854775808'");
}

static inline const char *random_literal(void) {
    switch (pick(8)) {
    case 0:
        return ONE_OF("NULL", "null");
    case 1:
        return ONE_OF("x''", "x'00'", "X'616263'", "x'35'", "x'352e30'");
    case 2:
    case 3:
    case 4:
        return random_string();
    default:
        return random_number();
    }
}

/* A stored value: also texts with a zero byte, and long ones. */
static inline const char *random_stored(void) {
    if (pick(12))
        return random_literal();
    return ONE_OF("char(97, 0, 98)", "char(97, 0)", "'a' || char(0) || 'B'",
                  "hex(zeroblob(40))", "hex(zeroblob(300))", "zeroblob(700)", "1 / 3.0",
                  "char(65, 0, 67)");
}

/* ---- tables ---- */

static inline const char *random_collation(void) {
    return ONE_OF("", "", "", "COLLATE NOCASE", "COLLATE RTRIM", "collate binary");
}

static inline const char *random_column_type(void) {
    return ONE_OF("", "INT", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR(9)",
                  "DOUBLE", "DECIMAL(5,2)", "TEXT", "FLOATING POINT", "BOOLEAN");
}

static inline bool run_text(sqlite3 *db, sqlite3_str *str) {
    char *sql = sqlite3_str_finish(str);
    const bool fine = sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return fine;
}

/* Inserts rows with random values in the columns; some values are refused. */
static inline void add_random_rows(sqlite3 *db, uint32_t rows) {
    while (rows-- > 0) {
        sqlite3_str *sql = sqlite3_str_new(NULL);
        sqlite3_str_appendall(sql, "INSERT INTO r(filler");
        for (uint32_t i = 0; i < condition_columns; i++)
            sqlite3_str_appendf(sql, ", %s", condition_column[i]);
        sqlite3_str_appendf(sql, ") VALUES(%s", random_stored());
        for (uint32_t i = 0; i < condition_columns; i++)
            sqlite3_str_appendf(sql, ", %s", random_stored());
        sqlite3_str_appendall(sql, ")");
        run_text(db, sql);
    }
}

/* Makes the table r with some rows, a part of which are older than the last columns. */
static inline void make_random_table(sqlite3 *db, uint32_t rows) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    condition_columns = 1 + pick(CONDITION_NAMES);
    const uint32_t early = 1 + pick(condition_columns);
    const uint32_t last = condition_columns;
    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS r; CREATE TABLE r(");
    if (pick(2))
        sqlite3_str_appendall(sql, "filler, ");
    const bool first = sqlite3_str_value(sql)[sqlite3_str_length(sql) - 2] == ',';
    for (uint32_t i = 0; i < early; i++) {
        const char *type = i == 0 && pick(2)
                               ? ONE_OF("INTEGER PRIMARY KEY", "INTEGER",
                                        "INTEGER PRIMARY KEY DESC", "INT PRIMARY KEY")
                               : random_column_type();
        sqlite3_str_appendf(sql, "%s%s %s %s", i ? ", " : "", condition_column[i], type,
                            random_collation());
    }
    sqlite3_str_appendall(sql, first ? ")" : ", filler)");
    run_text(db, sql);
    condition_columns = early;
    add_random_rows(db, rows / 2);
    for (uint32_t i = early; i < last; i++) {
        sql = sqlite3_str_new(NULL);
        sqlite3_str_appendf(sql, "ALTER TABLE r ADD COLUMN %s %s %s", condition_column[i],
                            random_column_type(), random_collation());
        if (pick(4))
            sqlite3_str_appendf(sql, " DEFAULT %s", random_literal());
        run_text(db, sql);
        condition_columns++;
        add_random_rows(db, rows / 8);
    }
    add_random_rows(db, rows / 2);
}

/* ---- conditions ---- */

static inline const char *random_name(void) {
    return condition_column[pick(condition_columns)];
}

/* Appends the text with random spaces, comments and capitals.
 */
static inline void append_random(random_condition *c, const char *text) {
    for (; *text; text++) {
        const bool letter = *text >= 'A' && *text <= 'Z';
        sqlite3_str_appendchar(c->sql, 1, (char)(letter && pick(2) ? *text + 32 : *text));
        if (*text == ' ' && pick(8) == 0)
            sqlite3_str_appendall(c->sql, ONE_OF("  ", "\n", "\t", "/* ( */ ", "-- '\n"));
    }
}

/* A column or a literal, sometimes in parentheses. */
static inline void append_operand(random_condition *c, const char *operand) {
    if (pick(10))
        sqlite3_str_appendall(c->sql, operand);
    else
        sqlite3_str_appendf(c->sql, "(%s )", operand);
}

/* A literal; TRUE only if no column has this name. */
static inline void append_literal(random_condition *c) {
    const bool named = condition_columns > 5;
    append_operand(c, pick(12) ? random_literal()
                      : named  ? "FALSE"
                               : ONE_OF("TRUE", "false"));
}

static inline void append_complicated(random_condition *c) {
    const char *name = random_name(), *other = random_name();
    c->simple = false;
    switch (pick(6)) {
    case 0:
        sqlite3_str_appendf(c->sql,
                            ONE_OF("%s = %s", "%s + 1 > %s", "%s || %s = 'ab'",
                                   "%s = 5 + %s", "(%s, 1) = (%s, 1)",
                                   "%s BETWEEN %s AND 6", "%s IN (1, %s)",
                                   "coalesce(%s, %s) = 1", "%s IS %s"),
                            name, other);
        break;
    case 1:
        sqlite3_str_appendf(c->sql,
                            ONE_OF("abs(%s) > 3", "CAST(%s AS TEXT) = '5'",
                                   "%s COLLATE NOCASE = 'abc'", "%s GLOB 'a*'", "+%s = 5",
                                   "-%s = 5", "~%s = 5", "(%s = 5) = 1",
                                   "%s = 'abc' COLLATE RTRIM", "%s = 5 + 0"),
                            name);
        break;
    case 2:
        sqlite3_str_appendf(c->sql,
                            ONE_OF("%s < 5 IS NULL", "5 IN (%s)", "%s IN ()",
                                   "CASE WHEN %s THEN 1 END", "5 BETWEEN %s AND 6",
                                   "%s = 1 = 1", "%s = - - 5", "%s = +TRUE", "%s = NOT 5",
                                   "%s IS NOT NULL IS NULL"),
                            name);
        break;
    case 3:
        sqlite3_str_appendf(c->sql,
                            ONE_OF("(NOT %s) = 1", "%s -> '$' = 1", "%s << 1 > 4",
                                   "%s NOT GLOB 'a*'", "length(%s) = 3", "%s = -x'35'",
                                   "%s BETWEEN 1 AND 5 = 1", "(%s) COLLATE BINARY = 'a'"),
                            name);
        break;
    default:
        sqlite3_str_appendall(c->sql, ONE_OF("5", "NULL", "5 = 5", "'abc' IS NULL",
                                             "NOT 5", "5 IS 5", "1 IN (1, 2)"));
    }
}

static inline void append_comparison(random_condition *c) {
    const char *sign = ONE_OF("=", "==", "<>", "!=", "<", "<=", ">", ">=", " IS ",
                              " IS NOT ", "=", "<", ">");
    const bool turned = pick(3) == 0;
    if (turned)
        append_literal(c);
    else
        append_operand(c, random_name());
    if (pick(2))
        sqlite3_str_appendall(c->sql, " ");
    append_random(c, sign);
    if (pick(2))
        sqlite3_str_appendall(c->sql, " ");
    if (turned)
        append_operand(c, random_name());
    else
        append_operand(c, random_literal());
}

static inline void append_list(random_condition *c) {
    append_operand(c, random_name());
    append_random(c, ONE_OF(" IN (", " NOT IN (", " IN("));
    for (uint32_t left = pick(4);; left--) {
        append_literal(c);
        if (left == 0)
            break;
        append_random(c, ", ");
    }
    append_random(c, ")");
}

static inline void append_predicate(random_condition *c) {
    switch (pick(8)) {
    case 0:
        append_list(c);
        break;
    case 1:
        append_operand(c, random_name());
        append_random(c, ONE_OF(" BETWEEN ", " NOT BETWEEN "));
        append_literal(c);
        append_random(c, " AND ");
        append_literal(c);
        break;
    case 2:
        append_operand(c, random_name());
        append_random(
            c, ONE_OF(" IS NULL", " IS NOT NULL", " ISNULL", " NOTNULL", " NOT NULL"));
        break;
    case 3:
        c->truth = true;
        append_operand(c, random_name());
        if (condition_columns <= 5)
            append_random(c, ONE_OF("", " IS TRUE", " IS NOT TRUE", " IS (FALSE )",
                                    " IS NOT FALSE", ""));
        break;
    default:
        append_comparison(c);
    }
}

static inline void append_condition(random_condition *c, int depth) {
    const uint32_t kind = depth > 0 ? pick(6) : 5;
    if (kind == 0 && pick(30) == 0) {
        append_complicated(c);
    } else if (kind <= 2) {
        append_condition(c, depth - 1);
        append_random(c, ONE_OF(" AND ", " OR "));
        append_condition(c, depth - 1);
    } else if (kind == 3) {
        append_random(c, "NOT ");
        append_condition(c, depth - 1);
    } else if (kind == 4) {
        append_random(c, ONE_OF("(", "NOT ("));
        append_condition(c, depth - 1);
        append_random(c, ")");
    } else {
        append_predicate(c);
    }
}

/* ---- records ---- */

/* Copies the record of a cell, with its overflow pages, from the image of a database. */
static inline uint8_t *copy_record(const page_layout *layout, const uint8_t *image,
                                   const uint8_t *at, uint64_t payload) {
    const uint32_t usable = layout->usable, most = usable - 35;
    const uint32_t least = (usable - 12) * 32 / 255 - 23;
    uint64_t local = least + (payload - least) % (usable - 4);
    local = payload <= most ? payload : local <= most ? local : least;
    uint8_t *copy = calloc(payload + sizeof(uint64_t), 1);
    uint64_t done = local;
    memcpy(copy, at, local);
    for (uint32_t page = done < payload ? get4(at + local) : 0; done < payload;) {
        const uint8_t *from = image + (size_t)(page - 1) * layout->page_size;
        const uint64_t left = payload - done,
                       part = left < usable - 4 ? left : usable - 4;
        memcpy(copy + done, from + 4, part);
        page = get4(from);
        done += part;
    }
    return copy;
}

/* Compares the answer of a row with SQLite's. Returns a fault, or NULL. */
static inline const char *compare_row(const page_table *t, page_layout *layout,
                                      page_record record, bool wanted, bool truth) {
    enum page_reason reason;
    const uint64_t payload = record.payload, part = payload ? pick((uint32_t)payload) : 0;
    while ((reason = page_condition_holds(layout, &record)) == PAGE_SHORT_ROW) {
        const page_short old = {record.rowid, record.columns};
        if (page_condition_ask(layout->filter, t, &old))
            return "SQLite does not give the default of a column";
    }
    if (reason == PAGE_FILTER_VALUE && truth)
        return NULL;
    if (reason)
        return "the condition has no answer";
    if (record.holds != wanted)
        return "the condition has another answer";
    uint8_t *prefix = calloc(part + sizeof(uint64_t), 1);
    memcpy(prefix, record.bytes, part);
    record.bytes = prefix;
    record.here = part;
    record.holds = !wanted;
    reason = page_condition_holds(layout, &record);
    free(prefix);
    if (part > 9 && (reason || (record.need <= part ? record.holds != wanted
                                                    : record.need > payload)))
        return "a part of the record has another answer";
    return NULL;
}

/* The rows for which SQLite finds the condition true, in the order of rowids. */
static inline sqlite3_stmt *select_true(sqlite3 *db, const char *condition) {
    sqlite3_stmt *rows = NULL;
    char *sql = sqlite3_mprintf(
        "SELECT rowid FROM r NOT INDEXED WHERE (%s\n) ORDER BY rowid", condition);
    sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
    sqlite3_free(sql);
    return rows;
}

/* Compares the answers of all rows on one leaf. */
static inline const char *compare_leaf(const page_table *t, page_layout *layout,
                                       const uint8_t *image, const uint8_t *page,
                                       sqlite3_stmt *rows, int *step, bool truth) {
    const char *fault = NULL;
    for (uint32_t i = 0; i < get2(page + 3) && !fault; i++) {
        const uint8_t *at = page + get2(page + PAGE_LEAF_HEADER + 2 * i);
        uint64_t payload = 0, rowid = 0;
        at += get_varint(at, page + layout->page_size, &payload);
        at += get_varint(at, page + layout->page_size, &rowid);
        const bool wanted =
            *step == SQLITE_ROW && sqlite3_column_int64(rows, 0) == (int64_t)rowid;
        if (wanted)
            *step = sqlite3_step(rows);
        uint8_t *copy = copy_record(layout, image, at, payload);
        const page_record record = {copy, payload, payload, (int64_t)rowid, .need = 0};
        fault = compare_row(t, layout, record, wanted, truth);
        free(copy);
    }
    return fault;
}

/* Compares the answers of all rows, from interior pages down. */
static inline const char *compare_tree(const page_table *t, page_layout *layout,
                                       const uint8_t *image, uint32_t root,
                                       sqlite3_stmt *rows, int *step, bool truth) {
    const uint8_t *page = image + (size_t)(root - 1) * layout->page_size;
    const int cells = page_interior_cells(layout, page);
    const char *fault = NULL;
    if (cells < 0)
        return compare_leaf(t, layout, image, page, rows, step, truth);
    for (int i = 0; i <= cells && !fault; i++) {
        uint32_t child = page_rightmost(page);
        int64_t upper = 0;
        if (i < cells)
            page_child(layout, page, i, &child, &upper);
        fault = compare_tree(t, layout, image, child, rows, step, truth);
    }
    return fault;
}

/* Answers of the latest comparisons: conditions that were refused, and evaluated. */
static int conditions_refused, conditions_compared;

/* Compares one random condition with SQLite. *condition (sqlite3_free) is its text.
** Returns a fault, or NULL. */
static inline const char *compare_condition(sqlite3 *db, const uint8_t *image,
                                            char **condition) {
    random_condition c = {.sql = sqlite3_str_new(NULL), .simple = true};
    append_condition(&c, 3);
    *condition = sqlite3_str_finish(c.sql);
    sqlite3_stmt *rows = select_true(db, *condition);
    if (!rows) { /* an older SQLite does not have this syntax */
        conditions_refused++;
        return c.simple ? sqlite3_errmsg(db) : NULL;
    }
    page_layout layout = {0};
    uint32_t root, pages;
    const page_table t = {.db = db,
                          .schema = "main",
                          .table = "r",
                          .rowid = "rowid",
                          .column = {"filler", "filler"},
                          .filter = *condition};
    const char *fault = NULL;
    page_header_read(image, &layout, &pages);
    if (page_program(&t, &layout, &root))
        fault = "the table is not plain";
    page_layout_finish(&layout);
    const enum page_reason reason = page_condition_make(&t, false, &layout.filter);
    if (reason != (c.simple ? PAGE_FINE : PAGE_NOT_SIMPLE))
        fault = c.simple ? "the condition is refused" : "the condition is not refused";
    int step = sqlite3_step(rows);
    if (!fault && layout.filter)
        fault = compare_tree(&t, &layout, image, root, rows, &step, c.truth);
    if (!fault && layout.filter && step != SQLITE_DONE)
        fault = "SQLite has more rows";
    conditions_refused += layout.filter == NULL;
    conditions_compared += layout.filter != NULL;
    page_layout_clear(&layout);
    sqlite3_finalize(rows);
    return fault;
}

/* Compares some random conditions over one random table. Returns a fault, or NULL. */
static inline const char *compare_conditions(sqlite3 *db, uint32_t rows, int conditions,
                                             char **condition) {
    sqlite3_int64 size;
    make_random_table(db, rows);
    uint8_t *image = sqlite3_serialize(db, "main", &size, 0);
    const char *fault = image ? NULL : "the database cannot be copied";
    *condition = NULL;
    for (int i = 0; i < conditions && !fault; i++) {
        sqlite3_free(*condition);
        fault = compare_condition(db, image, condition);
    }
    sqlite3_free(image);
    return fault;
}

#endif
