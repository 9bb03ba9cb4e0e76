/* Hands the arrays of an answer to a program, in place of rows (gpugraph_extension.h):
**
**     SELECT arrays ...       puts the arrays on a list of the process, under a number
**     gpugraph_take_arrays    takes them off the list by the number
**
** SQL sees the random number and no address, so guessing a number gains nothing. */
#ifndef GPUGRAPH_HAND_OUT_H
#define GPUGRAPH_HAND_OUT_H

#include "rows.h"

/* Result of the column arrays: the number, the same one for all rows of an answer; or an
** error. */
void result_arrays(sqlite3_context *context, rows *r, const arguments *a,
                   const answer *s);
/* Frees the arrays that the connection has handed out and no program has taken. */
void hand_out_forget(connection *c);

#endif
