/* Breadth-first search over parts: a level is expanded by every part along its own rows, ghosts that
** it has found are reduced into their masters, and where rows begin at ghosts the new frontier is
** broadcast. After Dathathri et al., "Gluon" (PLDI 2018).
**
**     now       locals of this level, ghosts among them where rows begin at these
**     next      locals that it finds
**     visited   a bit for each local: those up to this level
**
** A wide level is found bottom-up, after Beamer, Asanovic, Patterson (SC 2012): every vertex that is not
** visited looks for one visited neighbour along the transpose. All levels so far are complete, so such a
** neighbour is in the frontier. Where arcs lead both ways rows do for the transpose. */
#include "bfs/bfs.h"
#include "distributed/partition/part.h"

#include <string.h>

/* A level is found bottom-up while its arcs are more than an eighth of the arcs not
** looked at yet. */
enum { PART_BOTTOM_UP = 8 };

/* The rows that a level bottom-up looks along. */
struct looked_along {
    const uint64_t *offset; /* NULL: none, every level is expanded */
    const uint32_t *target;
    uint32_t locals; /* that have a row there */
    bool to_ghosts;  /* rows end at ghosts: these have to know what is visited */
    bool of_ghosts;  /* rows are of ghosts, too */
};

struct bfs_part {
    gpugraph_part *p;
    gpugraph_run *run;
    uint32_t *depth; /* of each local; a ghost's is at least its master's */
    uint64_t *visited;
    struct part_changes now, next;
    struct looked_along along;
    uint64_t found;                /* by the last level, by all parts */
    uint64_t frontier, unexplored; /* arcs of masters' rows here, by all parts */
    uint32_t bottom_up;            /* levels */
};

static void choose_rows(struct bfs_part *b) {
    const gpugraph_part *p = b->p;
    const bool both = p->direction == GPUGRAPH_BOTH;
    if (both && (p->partition == GPUGRAPH_BY_SOURCE || !p->into.offset))
        b->along = (struct looked_along){p->offset, p->target, p->locals,
                                         part_writes_ghosts(p), part_reads_ghosts(p)};
    else
        b->along = (struct looked_along){p->into.offset, p->into.source, p->locals,
                                         part_reads_ghosts(p), part_writes_ghosts(p)};
    if (!b->along.of_ghosts)
        b->along.locals = p->masters;
}

/* ---- a level ---- */

/* Those of the list from `first` on. */
static void set_visited(struct bfs_part *b, const struct part_changes *c,
                        uint32_t first) {
    for (uint32_t i = first; i < c->count; i++)
        b->visited[c->list[i] / 64] |= (uint64_t)1 << c->list[i] % 64;
}

/* Without a branch on whether a vertex is new, which no processor could foresee: every target is written
** behind the list's end, which moves on for new ones alone. */
static bool expand_parts(struct bfs_part *b, uint32_t level) {
    const gpugraph_part *p = b->p;
    uint32_t *list = b->next.list, count = 0;
    uint64_t *visited = b->visited;
    for (uint32_t i = 0; i < b->now.count && !gg_leave(b->run, i); i++) {
        const uint32_t v = b->now.list[i];
        for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++) {
            const uint32_t w = p->target[a];
            const uint64_t word = visited[w / 64];
            visited[w / 64] = word | (uint64_t)1 << w % 64;
            list[count] = w;
            count += ~word >> w % 64 & 1;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        b->depth[list[i]] = level + 1;
        b->next.flag[list[i]] = 1;
    }
    b->next.count = count;
    return !gg_stopping(b->run);
}

static bool has_visited_neighbour(const struct bfs_part *b, uint32_t v) {
    for (uint64_t a = b->along.offset[v]; a < b->along.offset[v + 1]; a++) {
        const uint32_t u = b->along.target[a];
        if (b->visited[u / 64] >> u % 64 & 1)
            return true;
    }
    return false;
}

/* visited stands still meanwhile. */
static bool look_up(struct bfs_part *b, uint32_t level) {
    const uint32_t locals = b->along.locals;
    for (uint32_t low = 0; low < locals && !gg_leave(b->run, low / 64); low += 64) {
        uint64_t open = ~b->visited[low / 64];
        if (locals - low < 64)
            open &= ((uint64_t)1 << (locals - low)) - 1;
        for (; open; open &= open - 1) {
            const uint32_t v = low + (uint32_t)__builtin_ctzll(open);
            if (has_visited_neighbour(b, v)) {
                b->depth[v] = level + 1;
                part_note(&b->next, v);
            }
        }
    }
    set_visited(b, &b->next, 0);
    return !gg_stopping(b->run);
}

/* What the level has found, of masters: how many, and how many arcs lead on from there. */
static void count_found(const struct bfs_part *b, const struct part_changes *c,
                        uint64_t word[2]) {
    const gpugraph_part *p = b->p;
    word[0] = c->count;
    word[1] = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->list[i] < p->masters)
            word[1] += p->offset[c->list[i] + 1] - p->offset[c->list[i]];
}

static struct part_field depths(const struct bfs_part *b) {
    return (struct part_field){b->depth, sizeof *b->depth, part_least_32};
}

/* All parts learn what has been found in all, and ghosts that begin rows are in the list. */
static bool agree(struct bfs_part *b, struct part_changes *c) {
    gpugraph_part *p = b->p;
    const uint32_t count = c->count;
    uint64_t word[2];
    count_found(b, c, word);
    if (part_reads_ghosts(p)
            ? gg_broadcast_and_combine(p, b->run, depths(b), c, GPUGRAPH_SUM, word, 2)
            : p->exchange->calls->combine(p->exchange, b->run, GPUGRAPH_SUM, word, 2))
        return false;
    set_visited(b, c, count);
    b->found = word[0];
    b->frontier = word[1];
    b->unexplored -= word[1] < b->unexplored ? word[1] : b->unexplored;
    return true;
}

static bool one_level(struct bfs_part *b, uint32_t level) {
    gpugraph_part *p = b->p;
    const bool up = b->along.offset && b->frontier * PART_BOTTOM_UP > b->unexplored;
    b->bottom_up += up;
    if (up && b->along.to_ghosts && !part_reads_ghosts(p)) {
        const uint32_t count = b->now.count;
        if (gg_broadcast(p, b->run, depths(b), &b->now) != GPUGRAPH_OK)
            return false;
        set_visited(b, &b->now, count);
    }
    if (!(up ? look_up(b, level) : expand_parts(b, level)))
        return false;
    if (!(up ? b->along.of_ghosts : part_writes_ghosts(p)))
        return true;
    if (gg_reduce(p, b->run, depths(b), &b->next) != GPUGRAPH_OK)
        return false;
    set_visited(b, &b->next, 0);
    return true;
}

static bool search(struct bfs_part *b, uint32_t max_depth) {
    gpugraph_part *p = b->p;
    choose_rows(b);
    b->unexplored = p->offset[p->masters];
    if (!part_sum(p, b->run, &b->unexplored) || !agree(b, &b->now))
        return false;
    for (uint32_t level = 0; b->found > 0 && level < max_depth; level++) {
        if (!one_level(b, level) || !agree(b, &b->next))
            return false;
        part_forget(&b->now);
        const struct part_changes old = b->now;
        b->now = b->next;
        b->next = old;
    }
    return true;
}

/* ---- the whole ---- */

/* Depths of ghosts are their masters' before the tree is made. */
static bool make_tree(struct bfs_part *b, const uint32_t *source, uint32_t sources,
                      const gpugraph_part_tree *tree) {
    gpugraph_part *p = b->p;
    const struct part_field depth = {b->depth, sizeof *b->depth, NULL};
    return (part_reads_ghosts(p) ||
            gg_broadcast(p, b->run, depth, NULL) == GPUGRAPH_OK) &&
           part_tree(p, b->run, b->depth, PART_LEVELS, source, sources, tree) ==
               GPUGRAPH_OK;
}

static bool make_room_of_parts(struct bfs_part *b) {
    const gpugraph_part *p = b->p;
    b->visited = gg_alloc_zero(b->run, (uint64_t)p->locals / 64 + 1, sizeof *b->visited);
    if (!b->visited || !part_changes_open(p, b->run, &b->now) ||
        !part_changes_open(p, b->run, &b->next))
        return false;
    memset(b->depth, 0xff, p->locals * sizeof *b->depth);
    b->now.alike = b->next.alike = true; /* a level's depth */
    return true;
}

static void begin_at(struct bfs_part *b, const uint32_t *source, uint32_t sources) {
    for (uint32_t i = 0; i < sources; i++) {
        b->depth[source[i]] = 0;
        part_note(&b->now, source[i]);
    }
    set_visited(b, &b->now, 0);
}

static bool search_on_cpu(struct bfs_part *b, const uint32_t *source, uint32_t sources,
                          uint32_t max_depth) {
    const double start = gg_now_ms();
    bool done = make_room_of_parts(b);
    if (done) {
        begin_at(b, source, sources);
        done = search(b, max_depth);
    }
    if (done)
        gg_phase(b->run, "search", start, (int64_t)b->p->arcs,
                 "%u levels bottom-up over %u parts", b->bottom_up,
                 b->p->exchange->parts);
    part_changes_close(&b->now);
    part_changes_close(&b->next);
    gg_release(b->visited);
    return done;
}

gpugraph_status gpugraph_part_bfs(gpugraph_part *p, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree) {
    gg_begin(run);
    struct bfs_part b = {.p = p, .run = run};
    double start;
    uint32_t sources = 0, *here = NULL;
    if (gg_needs(run, source, source_count, "source") &&
        gg_needs(run, depth, p->masters, "depth") &&
        part_tree_is_possible(p, run, tree) &&
        (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
        (b.depth = gg_alloc(run, p->locals, sizeof *b.depth)) != NULL) {
        if (p->device ? gg_part_services.bfs(p, here, sources, max_depth, run, b.depth) ==
                            GPUGRAPH_OK
                      : search_on_cpu(&b, here, sources, max_depth)) {
            memcpy(depth, b.depth, p->masters * sizeof *depth);
            start = gg_now_ms();
            if (tree && make_tree(&b, here, sources, tree))
                gg_phase(run, "parents", start, p->masters, "%u sources here", sources);
        }
    }
    gg_release(b.depth);
    gg_release(here);
    return part_end(p->exchange, run);
}
