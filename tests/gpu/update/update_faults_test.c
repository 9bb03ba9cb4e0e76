/* Every allocation of an update, a compaction, a clone and an unpack fails once. The call
** returns an error or succeeds. After an error the graph is unchanged, and no memory
** leaks. A second update succeeds. One test interrupts updates and clones. */
/* ctest: serial wide=0 wrap=memory */
#include "edge_model.h"
#include "failing_memory.h"
#include "memory_stream.h"

#include "expect.h"
#include "suite.h"
#include "graph_data.h"
#include <stdlib.h>
#include <string.h>

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS };

typedef struct story {
    edge_model first, before, after; /* `opening` makes `before` of `first` */
    model_batch opening;
    gpugraph_graph *old, *new; /* made by gpugraph_create */
    model_batch batch;
    uint64_t slots;
} story;

/* Converts the INTEGER weights of edges that stay to REAL. */
static void convert_kept(const edge_model *before, edge_model *after) {
    for (int64_t e = 0; e < before->count; e++)
        for (int64_t k = 0; k < after->count; k++)
            if (memcmp(&before->edge[e], &after->edge[k], sizeof *after->edge) == 0) {
                after->edge[k].real = (double)after->edge[k].weight;
                break;
            }
}

static story story_of(int i, uint64_t seed, uint32_t universe, int64_t edges,
                      int changes) {
    story s;
    s.first =
        model_make((enum model_ids)(i % MODEL_IDS), (enum model_weights)(i / MODEL_IDS),
                   universe, edges, seed * 1000 + (uint64_t)i);
    s.before = model_copy(&s.first);
    model_change(&s.before, 2);
    s.opening = model_batch_of(&s.first, &s.before);
    s.after = model_copy(&s.before);
    model_change(&s.after, changes);
    if (seed % 3 == 2 && s.before.weights == MODEL_SMALL) /* weights of another type */
        s.after.weights = MODEL_REAL;
    s.slots =
        model_below(&s.after, 1 << MODEL_SLOTS) | (seed % 2 ? (1 << MODEL_SLOTS) - 1 : 0);
    s.batch = model_batch_of(&s.before, &s.after);
    s.old = model_graph(&s.before, 1);
    if (s.after.weights != s.before.weights)
        convert_kept(&s.before, &s.after);
    s.new = model_graph(&s.after, 1);
    return s;
}

static void story_free(story *s) {
    gpugraph_free(s->old);
    gpugraph_free(s->new);
    model_batch_free(&s->batch);
    model_batch_free(&s->opening);
    model_free(&s->first);
    model_free(&s->before);
    model_free(&s->after);
}

static void expect_same(gpugraph_graph *got, gpugraph_graph *wanted, int n,
                        const char *when) {
    const char *differs = same_graph(got, wanted);
    expect(!differs, "allocation %d, %s: %s", n, when, differs);
}

/* own_blocks counts the memory blocks of the graph's rows, gaps and ids. A failed batch
** may drop rows. */
static long slot_blocks(const gpugraph_graph *graph, const struct csr_slot *slot) {
    return (slot->offset != NULL) + (slot->target && slot->target != graph->target) +
           (slot->weight != NULL) + (slot->end ? 2 : 0);
}

static long own_blocks(const gpugraph_graph *graph) {
    long blocks = graph->gaps.made ? 3 : graph->edge_id ? 1 : 0;
    const struct graph_ids *id = &graph->id;
    const void *const of_ids[] = {id->integer,     id->present,    id->rank,
                                  id->text_offset, id->text_bytes, id->tombstones.vertex,
                                  id->later.id,    id->later.order};
    for (size_t i = 0; i < sizeof of_ids / sizeof *of_ids; i++)
        blocks += of_ids[i] != NULL;
    for (uint32_t i = 0; i < id->later.count; i++)
        blocks += id->later.id[i].is_text;
    blocks += graph->id.text_index != NULL;
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        blocks += slot_blocks(graph, &graph->derived.adjacency[side].rows);
    blocks += graph->derived.degree != NULL;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        blocks += slot_blocks(graph, &graph->csr[kind]);
    return blocks + slot_blocks(graph, &graph->derived.edge_rows);
}

/* opened: by an update that may leave gaps between edges, and slack in rows. */
static gpugraph_graph *graph_before(story *s, bool opened) {
    gpugraph_graph *graph = model_graph(opened ? &s->first : &s->before, 1);
    gpugraph_run run = {.threads = 1};
    model_make_slots(graph, s->slots);
    s->opening.changes.added = &s->opening.added.edges;
    expect(!opened || gpugraph_update(graph, &s->opening.changes, &run) == GPUGRAPH_OK,
           "%s", run.message);
    return graph;
}

/* Makes a new graph for each allocation that fails. True: it had gaps. */
static bool fail_updates(story *s, bool opened) {
    bool again = true, gaps = false;
    s->batch.changes.added = &s->batch.added.edges;
    for (int n = 1; again; n++) {
        gpugraph_graph *graph = graph_before(s, opened);
        gpugraph_run run = {.threads = 1};
        long held = heap_blocks() - own_blocks(graph);
        gaps |= graph->gaps.made;
        fail_from(n, false);
        gpugraph_status status = gpugraph_update(graph, &s->batch.changes, &run);
        again = fail_no_more();
        /* If the arrays with gaps cannot grow, the update closes the gaps. */
        const bool moved = again && opened && !status;
        expect(moved || status == (again ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK),
               "allocation %d: %s", n, run.message);
        if (status) {
            held += own_blocks(graph);
            expect(heap_blocks() == held, "allocation %d: %ld blocks leak", n,
                   heap_blocks() - held);
            expect_same(graph, s->old, n, "after the failure");
            status = gpugraph_update(graph, &s->batch.changes, &run);
            expect(!status, "allocation %d, again: %s", n, run.message);
        }
        expect_same(graph, s->new, n, "at the end");
        gpugraph_free(graph);
    }
    return gaps;
}

START_TEST(updates) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        story s = story_of(_i, seed, 12, 20, 8);
        fail_updates(&s, false);
        story_free(&s);
    }
}
END_TEST

/* A failed compaction changes nothing. True: there was something to compact. */
static bool fail_compactions(story *s) {
    bool again = true, was_loose = false;
    s->batch.changes.added = &s->batch.added.edges;
    for (int n = 1; again; n++) {
        gpugraph_run run = {.threads = 1};
        gpugraph_graph *graph = graph_before(s, true);
        expect(!gpugraph_update(graph, &s->batch.changes, &run), "%s", run.message);
        was_loose |= model_is_loose(graph);
        long held = heap_blocks() - own_blocks(graph);
        fail_from(n, false);
        const gpugraph_status status = gpugraph_compact(graph, &run);
        again = fail_no_more();
        expect(!status == !again, "allocation %d: %s", n, run.message);
        held += own_blocks(graph);
        expect(heap_blocks() == held, "allocation %d: %ld blocks leak", n,
               heap_blocks() - held);
        expect_same(graph, s->new, n, "after the compaction");
        ck_assert(status || !model_is_loose(graph));
        gpugraph_free(graph);
    }
    return was_loose;
}

START_TEST(compactions) {
    int some = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        story s = story_of(_i, seed, 24, 20, 8);
        some += fail_compactions(&s);
        story_free(&s);
    }
    ck_assert_int_gt(some, 0);
}
END_TEST

/* Most of these graphs have gaps between their edges already. */
START_TEST(updates_with_gaps) {
    int with_gaps = 0;
    for (uint64_t seed = 0; seed < 45; seed += 3) { /* no other type of weights */
        story s = story_of(_i, seed, 12, 20, 1 + (int)seed % 8);
        s.slots |= (uint64_t)8 << 3 * CSR_KINDS;
        with_gaps += fail_updates(&s, true);
        story_free(&s);
    }
    ck_assert_int_gt(with_gaps, 0);
}
END_TEST

START_TEST(clones_and_packs) {
    story s = story_of(_i, 1, 12, 20, 8);
    gpugraph_run run = {.threads = 1};
    memory_file file;
    model_make_slots(s.old, s.slots);
    memory_pack(s.old, &file);
    bool again = true;
    for (int n = 1; again; n++) {
        gpugraph_graph *copy, *read;
        long held = heap_blocks();
        fail_from(n, false);
        gpugraph_clone(s.old, &run, &copy);
        again = fail_no_more();
        expect(!copy == again, "clone, allocation %d: %s", n, run.message);
        gpugraph_stream from = memory_reader(&file);
        fail_from(n, false);
        gpugraph_unpack(&run, &from, file.size, &read);
        bool also = fail_no_more();
        expect(!read == also, "unpack, allocation %d: %s", n, run.message);
        expect(!also || run.status == GPUGRAPH_NO_MEMORY, "%s", run.message);
        expect(!again || !also || heap_blocks() == held, "allocation %d leaks", n);
        gpugraph_free(copy);
        gpugraph_free(read);
        expect(heap_blocks() == held, "allocation %d: %ld blocks leak", n,
               heap_blocks() - held);
        again |= also;
    }
    memory_file_free(&file);
    story_free(&s);
}
END_TEST

static int stop_at_once(void *listener) {
    (void)listener;
    return 1;
}

START_TEST(interrupts) {
    story s = story_of(_i, 1, 30, 60, 20);
    gpugraph_graph *graph = model_graph(&s.before, 1);
    model_make_slots(graph, s.slots);
    s.batch.changes.added = &s.batch.added.edges;
    gpugraph_run run = {.threads = 1, .interrupted = stop_at_once};
    ck_assert_int_eq(gpugraph_update(graph, &s.batch.changes, &run),
                     GPUGRAPH_INTERRUPTED);
    expect_same(graph, s.old, 0, "after an interrupt");
    run.interrupted = NULL;
    ck_assert_int_eq(gpugraph_update(graph, &s.batch.changes, &run), GPUGRAPH_OK);
    run.interrupted = stop_at_once;
    gpugraph_graph *copy;
    ck_assert_int_eq(gpugraph_clone(graph, &run, &copy), GPUGRAPH_INTERRUPTED);
    ck_assert_ptr_null(copy);
    gpugraph_free(graph);
    story_free(&s);
}
END_TEST

const struct suite suite = {
    "update_faults",
    {{"all", .timeout = 240,
      .cases = {{&updates, KINDS},
                {&compactions, KINDS},
                {&updates_with_gaps, KINDS},
                {&clones_and_packs, KINDS},
                {&interrupts, KINDS}}}},
};
