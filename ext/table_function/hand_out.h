/* An answer's arrays, handed to a program that reads them whole, in place of rows
** (gpugraph_extension.h):
**
**     SELECT arrays ...      hand_out     a number; the arrays wait for it in a list of the process
**     gpugraph_take_arrays   by number    they leave the list, and are the program's
**
** SQL sees a number by chance, and no address: whoever guesses numbers gets nothing. */
#ifndef GPUGRAPH_HAND_OUT_H
#define GPUGRAPH_HAND_OUT_H

#include "rows.h"

/* The column arrays: the number, the same for all rows of an answer; or an error. */
void result_arrays(sqlite3_context *context, rows *r, const arguments *a,
                   const answer *s);
/* What nobody has taken of what the connection has handed out. */
void hand_out_forget(connection *c);

#endif
