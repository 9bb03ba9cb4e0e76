/* A dictionary of all processes: ids to numbers 0 .. n - 1 in the order of ids, and back.
**
**     ids of process 0    7 'b' 3 9        numbers of all    3:0  7:1  9:2  'a':3  'b':4
**     ids of process 1    9 'a' 7          process 0 holds   3 7
**                                          process 1 holds   9 'a' 'b'
**
** Ids are byte strings that sort as ids do: 'i' and the 8 bytes of an INTEGER, the
** highest first, or 't' and the bytes of a text.
**
** The numbers come from a sample sort. Each process sorts its own strings, samples of all
** decide where ranges end, and every string goes to the process of its range. That
** process sees each string once and has a contiguous range of numbers. So no process
** holds more than its own strings and about its share of all. Owners by hash would need a
** second exchange for the order. */
#ifndef GPUGRAPH_MPI_NUMBERS_H
#define GPUGRAPH_MPI_NUMBERS_H

#include "base/vertex_id.h"
#include "load/loader.h"
#include "gpugraph_parts.h"

#include <string.h>

/* ---- range.c: messages of byte strings ---- */

typedef struct strings {
    gpugraph_texts texts; /* owns its arrays */
    uint64_t *first;      /* strings first[q] .. first[q + 1] - 1 are from partition q */
} strings;
/* Collective: sends strings which[ends[q]] .. which[ends[q + 1] - 1] to partition q; with
** which NULL, strings ends[q] .. ends[q + 1] - 1. The caller closes *received, also after
** a failure. */
bool strings_post(gpugraph_exchange *x, gpugraph_run *run, const gpugraph_texts *texts,
                  const uint32_t *which, const uint64_t *ends, strings *received);
void strings_close(strings *s);

/* ---- range.c: byte strings of all processes, in the order of gg_compare_texts ---- */

typedef struct range {
    gpugraph_exchange *exchange;
    uint64_t *first; /* partition q has numbers first[q] .. first[q + 1] - 1 */
    /* strings of this process's numbers */
    uint64_t *offset;
    char *bytes;
} range;

/* Collective: numbers the strings of all processes. texts: those of this process, each
** once; number[i]: of string i. False: the run has failed, as in the functions below. */
bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run,
                const gpugraph_texts *texts, uint64_t *number);
/* Collective: returns the strings of these numbers, empty ones for UINT64_MAX. The caller
** closes *found, also after a failure. */
bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, strings *found);
/* The number of a string, or UINT64_MAX if this process does not hold it. */
uint64_t range_find(const range *r, const char *bytes, uint64_t length);
static inline uint64_t range_own(const range *r) {
    return r->first[r->exchange->part + 1] - r->first[r->exchange->part];
}
/* The number of strings of all processes. */
static inline uint64_t range_all(const range *r) {
    return r->first[r->exchange->parts];
}
void range_close(range *r);

/* Words as strings of the same order. */
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

/* Ids of this process from the loader. A text with a negative number is no id. */
typedef struct id_list {
    const id_array *id;
    uint64_t count;
    const intern *texts;
    uint64_t *number;    /* of each id; NULL if not wanted */
    bool of_edges;       /* texts begin with t or u already (load/row_ids.h) */
    uint64_t first_text; /* of its texts among all texts; set by dictionary_make */
} id_list;

/* Collective: numbers the ids of all lists. Lists with the same texts are neighbours. */
bool dictionary_make(range *d, gpugraph_exchange *x, gpugraph_run *run, id_list *list,
                     int lists);
/* Collective: finds the number of one id, the same at all processes; UINT64_MAX if there
** is none. text NULL: the id is the INTEGER. */
bool dictionary_find(const range *d, gpugraph_run *run, int64_t integer, const char *text,
                     uint64_t length, uint64_t *number);

/* Collective: finds the smallest INTEGER whose decimal text is an id, too. */
bool dictionary_find_mixed(const range *d, gpugraph_run *run, bool *found, int64_t *id,
                           char text[WRITTEN_ID]);

#endif
