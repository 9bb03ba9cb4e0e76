/* The words of a plan, which say what each value is. xBestIndex writes them, EXPLAIN
** QUERY PLAN shows them, and xFilter reads them.
**
**     edges=? AND source IN (?) AND max_depth=? AND depth<=? LIMIT ? OFFSET ? */
#include "plan.h"

#include <string.h>

static const char *const signs[] = {[WORD_EQUAL] = "=?",
                                    [WORD_LIST] = " IN (?)",
                                    [WORD_LESS] = "<?",
                                    [WORD_AT_MOST] = "<=?"};

void plan_word_write(const table_function *f, sqlite3_str *words, bool first, word w) {
    if (w.what == WORD_LIMIT || w.what == WORD_OFFSET)
        sqlite3_str_appendf(words, "%s%s ?", first ? "" : " ",
                            w.what == WORD_LIMIT ? "LIMIT" : "OFFSET");
    else
        sqlite3_str_appendf(words, "%s%s%s", first ? "" : " AND ", field_name(f, w.what),
                            signs[w.how]);
}

static unsigned char what_of(const table_function *f, const char *name, size_t length) {
    if (*name == 'L' || *name == 'O')
        return *name == 'L' ? WORD_LIMIT : WORD_OFFSET;
    for (int i = 0; i < f->fields; i++) {
        const char *known = field_name(f, f->field[i]);
        if (strncmp(known, name, length) == 0 && known[length] == 0)
            return f->field[i];
    }
    return F_FURTHER;
}

static unsigned char how_of(const char *sign) {
    if (*sign == '<')
        return sign[1] == '=' ? WORD_AT_MOST : WORD_LESS;
    return strncmp(sign, " IN", 3) == 0 ? WORD_LIST : WORD_EQUAL;
}

void plan_words_read(const table_function *f, const char *words, word *list) {
    const char *at = words ? words : "";
    for (int i = 0; *at && i < MOST_WORDS; i++) {
        size_t length = strcspn(at, " =<");
        list[i] = (word){what_of(f, at, length), how_of(at + length)};
        at += length;
        at += strcspn(at, "?");
        at += strspn(at, "?) ");
        if (strncmp(at, "AND ", 4) == 0)
            at += 4;
    }
}
