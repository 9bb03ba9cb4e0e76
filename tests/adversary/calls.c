/* Questions that call one function, in two equivalent texts.
**
**     kept    SELECT vertex, depth FROM gpu_bfs('g', 1) WHERE MAX_DEPTH = 2 AND depth < 2
**     fresh   the call for the table; or the whole search with LIMIT -1, so that SQLite
**             filters its rows:
**             SELECT vertex, depth FROM (SELECT * FROM gpu_bfs('roads(...)', 1) LIMIT -1)
**             WHERE depth <= 2 AND depth < 2 */
#include "adversary.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

/* ---- values ---- */

static const char *any_stored_id(void) {
    if (w.kind->ids == 'i')
        return ONE_OF("1", "2", "3", "4", "5", "6", "7", "9");
    if (w.kind->ids == 't')
        return ONE_OF("'1'", "'2'", "'3'", "'4'", "'a'", "'b'", "'6'", "'B'");
    return ONE_OF("1", "2", "3", "4", "5", "6", "7", "'a'", "'b'", "'3'", "1", "2");
}

/* Some ids occur often for a while. */
const char *stored_id(void) {
    static const char *often[3];
    if (w.often_until <= counted(COUNT_STATEMENTS)) {
        w.often_until = counted(COUNT_STATEMENTS) + 20 + pick(100);
        for (int i = 0; i < 3; i++)
            often[i] = any_stored_id();
    }
    return pick(5) < 3 ? often[pick(3)] : any_stored_id();
}

const char *any_id(void) {
    if (pick(12))
        return stored_id();
    return ONE_OF("1", "'1'", "3.0", "'3'", "NULL", "2.5", "x'31'", "'03'", "'zz'",
                  "9007199254740993", "-1", "''");
}

const char *bound(void) {
    if (has(F_zero_bounds) && pick(3) == 0)
        return ONE_OF("0", "0", "0.0");
    return ONE_OF("1", "1", "2", "3", "4", "7", "100", "2.5", "0.5", "5", "1e30");
}

const char *random_name(const char *text) {
    return has(F_cased) ? random_case(text) : text;
}

const char *random_case(const char *text) {
    static char made[4][40];
    static int next;
    char *to = made[next++ % 4];
    sqlite3_snprintf(sizeof made[0], to, "%s", text);
    if (pick(3) == 0)
        for (char *at = to; *at; at++)
            *at = (char)(pick(2) ? toupper(*at) : tolower(*at));
    return to;
}

/* ---- questions as texts ---- */

void question_begin(question *q) {
    q->kept = sqlite3_str_new(NULL);
    q->fresh = sqlite3_str_new(NULL);
    q->agreement = SAME_ROWS;
}

void question_both(question *q, const char *format, ...) {
    va_list values;
    va_start(values, format);
    sqlite3_str_vappendf(q->kept, format, values);
    va_end(values);
    va_start(values, format);
    sqlite3_str_vappendf(q->fresh, format, values);
    va_end(values);
}

void question_kept(question *q, const char *format, ...) {
    va_list values;
    va_start(values, format);
    sqlite3_str_vappendf(q->kept, format, values);
    va_end(values);
}

void question_fresh(question *q, const char *format, ...) {
    va_list values;
    va_start(values, format);
    sqlite3_str_vappendf(q->fresh, format, values);
    va_end(values);
}

/* ---- edges ---- */

source_text any_source(void) {
    static const source_text texts[] = {
        {"'$t($a, $b, $w)'", "'$t($a, $b, $w)'", true, true},
        {"'$t($a, $b, $w)'", "'main.$t($a, $b, $w)'", true, true},
        {"'$s.$t( $a,$b , $w)'", "'$t($a, $b, $w)'", true, true},
        {"'$t($a, $b)'", "'$t($a, $b)'", false, true},
        {"'ways'", "'ways'", true, false},
        {"'SELECT $a, $b, $w FROM $t'", "'$t($a, $b, $w)'", true, false},
        {"'$t($a, $b, $w, id)'", "'$t($a, $b, $w)'", true, true},
        {"'SELECT $a, $b, $w, id FROM $t'", "'$t($a, $b, $w)'", true, true},
    };
    static const source_text graphs[] = {
        {"'$g'", "'$g'", true, true},
        {"'$s.$g'", "'$g'", true, true},
        {"'$g'", "'SELECT $a, $b, $w$f FROM $t'", true, false},
    };
    if (w.followed && pick(5) < 3)
        return graphs[pick(pick(3) ? 2 : 3)];
    return texts[pick(pick(2) ? 4 : w.kind->id ? 8 : 6)];
}

/* ---- properties of functions ---- */

typedef struct function {
    const char *name, *value, *most; /* value: the column of depths or distances */
    const char *columns;             /* for any edges */
    const char *id_columns;          /* derived from edge ids */
    bool weighted, sources;
} function;

static const function functions[] = {
    {"gpu_bfs", "depth", "max_depth", "vertex, depth", ", parent, edge", false, true},
    {"gpu_sssp", "distance", "max_distance", "vertex, distance", ", parent, edge", true,
     true},
};

static bool is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

static const char *host_method(const char *name) {
    if (is(name, "gpu_bfs"))
        return ONE_OF("auto", "direction-optimizing", "top-down", "multi-source");
    return ONE_OF("auto", "delta-stepping", "dijkstra");
}

static const char *device_method(const char *name) {
    if (is(name, "gpu_bfs"))
        return ONE_OF("auto", "persistent", "direction-optimizing", "multi-kernel");
    return ONE_OF("auto", "persistent", "regions", "L1V-L2V", "L1V-L2DQ");
}

/* Adds hidden columns: direction and vertices to both texts, a method and a backend that
** has this method to the keeper's text. */
static void add_options(question *q, const char *name) {
    const bool named = pick(10) == 0 && (is(name, "gpu_bfs") || is(name, "gpu_sssp"));
    const bool device = w.cuda && pick(3) == 0;
    if (pick(3) == 0)
        question_both(q, " AND %s = '%s'", random_case("direction"),
                      random_name(ONE_OF("out", "in", "both")));
    if (pick(10) == 0)
        question_both(q, " AND %s = 'places(id)'", random_case("vertices"));
    if (named)
        question_kept(q, " AND %s = '%s'", random_case("method"),
                      random_name(device ? device_method(name) : host_method(name)));
    if (device)
        question_kept(q, " AND backend = '%s'",
                      random_name(ONE_OF("cuda", "cuda", "auto")));
}

/* ---- trees of distances ---- */

/* Adds the end of a statement: order and limit. */
static void add_end(question *q, const function *f, uint32_t end) {
    if (end == 1)
        question_both(q, " ORDER BY %s%s LIMIT %u OFFSET %u", f->value,
                      pick(2) ? " DESC" : "", 1 + pick(5), pick(3));
    else if (end == 2)
        question_both(q, " ORDER BY %s, vertex%s", f->value, pick(2) ? " DESC" : "");
    else if (end == 3)
        question_both(q, " LIMIT %u)", pick(6));
    if (end == 1 || end == 2)
        q->agreement |= SAME_SEQUENCE;
}

static void add_filter(question *q, const function *f) {
    switch (pick(12)) {
    case 0:
        question_both(q, " AND vertex = %s", stored_id());
        break;
    case 1:
        question_both(q, " AND vertex IN (%s, %s)", stored_id(), stored_id());
        break;
    case 2:
        question_both(q, " AND %s %s %s", f->value, ONE_OF(">", ">=", "=", "<>"),
                      bound());
        break;
    case 3:
        question_both(q, " AND parent IS NOT NULL");
        break;
    default:
        break;
    }
}

static void add_bound(question *q, const function *f, bool barrier) {
    const char *most = bound();
    switch (has(F_bounds) ? pick(6) : 6) {
    case 0:
    case 1:
        question_kept(q, " AND %s = %s", random_case(f->most), most);
        question_fresh(q, barrier ? " AND %s <= %s" : " AND %s = %s",
                       barrier ? f->value : f->most, most);
        break;
    case 2:
        question_both(q, " AND %s <= %s", f->value, most);
        break;
    case 3:
        question_both(q, " AND %s < %s", f->value, most);
        break;
    default:
        break;
    }
}

static void add_target(question *q, bool barrier) {
    if (pick(3))
        return;
    const char *one = stored_id(), *two = stored_id();
    bool list = has(F_lists) && pick(2) && strcmp(one, two) != 0;
    const char *column = barrier ? "vertex" : "target";
    if (list) {
        question_kept(q, " AND target IN (%s, %s)", one, two);
        question_fresh(q, " AND %s IN (%s, %s)", column, one, two);
    } else {
        question_kept(q, " AND target = %s", one);
        question_fresh(q, " AND %s = %s", column, one);
    }
}

static void ask_distances(question *q, const function *f, const source_text *s) {
    bool barrier = pick(2) && !has(F_errors), ids = s->ids && pick(3) > 0;
    const char *id = barrier ? stored_id() : any_id();
    uint32_t end = has(F_bounds) ? pick(8) : pick(2) * 2;
    const char *tree = ids ? f->id_columns : "";
    if (end == 1)
        question_both(q, "SELECT %s FROM ", f->value);
    else
        question_both(q, "SELECT %s%s%s FROM ", end == 3 ? "count(*) FROM (SELECT " : "",
                      f->columns, tree);
    if (pick(4) == 0)
        question_kept(q, "%s WHERE %s = %s AND source = %s", f->name,
                      random_case("edges"), s->kept, id);
    else
        question_kept(q, "%s(%s, %s) WHERE 1", f->name, s->kept, id);
    if (barrier)
        question_fresh(q, "(SELECT vertex, %s, parent, edge FROM %s(%s, %s) WHERE 1",
                       f->value, f->name, s->fresh, id);
    else
        question_fresh(q, "%s(%s, %s) WHERE 1", f->name, s->fresh, id);
    add_options(q, f->name);
    if (barrier)
        question_fresh(q, " LIMIT -1) WHERE 1");
    add_bound(q, f, barrier);
    if (!has(F_errors) || has(F_bounds)) { /* otherwise distances may be out of range */
        add_target(q, barrier);
        add_filter(q, f);
    }
    add_end(q, f, end);
}

/* ---- lists of sources ---- */

/* `source IN (...)` searches from each source in turn; fresh has a statement for each. */
static void ask_source_list(question *q, const function *f, const source_text *s) {
    const char *ids[3] = {stored_id(), stored_id(), stored_id()};
    const char *tree = s->ids ? f->id_columns : "", *most = bound();
    bool bounded = has(F_bounds) && pick(2);
    question_kept(q,
                  "SELECT source, %s%s FROM %s WHERE edges = %s AND source IN (%s, %s, "
                  "%s)",
                  f->columns, tree, f->name, s->kept, ids[0], ids[1], ids[2]);
    if (bounded)
        question_kept(q, " AND %s <= %s", f->value, most);
    for (int i = 0; i < 3; i++) {
        bool twice = false;
        for (int k = 0; k < i; k++)
            twice |= strcmp(ids[k], ids[i]) == 0;
        if (twice)
            continue;
        question_fresh(q, "SELECT %s, %s%s FROM %s(%s, %s)", ids[i], f->columns, tree,
                       f->name, s->fresh, ids[i]);
        if (bounded)
            question_fresh(q, " WHERE +%s <= %s", f->value, most);
        question_fresh(q, ";");
    }
}

/* `sources` is one search from all sources. */
static void ask_sources(question *q, const function *f, const source_text *s) {
    const char *one = stored_id(), *two = stored_id();
    /* The edges' ids decide between two equally near sources. */
    question_both(q, "SELECT %s%s FROM %s WHERE %s = json_array(%s, %s)",
                  s->ids ? "source, " : "", f->columns, f->name, random_case("sources"),
                  one, two);
    question_kept(q, " AND edges = %s", s->kept);
    question_fresh(q, " AND edges = %s", s->fresh);
    add_options(q, f->name);
    add_bound(q, f, false);
}

/* ---- the other functions ---- */

static void ask_path(question *q, const source_text *s) {
    const char *from = any_id(), *to = any_id();
    question_both(q, "SELECT seq, vertex%s, cost, distance FROM gpu_path(",
                  s->ids ? ", edge" : "");
    question_kept(q, "%s, %s, %s) WHERE 1", s->kept, from, to);
    question_fresh(q, "%s, %s, %s) WHERE 1", s->fresh, from, to);
    if (!s->ids) { /* among equally long paths, the edges' ids decide */
        sqlite3_str_reset(q->kept);
        sqlite3_str_reset(q->fresh);
        question_both(q, "SELECT count(*) > 0, max(distance) FROM gpu_path(");
        question_kept(q, "%s, %s, %s) WHERE 1", s->kept, from, to);
        question_fresh(q, "%s, %s, %s) WHERE 1", s->fresh, from, to);
    }
    add_options(q, "gpu_path");
    if (pick(3) == 0)
        question_both(q, " AND weighted = %s", ONE_OF("0", "1"));
    if (s->ids && pick(4) == 0)
        question_both(q, " ORDER BY seq LIMIT %u", pick(4));
}

static void ask_dfs(question *q, const source_text *s) {
    bool ordered = pick(3) > 0, forest = pick(3) == 0;
    const char *from = any_id();
    question_both(q, "SELECT vertex%s%s FROM gpu_dfs(",
                  ordered ? ", depth, parent, preorder, postorder" : "",
                  ordered && s->ids ? ", edge" : "");
    question_kept(q, forest ? "%s) WHERE 1" : "%s, %s) WHERE 1", s->kept, from);
    question_fresh(q, forest ? "%s) WHERE 1" : "%s, %s) WHERE 1", s->fresh, from);
    question_both(q, " AND %s = %d", random_case("ordered"), ordered);
    add_options(q, "gpu_dfs");
}

static void ask_mis(question *q, const source_text *s) {
    question_both(q, "SELECT vertex FROM gpu_mis(");
    question_kept(q, "%s) WHERE 1", s->kept);
    question_fresh(q, "%s) WHERE 1", s->fresh);
    if (pick(2))
        question_both(q, " AND %s = '%s'", random_case("priority"),
                      random_name(ONE_OF("degree", "degree-id", "random", "id")));
    if (pick(3) == 0)
        question_both(q, " AND seed = %u", pick(3));
}

static void ask_triangles(question *q, const source_text *s) {
    question_both(q, "SELECT gpugraph_triangles(");
    question_kept(q, "%s)", s->kept);
    question_fresh(q, "%s)", s->fresh);
}

void question_call(question *q) {
    const function *f = &functions[pick(2)];
    source_text s = any_source();
    bool lists = has(F_lists) && !has(F_errors);
    while (!s.weighted && f->weighted)
        s = any_source();
    switch (pick(16)) {
    case 0:
    case 1:
        ask_path(q, &s);
        break;
    case 2:
        ask_dfs(q, &s);
        break;
    case 3:
        ask_mis(q, &s);
        break;
    case 4:
        ask_triangles(q, &s);
        break;
    case 5:
    case 6:
        (lists ? ask_source_list : ask_distances)(q, f, &s);
        break;
    case 7:
        (lists ? ask_sources : ask_distances)(q, f, &s);
        break;
    default:
        ask_distances(q, f, &s);
    }
}
