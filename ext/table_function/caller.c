/* Error messages of a call. */
#include "function.h"

static int set_error(const caller *by, int rc, char *error) {
    sqlite3_free(by->vtab->zErrMsg);
    by->vtab->zErrMsg = error;
    return error ? rc : SQLITE_NOMEM;
}

int caller_fail(const caller *by, int rc, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sentence = sqlite3_vmprintf(format, values);
    va_end(values);
    char *error =
        sentence ? sqlite3_mprintf("%s: %s", by->function->name, sentence) : NULL;
    sqlite3_free(sentence);
    return set_error(by, rc, error);
}

int caller_fail_with(const caller *by, int rc, char *error) {
    if (error && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        return set_error(by, rc, error);
    sqlite3_free(error);
    return rc;
}

void caller_forgive(const caller *by) {
    sqlite3_free(by->vtab->zErrMsg);
    by->vtab->zErrMsg = NULL;
}
