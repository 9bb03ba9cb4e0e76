#include "follow.h"
int graph_functions_register(connection *c) {
    (void)c;
    return SQLITE_OK;
}
