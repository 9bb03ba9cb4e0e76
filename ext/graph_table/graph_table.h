/* USING gpugraph; gpugraph_check and others. */
#ifndef GPUGRAPH_GRAPH_TABLE_H
#define GPUGRAPH_GRAPH_TABLE_H

#include "base/connection.h"

int graph_table_register(connection *c);
int graph_functions_register(connection *c); /* functions.c */

#endif
