/* Rowids bound to a parameter of a statement of our own, as rows: row_list.c. */
#ifndef GPUGRAPH_ROW_LIST_H
#define GPUGRAPH_ROW_LIST_H

#include "base/connection.h"

/* The name of the virtual table, and the type of the pointer that its argument is. */
#define ROW_LIST "gpugraph_row_list"

typedef struct row_list {
    sqlite3_int64 *row, count;
} row_list;

/* WHERE rowid IN (SELECT row FROM gpugraph_row_list(?1)); the list must outlive the statement. */
static inline int row_list_bind(sqlite3_stmt *statement, int parameter, row_list *list) {
    return sqlite3_bind_pointer(statement, parameter, list, ROW_LIST, NULL);
}
int row_list_register(connection *c);

#endif
