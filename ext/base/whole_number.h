/* A REAL that is a whole number means that INTEGER: pandas writes an INTEGER column with
** gaps as REALs. */
#ifndef GPUGRAPH_WHOLE_NUMBER_H
#define GPUGRAPH_WHOLE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Converts the REAL. False: it is not whole, or out of the range of INTEGERs; *integer is
** unchanged. */
static inline bool whole_number(double real, int64_t *integer) {
    const double two_to_63 = 9223372036854775808.0;
    if (!(real >= -two_to_63 && real < two_to_63) || real != (double)(int64_t)real)
        return false;
    *integer = (int64_t)real;
    return true;
}

#endif
