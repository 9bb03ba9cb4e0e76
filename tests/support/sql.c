#include "sql.h"
#include "assertions.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpugraph_extension.h"

sqlite3 *db;

void sql_open(void) {
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

void sql_close(void) {
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

void run(const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values), *error = NULL;
    va_end(values);
    int rc = sqlite3_exec(db, sql, NULL, NULL, &error);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, error);
    sqlite3_free(sql);
}

char *rows_of(sqlite3_stmt *statement, int *rc) {
    sqlite3_str *rows = sqlite3_str_new(NULL);
    while ((*rc = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_str_length(rows))
            sqlite3_str_appendall(rows, ";");
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            int type = sqlite3_column_type(statement, i);
            sqlite3_str_appendf(rows, type == SQLITE_TEXT ? "%s'%s'" : "%s%s",
                                i ? "|" : "", text ? text : "-");
        }
    }
    char *made = sqlite3_str_finish(rows);
    return made ? made : sqlite3_mprintf("%s", "");
}

char *ask_in(sqlite3 *c, const char *sql) {
    sqlite3_stmt *statement = NULL;
    char *rows = NULL;
    int rc = sqlite3_prepare_v2(c, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK)
        rows = rows_of(statement, &rc);
    if (rc != SQLITE_DONE) {
        sqlite3_free(rows);
        rows = sqlite3_mprintf("error: %s", sqlite3_errmsg(c));
    }
    sqlite3_finalize(statement);
    return rows;
}

static char *ask_list(const char *format, va_list values) {
    char *sql = sqlite3_vmprintf(format, values);
    char *rows = ask_in(db, sql);
    sqlite3_free(sql);
    return rows;
}

char *ask(const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *rows = ask_list(format, values);
    va_end(values);
    return rows;
}

void expect(const char *rows, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *got = ask_list(format, values);
    va_end(values);
    ck_assert_msg(strcmp(rows, got) == 0, "%s\n expected %s\n got      %s", format, rows,
                  got);
    sqlite3_free(got);
}

void expect_error(const char *function, const char *part, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *got = ask_list(format, values);
    va_end(values);
    char *prefix = sqlite3_mprintf("error: %s: ", function);
    ck_assert_msg(strncmp(got, prefix, strlen(prefix)) == 0 && strstr(got, part),
                  "%s\n expected %s %s\n got %s", format, function, part, got);
    ck_assert_msg(!strstr(got + strlen(prefix), prefix + strlen("error: ")),
                  "twice the name: %s", got);
    sqlite3_free(prefix);
    sqlite3_free(got);
}

void expect_same(const char *first, const char *second) {
    char *a = ask("%s", first), *b = ask("%s", second);
    ck_assert_msg(strcmp(a, b) == 0, "%s\n %s\n%s\n %s", first, a, second, b);
    ck_assert_msg(strncmp(a, "error", 5) != 0, "%s\n %s", first, a);
    sqlite3_free(a);
    sqlite3_free(b);
}

bool sql_has_module(const char *name) {
    sqlite3 *c;
    ck_assert_int_eq(sqlite3_open(":memory:", &c), SQLITE_OK);
    char *sql =
        sqlite3_mprintf("SELECT name FROM pragma_module_list WHERE name = %Q", name);
    char *found = ask_in(c, sql);
    const bool has = *found == '\'';
    sqlite3_free(found);
    sqlite3_free(sql);
    sqlite3_close(c);
    return has;
}

void make_roads(void) {
    run("CREATE TABLE roads(src INTEGER, dst INTEGER, weight INTEGER);"
        "INSERT INTO roads VALUES(1,2,5),(2,3,7),(1,3,20),(3,4,1),(2,2,9),(8,9,2)");
}

void make_random(const char *name, int n, int m, unsigned seed) {
    run("CREATE TABLE %s(src INTEGER, dst INTEGER, weight INTEGER)", name);
    run("BEGIN");
    for (int i = 0; i < m; i++) {
        unsigned x[3];
        for (int k = 0; k < 3; k++)
            x[k] = seed = seed * 1664525u + 1013904223u;
        run("INSERT INTO %s VALUES(%u, %u, %u)", name, x[0] / 7 % n + 1, x[1] / 7 % n + 1,
            x[2] / 7 % 9 + 1);
    }
    run("COMMIT");
}
