/* A dictionary over all processes: ids to numbers 0 .. n - 1 in the order of ids, and back.
**
**     ids of process 0    7 'b' 3 9            numbers of all    3:0  7:1  9:2  'a':3  'b':4
**     ids of process 1    9 'a' 7              process 0 holds   3 7
**                                              process 1 holds   9 'a' 'b'
**
** Ids are byte strings that sort as ids do: i and 8 bytes of an INTEGER, the highest first, or t
** and the bytes of a text.
**
** A sample sort: each process sorts its own strings, samples of all say where ranges end, and
** every string goes to the process of its range, which sees each one once and has a contiguous
** range of numbers. So no process holds more than its own strings and about its share of all. An
** owner by a hash would see each string once, too, but not in order: it would take a second
** exchange. */
#ifndef GPUGRAPH_MPI_NUMBERS_H
#define GPUGRAPH_MPI_NUMBERS_H

#include "base/vertex_id.h"
#include "load/loader.h"
#include "gpugraph_parts.h"

#include <string.h>

/* ---- range.c: messages of byte strings ---- */

typedef struct strings {
    gpugraph_texts texts; /* the arrays are its own */
    uint64_t *first; /* of those that came from part q: first[q] .. first[q + 1] - 1 */
} strings;
/* Collective. Strings which[ends[q]] .. which[ends[q + 1] - 1] go to part q; which NULL: all, in their order.
** The caller closes *come, also after a failure. */
bool strings_post(gpugraph_exchange *x, gpugraph_run *run, const gpugraph_texts *texts,
                  const uint32_t *which, const uint64_t *ends, strings *received);
void strings_close(strings *s);

/* ---- range.c: byte strings of all processes, in the order of gg_compare_texts ---- */

typedef struct range {
    gpugraph_exchange *exchange;
    uint64_t *first; /* parts + 1: part q has numbers first[q] .. first[q + 1] - 1 */
    /* the strings of this process's numbers */
    uint64_t *offset;
    char *bytes;
} range;

/* Collective. Strings of this process, each once; number[i] of string i. False: the run has
** failed, here and below. */
bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run,
                const gpugraph_texts *texts, uint64_t *number);
/* Collective. The strings of these numbers; an empty one for the number UINT64_MAX. The caller closes
** *found, also after a failure. */
bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, strings *found);
/* The number of a string that this process holds; UINT64_MAX: it holds none such. */
uint64_t range_find(const range *r, const char *bytes, uint64_t length);
static inline uint64_t range_own(const range *r) {
    return r->first[r->exchange->part + 1] - r->first[r->exchange->part];
}
/* How many strings all processes have. */
static inline uint64_t range_all(const range *r) {
    return r->first[r->exchange->parts];
}
void range_close(range *r);

/* Words as strings, which sort as they do. */
static inline void put_word_in_order(char *to, uint64_t word) {
    for (int i = 0; i < 8; i++)
        to[i] = (char)(word >> (56 - 8 * i));
}
static inline uint64_t word_in_order(const char *from) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | (unsigned char)from[i];
    return word;
}
static inline uint64_t order_of_integer(int64_t id) {
    return (uint64_t)id ^ (uint64_t)1 << 63;
}
static inline int64_t integer_of_order(uint64_t order) {
    return (int64_t)(order ^ (uint64_t)1 << 63);
}

/* ---- dictionary.c: a range of ids ---- */

enum { INTEGER_BYTES = 9 };
static inline void write_integer(char to[INTEGER_BYTES], int64_t id) {
    to[0] = 'i';
    put_word_in_order(to + 1, order_of_integer(id));
}

/* Ids of this process, as the loader has them. A text's number below 0 is none. */
typedef struct id_list {
    const id_array *id;
    uint64_t count;
    const intern *texts;
    uint64_t *number; /* of each id; NULL: not wanted */
    bool of_edges;    /* texts begin with t or u already (load/row_ids.h) */
    uint64_t
        first_text; /* set by dictionary_make: of its texts among those of all lists */
} id_list;

/* Collective. Lists with the same texts follow each other. */
bool dictionary_make(range *d, gpugraph_exchange *x, gpugraph_run *run, id_list *list,
                     int lists);
/* Collective. The number of one id, which all ask for; UINT64_MAX: it is none of the dictionary's.
** text NULL: the INTEGER. */
bool dictionary_find(const range *d, gpugraph_run *run, int64_t integer, const char *text,
                     uint64_t length, uint64_t *number);

/* Collective. Is an INTEGER of the dictionary also a TEXT of it, as id_write has it? The least of them. */
bool dictionary_find_mixed(const range *d, gpugraph_run *run, bool *found, int64_t *id,
                           char text[WRITTEN_ID]);

#endif
