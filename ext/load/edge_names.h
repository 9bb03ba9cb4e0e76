/* Edge ids that are not the library's numbers.
**
**     SQL's edge ids    7  'x'  -2  NULL  'a'  7      a fourth column
**     integer           -2   7
**     texts             'a' 'x'
**     the library's     1   3   0   4    2   1        the place in that order
**
** so edges keep the order of their ids: INTEGER, TEXT by bytes, and those without an id last,
** as min() has it. Where no edge has an id both lists are empty, and the library's numbers
** are those of the rows. */
#ifndef GPUGRAPH_EDGE_NAMES_H
#define GPUGRAPH_EDGE_NAMES_H

#include "load.h"
#include "base/intern.h"

enum { NO_EDGE_NAME = -1 }; /* in place of a text's number: NULL */

/* id[i] is an INTEGER, or where bit i of is_text is set the number of a text or
** NO_EDGE_NAME; it becomes the library's edge id. Texts are taken as they are in `texts`.
** SQLITE_OK, SQLITE_NOMEM or SQLITE_INTERRUPT. */
int edge_names_make(connection *c, int64_t count, int64_t *id, const uint8_t *is_text,
                    const intern *texts, edge_names **made);

#endif
