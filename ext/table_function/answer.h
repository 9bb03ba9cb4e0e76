/* What answers a call: the graph, and a search of it that is kept with it.
**
**     edges, vertices, params, weight, undirected    -> graph   graph_acquire
**     question's key                                 -> search  search_find, search_keep
**                                                       search->result == arrays
**
** A cursor lives within one execution of its statement, so while the texts stay the graph
** does. answer_drop gives all of it back. */
#ifndef GPUGRAPH_ANSWER_H
#define GPUGRAPH_ANSWER_H

#include "arguments.h"
#include "kept/kept.h"

/* The timings of a search in the making. */
typedef struct work {
    search_watch watch;
    bool begun;          /* the watch runs */
    bool arguments_told; /* the timings have a row for the arguments */
    bool out_of_range;   /* a distance of the latest search was */
    double begun_ms;     /* the call, or what follows its graph */
} work;

typedef struct answer {
    const caller *by;
    /* the graph, and what it was acquired by */
    graph_ref *graph;
    text edges, vertices, params;
    enum weight_need weight;
    bool undirected, by_graph; /* as in graph_request */
    /* the search: its key, its reference, what it has made */
    char *key;
    int key_room;
    search_ref *search;
    arrays *arrays;
    work work;
} answer;

/* Gives back graph and searches. */
void answer_drop(answer *s);
/* The same, and frees the rest. */
void answer_close(answer *s);
/* Has it the graph that these arguments ask for? */
bool answer_has_graph(const answer *s, const arguments *a);
/* Acquires it. */
int answer_graph(answer *s, const arguments *a);
/* Are distances sums of weights? */
bool answer_is_weighted(const answer *s);
/* Sets search and arrays: kept, or made now. */
int answer_find(answer *s, const arguments *a);
/* Do entries of arrays stand in order of ids, or of edges or cells? */
bool answer_is_in_order(const answer *s);
/* Adds the order by that array unless it is there. */
int answer_order(answer *s, enum array_name order);

/* Begins and ends what answer_graph and answer_find do to the timings. */
void answer_begin(answer *s);
void answer_end(answer *s);
/* The timings get a row for the arguments; it names those that are no vertices. */
void answer_tell_arguments(answer *s, const strangers *strangers);

/* The error of a run that failed. */
int answer_failed(const answer *s, const gpugraph_run *run);

/* ---- question.c: from settled arguments to the question that a search answers ---- */

/* Everything that the arguments ask for. The question points into the arguments. */
void question_ask(const arguments *a, const answer *s, question *q);
/* No more than will be looked at. */
void question_for_part(const arguments *a, question *q);
/* The part without those ends that may be others in the next call; false: there are none. */
bool question_widen(const arguments *a, question *q);
bool question_ends_early(const question *q);
/* Writes the question's key into s->key; *bytes is its length. */
int question_key(answer *s, const question *q, int *bytes);
/* Has a search like that of s->key, but for where it ended, been made before? */
bool question_was_asked(const answer *s);

#endif
