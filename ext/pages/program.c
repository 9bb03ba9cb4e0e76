/* Finds what SQLite itself would read for SELECT rowid, source, destination, ... The
** program that it compiles has the root page, the record columns and the affinity. The
** reader accepts only a plain scan of one rowid table. Views, generated columns and
** columns that an authorizer hides give other programs. */
#include "format.h"

#include <string.h>

sqlite3_stmt *page_scan(const page_table *t, const char *before, const int64_t *range,
                        const char *order) {
    sqlite3_stmt *statement = NULL;
    sqlite3_str *sql = sqlite3_str_new(t->db);
    sqlite3_str_appendf(sql, "%s SELECT e.\"%w\"", before, t->rowid);
    for (int k = 0; k < PAGE_COLUMNS; k++)
        if (t->column[k])
            sqlite3_str_appendf(sql, ", e.\"%w\"", t->column[k]);
    sqlite3_str_appendf(sql, " FROM \"%w\".\"%w\" AS e NOT INDEXED", t->schema, t->table);
    if (range)
        sqlite3_str_appendf(sql, " WHERE e.\"%w\" BETWEEN %lld AND %lld", t->rowid,
                            (sqlite3_int64)range[0], (sqlite3_int64)range[1]);
    sqlite3_str_appendf(sql, " ORDER BY e.\"%w\" %s", t->rowid, order);
    char *text = sqlite3_str_finish(sql);
    if (text && sqlite3_prepare_v2(t->db, text, -1, &statement, NULL) != SQLITE_OK)
        statement = NULL;
    sqlite3_free(text);
    return statement;
}

enum page_reason page_scan_row(const page_table *t, int64_t rowid, sqlite3_stmt **row) {
    const int64_t only[2] = {rowid, rowid};
    *row = page_scan(t, "", only, "");
    const int rc = *row ? sqlite3_step(*row) : sqlite3_errcode(t->db);
    return rc == SQLITE_ROW         ? PAGE_FINE
           : rc == SQLITE_INTERRUPT ? PAGE_STOPPED
           : rc == SQLITE_DONE      ? PAGE_DISAGREES
                                    : PAGE_NOT_READABLE;
}

enum { SCAN_COLUMNS = 1 + PAGE_COLUMNS, NO_VALUE = -2 };

struct program {
    int root, schema; /* of OpenRead: root page, number of the schema */
    /* of each result column: a record column, PAGE_IS_ROWID or NO_VALUE */
    int from[SCAN_COLUMNS];
    bool real[SCAN_COLUMNS]; /* RealAffinity: integers are read as REAL */
    int opened, rows;        /* number of OpenRead and ResultRow instructions */
    int first_register;
    struct load {
        int to, from;
    } load[SCAN_COLUMNS];
    int loads, reals, real_register[SCAN_COLUMNS];
};

/* Records one instruction. False: it is not part of a plain scan. */
static bool take_instruction(struct program *p, const char *opcode, int p1, int p2,
                             int p3, const char *p4, int columns) {
    static const char *const harmless[] = {"Init", "Noop", "Explain",     "Rewind",
                                           "Next", "Halt", "Transaction", "Goto"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(opcode, harmless[i]) == 0)
            return true;
    if (strcmp(opcode, "OpenRead") == 0) {
        /* For an index or a WITHOUT ROWID table P4 has a key description. */
        bool table = p4 && p4[0] >= '0' && p4[0] <= '9';
        p->root = p2;
        p->schema = p3;
        return table && p->opened++ == 0;
    }
    if (strcmp(opcode, "Rowid") == 0 || strcmp(opcode, "Column") == 0) {
        bool rowid = opcode[0] == 'R';
        if (p->loads == columns)
            return false;
        p->load[p->loads++] =
            rowid ? (struct load){p2, PAGE_IS_ROWID} : (struct load){p3, p2};
        return true;
    }
    if (strcmp(opcode, "RealAffinity") == 0) {
        if (p->reals == columns)
            return false;
        p->real_register[p->reals++] = p1;
        return true;
    }
    if (strcmp(opcode, "ResultRow") == 0) {
        p->first_register = p1;
        return p2 == columns && p->rows++ == 0;
    }
    return false;
}

/* Maps registers to result columns. False: a result column has no single origin. */
static bool finish_program(struct program *p, int columns) {
    if (p->opened != 1 || p->rows != 1 || p->loads != columns)
        return false;
    for (int c = 0; c < columns; c++)
        p->from[c] = NO_VALUE;
    for (int i = 0; i < p->loads; i++) {
        int c = p->load[i].to - p->first_register;
        if (c < 0 || c >= columns || p->from[c] != NO_VALUE)
            return false;
        p->from[c] = p->load[i].from;
    }
    for (int i = 0; i < p->reals; i++) {
        int c = p->real_register[i] - p->first_register;
        if (c < 0 || c >= columns)
            return false;
        p->real[c] = true;
    }
    return p->from[0] == PAGE_IS_ROWID;
}

/* Maps result columns to the layout. A REAL column may store INTEGERs. */
static enum page_reason set_layout(const page_table *t, const struct program *p,
                                   page_layout *layout) {
    int result = 1;
    for (int k = 0; k < PAGE_COLUMNS; k++) {
        layout->column[k] = t->column[k] ? p->from[result] : PAGE_NO_COLUMN;
        if (!t->column[k])
            continue;
        layout->columns = k < PAGE_EDGE_ID ? k + 1 : PAGE_COLUMNS;
        layout->real |= page_is_weight(k) && p->real[result];
        if (k == PAGE_EDGE_ID && p->real[result])
            return PAGE_EDGE_ID_TYPE;
        result++;
    }
    return PAGE_FINE;
}

enum page_reason page_program(const page_table *t, page_layout *layout, uint32_t *root) {
    int columns = 1;
    for (int k = 0; k < PAGE_COLUMNS; k++)
        columns += t->column[k] != NULL;
    struct program p = {0};
    sqlite3_stmt *explain = page_scan(t, "EXPLAIN", NULL, "");
    bool plain = true, shared = false;
    int rc = sqlite3_errcode(t->db);
    while (explain && (rc = sqlite3_step(explain)) == SQLITE_ROW) {
        const char *opcode = (const char *)sqlite3_column_text(explain, 1);
        const char *p4 = (const char *)sqlite3_column_text(explain, 5);
        /* SQLite locks single tables only in a shared cache. */
        if (opcode && strcmp(opcode, "TableLock") == 0)
            shared = true;
        else
            plain = opcode && plain &&
                    take_instruction(&p, opcode, sqlite3_column_int(explain, 2),
                                     sqlite3_column_int(explain, 3),
                                     sqlite3_column_int(explain, 4), p4, columns);
    }
    sqlite3_finalize(explain);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    if (rc != SQLITE_DONE)
        return PAGE_NOT_READABLE;
    if (shared)
        return PAGE_SHARED_CACHE;
    if (!plain || !finish_program(&p, columns))
        return PAGE_NOT_PLAIN;
    const char *schema = sqlite3_db_name(t->db, p.schema);
    if (!schema || sqlite3_stricmp(schema, t->schema) != 0)
        return PAGE_NOT_PLAIN;
    if (p.real[0])
        return PAGE_NOT_PLAIN;
    *root = (uint32_t)p.root;
    return set_layout(t, &p, layout);
}
