/* Statements, counts and errors. They are in memory that the process of a world shares
** with its waiting parent, so they survive a crash or a hang of this process. */
#include "shared.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

shared_notes *notes;
static FILE *whole; /* GPUGRAPH_ADVERSARY_TRACE: every statement */

void notes_make(void) {
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    if (notes == MAP_FAILED)
        abort();
}

void notes_begin(void) {
    const char *path = getenv("GPUGRAPH_ADVERSARY_TRACE");
    notes->traced = notes->steps = 0;
    notes->problem[0] = 0;
    whole = path ? fopen(path, "w") : NULL;
}

void count(enum count what) {
    notes->counts[what]++;
    notes->steps += what == COUNT_STATEMENTS;
}

uint64_t counted(enum count what) {
    return notes->counts[what];
}

void count_kind(const char *kind) {
    for (int i = 0; i < MOST_KINDS; i++) {
        struct kind_note *k = &notes->kind[i];
        if (!k->name[0])
            strncpy(k->name, kind, sizeof k->name - 1);
        if (strcmp(k->name, kind) == 0) {
            k->count++;
            return;
        }
    }
}

static struct traced *latest(void) {
    return &notes->line[(notes->traced - 1) % TRACED];
}

static void write_latest(void) {
    struct traced *line = latest();
    if (whole) {
        fprintf(whole, "-- %s: %s\n%s;\n", line->who, line->outcome, line->text);
        fflush(whole);
    }
}

void trace(const char *who, const char *text, const char *outcome) {
    notes->traced++;
    count(COUNT_STATEMENTS);
    snprintf(latest()->who, sizeof latest()->who, "%s", who);
    snprintf(latest()->text, sizeof latest()->text, "%s", text);
    snprintf(latest()->outcome, sizeof latest()->outcome, "%s", outcome ? outcome : "");
    write_latest();
}

void trace_outcome(const char *outcome) {
    snprintf(latest()->outcome, sizeof latest()->outcome, "%s", outcome ? outcome : "");
    if (whole)
        fprintf(whole, "-- %s\n", outcome);
}

void wrong(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(notes->problem, sizeof notes->problem, format, values);
    va_end(values);
    _exit(EXIT_WRONG);
}
