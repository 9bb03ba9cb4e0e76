/* Takes any bytes as the text of a statement, and as its expanded text. The search must
** not crash or leak, and it must find only a query whose text stands in the statement.
**
**     input    up to the first zero byte: the statement; then the expanded one, the query
**
** Seeds: query_origin_fuzz/ beside this file. */
#include "ext.h"
#include "base/query_origin.h"
#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds)
        abort();
}

static void look(const sql_list *list, const char *text) {
    static const char *const arguments[] = {"edges", "vertices"};
    bool there = false;
    for (int i = 0; i < list->count; i++) {
        const sql_item *item = &list->item[i];
        check(item->token.start < item->token.end && item->partner < list->count);
        check(item->partner < 0 || list->item[item->partner].partner == i);
        there |= sql_text_at(list, i, text);
    }
    for (int i = 0; i < 2; i++) {
        query q = {text, "gpu_bfs", arguments[i]};
        check(!query_stands_in(list, &q) || there);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096)
        return 0;
    char *input = malloc(size + 3);
    check(input != NULL);
    memcpy(input, data, size);
    memset(input + size, 0, 3);
    const char *expanded = input + strlen(input) + 1;
    const char *text =
        expanded <= input + size ? expanded + strlen(expanded) + 1 : expanded;
    sql_list list;
    check(sql_list_make(&list, input));
    look(&list, text);
    sql_list_bind(&list, expanded);
    look(&list, text);
    sql_list_clear(&list);
    free(input);
    return 0;
}
