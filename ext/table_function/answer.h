/* The answer to a call: a graph, and the arrays of a search of that graph.
**
**     edges, vertices, params, weight, undirected    -> graph   graph_acquire
**     question's key                                 -> search  search_find, search_keep
**                                                       search->result == arrays
**     source IN (...)                                -> ahead   searches of later sources
**
** A cursor lives within one execution of its statement, so the graph stays as long as the
** texts that name it. answer_drop releases everything. */
#ifndef GPUGRAPH_ANSWER_H
#define GPUGRAPH_ANSWER_H

#include "arguments.h"
#include "kept/kept.h"

/* The timings of the call that runs now. */
typedef struct work {
    timings earlier;
    bool arguments_reported; /* the timings have a row for the arguments */
    bool out_of_range;       /* the latest search met a distance that is out of range */
    double begun_ms;         /* when the call began or, later, when it had its graph */
} work;

/* The arguments that name a graph. */
enum graph_name_text {
    NAME_EDGES,
    NAME_VERTICES,
    NAME_PARAMS,
    NAME_EDGE_FILTER,
    NAME_EDGE_PARAMS,
    NAME_VERTEX_FILTER,
    NAME_VERTEX_PARAMS,
    GRAPH_NAMES
};

typedef struct answer {
    const caller *by;
    /* The graph, and the texts and options by which it was acquired. */
    graph_ref *graph;
    text name[GRAPH_NAMES];
    enum weight_need weight;
    bool undirected, by_graph; /* as in graph_request */
    /* The key of the latest question, a reference to the search that answers it, and the
    ** arrays of that search. */
    char *key;
    int key_capacity; /* bytes */
    search_ref *search;
    arrays *arrays;
    search_ref **ahead;
    int ahead_count;
    work work;
} answer;

/* Releases the graph and the search. */
void answer_drop(answer *s);
/* Releases the graph and the search, and frees the answer's own memory. */
void answer_close(answer *s);
/* Returns true if the answer holds the graph that these arguments ask for. */
bool answer_has_graph(const answer *s, const arguments *a);
/* Acquires the graph. */
int answer_graph(answer *s, const arguments *a);
/* Returns true if distances are sums of weights. */
bool answer_is_weighted(const answer *s);
/* Sets search and arrays: finds a kept search, or runs one now. */
int answer_find(answer *s, const arguments *a);
/* Returns true if the entries of the arrays are in order of vertex ids, or are edges or
** cells. */
bool answer_is_in_order(const answer *s);
/* Adds the order by an array, or by vertex (NO_ARRAY), to the arrays unless they have
** it. */
int answer_order(answer *s, enum array_name order);

/* Enclose the calls of answer_graph and answer_find whose time the timings report. A call
** that finds everything kept does not change the timings. A call within the reading of a
** query does not either: its time belongs to the outer call. */
void answer_begin(answer *s);
void answer_end(answer *s);
/* Adds a row for the arguments to the timings. The row names ids that are no vertices. */
void answer_report_arguments(answer *s, const unknown_ids *unknown);

/* The error of a run that failed. */
int answer_failed(const answer *s, const gpugraph_run *run);
/* Begins a run with the question's backend and method. */
void answer_run(answer *s, const arguments *a, const question *q, gpugraph_run *run);

/* ---- question.c: from settled arguments to the question that a search answers ---- */

/* Sets *q to everything that the arguments ask for, without ends: targets, bounds and a
** limit. The question points into the arguments. */
void question_ask(const arguments *a, const answer *s, question *q);
/* Adds the ends of this call to the question. */
void question_for_part(const arguments *a, question *q);
/* Removes the ends whose values may differ in the next call. Returns false if there are
** none. */
bool question_widen(const arguments *a, question *q);
/* Returns true if the question has an end. */
bool question_ends_early(const question *q);
/* Writes the question's key to s->key, and its length to *bytes. */
int question_key(answer *s, const question *q, int *bytes);
/* Returns true if a kept search differs from the question in s->key by its ends alone. */
bool question_was_asked(const answer *s);

/* ---- source_list.c ---- */

/* Runs the searches from the listed sources, this one first, together if that is faster.
** May leave another source in a->sources. */
int answer_ahead(answer *s, arguments *a, uint32_t next);
/* Releases the searches that were made ahead. */
void answer_drop_ahead(answer *s);

#endif
