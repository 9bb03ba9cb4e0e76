/* The ids that an SQL value may mean.
**
**     value        column without a type    TEXT column      numeric column
**     7            7                        '7'              7
**     7.0          7                        '7', '7.0'       7
**     7.5          none                     '7.5'            none
**     '7'          '7'                      '7'              7
**     'x'          'x'                      'x'              'x'
**     NULL, BLOB   none                     none             none
**
** An argument means the first of these ids that is a vertex: the value as given (a column
** without a type), then in the source column, then in the destination column. */
#ifndef GPUGRAPH_VERTEX_ID_H
#define GPUGRAPH_VERTEX_ID_H

#include "ext.h"

/* True if the INTEGER is a vertex or, if text is not NULL, the TEXT of `bytes` bytes is
** one. */
typedef bool (*id_is_vertex)(void *of, sqlite3_int64 integer, const char *text,
                             size_t bytes);

/* Tries the ids that the value may mean in a column of this affinity (affinity_of_type)
** until one is a vertex. SQLITE_OK or SQLITE_NOMEM. */
int column_id_find(sqlite3_value *value, char affinity, id_is_vertex is_vertex, void *of,
                   bool *found);
/* Tries the ids that the value may mean as an argument. affinity: the affinities of the
** source and the destination column. */
int argument_id_find(sqlite3_value *value, const char affinity[2], id_is_vertex is_vertex,
                     void *of, bool *found);
/* Sets *fault to the end of a sentence about a value that can mean no id: "is the REAL
** 1.5; ..." (sqlite3_free). NULL with SQLITE_OK: the value can mean an id. */
int argument_id_fault(sqlite3_value *value, const char affinity[2], char **fault);

/* Sets *vertex to the vertex that the value names in a column of this affinity, or
** GPUGRAPH_NONE. */
int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex);
/* Sets *vertex to the vertex that an argument names, or GPUGRAPH_NONE. affinity: of the
** source and destination columns. */
int find_argument(const gpugraph_graph *graph, const char affinity[2],
                  sqlite3_value *value, uint32_t *vertex);
/* find_argument, or SQLITE_ERROR with *fault (sqlite3_free) if the value cannot be an id:
** "is the REAL 1.5; ..." */
int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault);

/* True if a vertex with this id would have the value's id again: an INTEGER, a whole REAL
** with that value, or the TEXT. */
bool id_is_value(const gpugraph_id *id, sqlite3_value *value);

enum { WRITTEN_ID = 32 }; /* bytes of a written INTEGER or REAL */

/* Writes the text that a TEXT column makes of a number. place 0: '7', of the INTEGER;
** place 1: '7.0', of the REAL with that value. */
void id_write(sqlite3_int64 integer, int place, char text[WRITTEN_ID]);
/* True if id_write makes this text of a number. Sets *integer to the number. */
bool id_is_written(const char *text, size_t bytes, sqlite3_int64 *integer);

#endif
