/* From settled arguments to the question that a search answers: question.c. */
#ifndef GPUGRAPH_QUESTION_H
#define GPUGRAPH_QUESTION_H

#include "answer.h"

/* Everything that the arguments ask for; no more than will be looked at; the part without those ends that may be others in the next call (false: there
** are none). The question points into the arguments. */
void question_ask(const arguments *a, const answer *s, question *q);
void question_for_part(const arguments *a, question *q);
bool question_widen(const arguments *a, question *q);
bool question_ends_early(const question *q);
/* Writes the question's key into s->key; *bytes is its length. */
int question_key(answer *s, const question *q, int *bytes);
/* Has a search like that of s->key, but for where it ended, been made before? */
bool question_was_asked(const answer *s);

#endif
