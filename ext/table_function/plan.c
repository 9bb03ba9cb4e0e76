/* xBestIndex for all table functions: which constraints become values for xFilter, and
** what the plan may leave out.
**
**     edges = ?, source = ?, ...   argv, settled by us alone (omit); under OR SQLite may compare
**                                  them again with what the columns return (arguments.h)
**     vertex = ?                   the same, where the comparison is by bytes
**     depth <= ?, distance < ?     argv, and checked once more by SQLite
**     LIMIT, OFFSET                argv, where nothing but us drops or sorts rows
**     ORDER BY, columns used       bits of idxNum
**
** idxStr says what each argv is for, in words that EXPLAIN QUERY PLAN shows. An argument that
** this plan cannot supply makes the plan impossible (SQLITE_CONSTRAINT); one that is not
** there at all only makes it dear: the arms of an OR are planned one by one, so the sentence
** that explains comes from xFilter. One that SQLite never offers, though brackets hold it,
** shows in colUsed alone: it depends on the search itself, or on a table after it.
**
** An option that the statement uses and SQLite does not offer is an error: SQLite would compare
** its column with rows of a search that ran without it. Outer joins lose options that way. */
#include "plan.h"
#include "base/table_info.h"
#include "base/value.h"

#include <string.h>

#define NEVER_COST  1e30 /* xFilter will refuse: an argument is missing, or one too many */
#define LACK_COST   1e20 /* a value is lacking that the arms of an OR may supply */
#define ARM_COST    1e15 /* no edges: some versions plan arms without the outer terms */
#define SEARCH_ROWS 1e6  /* rows of a whole graph */
#define CELLS       1e4 /* of a matrix, from each of 100 sources to each of 100 targets */
#define FEW_ROWS    100 /* of paths, or of vertices in a list */

/* A search is made once and kept, so every plan costs about the same. Two arms of an OR must
** cost more than a plan without arms: SQLite withholds outer terms with subqueries from arms. */
#define ROW_COST  10.0
#define ROWS_COST 15.0

/* What xBestIndex was offered; -1: nothing usable of this sort. */
typedef struct offer {
    int equal[FIELDS];
    int bound[2], bounds;
    int limit, offset;
    bool offset_lost; /* an OFFSET that we cannot see */
    int others; /* constraints that SQLite will check, so that rows go missing after us */
    uint64_t unusable;  /* arguments, by field */
    unsigned bracketed; /* arguments that brackets hold, by place */
} offer;

typedef struct plan {
    const caller *by;
    const table_function *function;
    sqlite3 *db;
    sqlite3_index_info *info;
    offer offer;
    sqlite3_str *words;
    int values;
    int bits;
    /* all values of an IN come at once */
    bool target_list, vertex_list;
    bool
        compares_target; /* the target is not given: SQLite compares it with the vertex */
} plan;

static bool is_value_field(const table_function *f, int field) {
    return f->ends_early && !f->paths && (field == F_DEPTH || field == F_DISTANCE);
}

static int refuse(const plan *p, int field) {
    return caller_fail(p->by, SQLITE_ERROR,
                       "the argument %s can be compared by = or IN alone",
                       field_name(p->function, field));
}

static void take_value_constraint(plan *p, int i, int field) {
    offer *o = &p->offer;
    int op = p->info->aConstraint[i].op;
    bool usable = p->info->aConstraint[i].usable;
    if (field == F_VERTEX && op == SQLITE_INDEX_CONSTRAINT_EQ && usable &&
        o->equal[F_VERTEX] < 0 &&
        sqlite3_stricmp(sqlite3_vtab_collation(p->info, i), "BINARY") == 0) {
        o->equal[F_VERTEX] = i;
        return;
    }
    o->others++;
    if (usable && is_value_field(p->function, field) && o->bounds < 2 &&
        (op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_LT ||
         op == SQLITE_INDEX_CONSTRAINT_EQ))
        o->bound[o->bounds++] = i;
}

static void take_argument(plan *p, int i) {
    offer *o = &p->offer;
    int column = p->info->aConstraint[i].iColumn;
    enum field field = column_field(p->function, column);
    if (column_is_bracketed(p->function, column))
        o->bracketed |= 1u << (column - p->function->visible);
    if (p->info->aConstraint[i].usable && o->equal[field] < 0) {
        o->equal[field] = i;
    } else {
        o->others++;
        if (!p->info->aConstraint[i].usable)
            o->unusable |= (uint64_t)1 << field;
    }
}

/* Sorts the constraints. Returns false after an argument that is compared by something else
** than =: *refused. */
static bool sort_constraints(plan *p, int *refused) {
    offer *o = &p->offer;
    memset(o, 0, sizeof *o);
    for (int f = 0; f < FIELDS; f++)
        o->equal[f] = -1;
    o->limit = o->offset = -1;
    for (int i = 0; i < p->info->nConstraint; i++) {
        int op = p->info->aConstraint[i].op, column = p->info->aConstraint[i].iColumn;
        bool usable = p->info->aConstraint[i].usable;
        if (op == SQLITE_INDEX_CONSTRAINT_LIMIT) {
            o->limit = usable ? i : -1;
        } else if (op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
            o->offset = usable ? i : -1;
            o->offset_lost = !usable;
        } else if (column < 0) {
            o->others++;
        } else if (column_field(p->function, column) < F_FIRST_ARGUMENT) {
            take_value_constraint(p, i, column_field(p->function, column));
        } else if (op != SQLITE_INDEX_CONSTRAINT_EQ) {
            *refused = column_field(p->function, column);
            return false;
        } else {
            take_argument(p, i);
        }
    }
    return true;
}

static void give_plan(plan *p, int constraint, int what, int how, bool omit) {
    p->info->aConstraintUsage[constraint].argvIndex = p->values + 1;
    p->info->aConstraintUsage[constraint].omit = omit;
    plan_word_write(p->function, p->words, p->values == 0,
                    (word){(unsigned char)what, (unsigned char)how});
    p->values++;
}

/* Is the value one that may differ from one xFilter to the next? */
static bool varies(plan *p, int constraint) {
    sqlite3_value *value;
    return sqlite3_vtab_rhs_value(p->info, constraint, &value) != SQLITE_OK;
}

/* Takes all values of an IN at once where one search serves them. SQLite asks for the values of
** any other IN one after the other. */
static bool takes_list(plan *p, int field, int constraint) {
    const bool serves =
        field == F_VERTEX || (field == F_TARGET && !p->function->many_paths);
    if (!serves || !sqlite3_vtab_in(p->info, constraint, -1) ||
        !sqlite3_vtab_in(p->info, constraint, 1))
        return false;
    p->target_list |= field == F_TARGET;
    p->vertex_list |= field == F_VERTEX;
    return true;
}

static void give_values(plan *p) {
    const offer *o = &p->offer;
    for (int f = F_FIRST_ARGUMENT; f < F_FURTHER; f++) {
        int i = o->equal[f];
        if (i < 0)
            continue;
        bool list = takes_list(p, f, i);
        give_plan(p, i, f, list ? WORD_LIST : WORD_EQUAL, true);
        if (f == F_TARGET && !p->function->many_paths && varies(p, i))
            p->bits |= PLAN_VARIABLE_END;
        if ((f == F_MAX_DEPTH || f == F_MAX_DISTANCE) && varies(p, i))
            p->bits |= PLAN_VARIABLE_BOUND;
    }
    if (o->equal[F_VERTEX] >= 0) {
        bool list = takes_list(p, F_VERTEX, o->equal[F_VERTEX]);
        give_plan(p, o->equal[F_VERTEX], F_VERTEX, list ? WORD_LIST : WORD_EQUAL, true);
        if (varies(p, o->equal[F_VERTEX]))
            p->bits |= PLAN_VARIABLE_END;
    }
    for (int b = 0; b < o->bounds; b++) {
        bool less = p->info->aConstraint[o->bound[b]].op == SQLITE_INDEX_CONSTRAINT_LT;
        int field = column_field(p->function, p->info->aConstraint[o->bound[b]].iColumn);
        give_plan(p, o->bound[b], field, less ? WORD_LESS : WORD_AT_MOST, false);
        if (varies(p, o->bound[b]))
            p->bits |= PLAN_VARIABLE_BOUND;
    }
}

/* At most, for one source. */
static bool one_vertex(const plan *p) {
    bool target = p->offer.equal[F_TARGET] >= 0 && !p->function->paths;
    return !p->target_list && !p->vertex_list && !p->function->many_paths &&
           (p->offer.equal[F_VERTEX] >= 0 || target);
}

/* Can rows be sorted by the items of that array? */
static bool is_sortable(const plan *p, enum array_name array) {
    const bool own = array >= A_OWN && array <= A_OWN_LAST;
    return array != NO_ARRAY &&
           (!own || p->function->own[array - A_OWN].kind != OWN_VERTEX ||
            texts_sort_as_utf8(p->db));
}

/* What follows the first term of ORDER BY is the vertex in the same direction, or nothing. */
static bool vertex_follows(const plan *p) {
    const sqlite3_index_info *info = p->info;
    return info->nOrderBy < 2 ||
           (info->aOrderBy[1].iColumn >= 0 &&
            info->aOrderBy[1].desc == info->aOrderBy[0].desc &&
            column_field(p->function, info->aOrderBy[1].iColumn) == F_VERTEX &&
            texts_sort_as_utf8(p->db));
}

/* The order in which rows can be handed out so that SQLite need not sort: an array, NO_ARRAY for
** the order of vertices, or -1. Vertex and seq are different in every row, so whatever follows
** them does not matter. */
static int order_offered(const plan *p) {
    const sqlite3_index_info *info = p->info;
    const table_function *f = p->function;
    if (one_vertex(p))
        return NO_ARRAY;
    if (info->aOrderBy[0].iColumn < 0)
        return -1;
    int field = column_field(f, info->aOrderBy[0].iColumn);
    if (f->paths)
        return field == F_SEQ && !f->many_paths && !p->target_list ? NO_ARRAY : -1;
    if (field == F_VERTEX)
        return texts_sort_as_utf8(p->db) ? NO_ARRAY : -1;
    /* Equal items come by vertex, in the direction of the items. */
    const enum array_name array = column_array(f, field);
    return !p->target_list && !p->vertex_list && is_sortable(p, array) &&
                   vertex_follows(p)
               ? (int)array
               : -1;
}

static void choose_order(plan *p) {
    sqlite3_index_info *info = p->info;
    int order = info->nOrderBy > 0 ? order_offered(p) : NO_ARRAY;
    info->orderByConsumed = info->nOrderBy > 0 && order >= 0;
    if (info->orderByConsumed && info->aOrderBy[0].desc)
        p->bits |= PLAN_DESCENDING;
    if (order >= 0 && order <= A_POSTORDER)
        p->bits |= 1 << order;
    p->bits |= (order < 0 ? NO_ARRAY : order) << PLAN_ORDER_SHIFT;
}

static bool is_used(const plan *p, int column) {
    return p->info->colUsed >> (column < 63 ? column : 63) & 1;
}

/* Arrays take the place of rows: of a whole search, however few rows are looked at. */
static bool hands_out(const plan *p) {
    return has_arrays(p->function) && is_used(p, column_count(p->function) - 1);
}

/* A search may stop after LIMIT + OFFSET rows if these are the rows that SQLite will
** want: nobody drops any, and either every order will do or the nearest come first,
** ties in any order. */
static void choose_limit(plan *p) {
    const offer *o = &p->offer;
    const sqlite3_index_info *info = p->info;
    bool nearest =
        info->nOrderBy == 0 ||
        (info->nOrderBy == 1 && info->orderByConsumed && !(p->bits & PLAN_DESCENDING) &&
         (p->bits >> PLAN_ORDER_SHIFT & PLAN_ORDERS) == A_VALUE);
    if (o->limit < 0 || o->offset_lost || o->others > 0 || !nearest ||
        p->function->paths || !p->function->ends_early || hands_out(p) ||
        o->equal[F_VERTEX] >= 0 || o->equal[F_TARGET] >= 0)
        return;
    give_plan(p, o->limit, WORD_LIMIT, WORD_EQUAL, false);
    if (o->offset >= 0)
        give_plan(p, o->offset, WORD_OFFSET, WORD_EQUAL, false);
}

/* Which arrays the columns need that the statement uses. */
static int columns_wanted(const plan *p) {
    const table_function *f = p->function;
    int wants = 0;
    for (int i = 0; i < column_count(f); i++) {
        enum field field = column_field(f, i);
        if (!is_used(p, i))
            continue;
        if (field == F_EDGE || (field == F_PARENT && !f->search->has_parents))
            wants |= PLAN_TREE;
        else if (field == F_SOURCE && p->offer.equal[F_SOURCES] >= 0)
            wants |= PLAN_TREE | PLAN_ROOTS;
        else if (column_array(f, field) <= A_POSTORDER)
            wants |= 1 << column_array(f, field);
        if (hands_out(p))
            wants |= field == F_PARENT ? PLAN_PARENTS : field == F_EDGE ? PLAN_EDGES : 0;
    }
    wants |= hands_out(p) ? PLAN_ARRAYS : 0;
    return f->many_paths ? 0 : f->paths ? PLAN_TREE : wants;
}

/* With `sources`, the column source says which of them a row belongs to. Without a target,
** the column target of a search says its vertex. */
static bool is_answer(const plan *p, int field) {
    const table_function *f = p->function;
    return (field == F_SOURCE && p->offer.equal[F_SOURCES] >= 0) ||
           (field == F_TARGET && !f->paths);
}

/* The first argument that the statement uses and SQLite does not offer: PLAN_LACKS. Those in brackets
** come before the others. */
static int find_lacking(plan *p) {
    const table_function *f = p->function;
    const offer *o = &p->offer;
    int found = 0;
    for (int i = f->visible; i < column_count(f) && !found; i++) {
        enum field field = column_field(f, i);
        const bool bracketed = column_is_bracketed(f, i);
        if (!is_used(p, i) || field < F_FIRST_ARGUMENT)
            continue;
        if (bracketed ? field != F_FURTHER && o->bracketed >> (i - f->visible) & 1
                      : o->equal[field] >= 0)
            continue;
        if (!bracketed && is_answer(p, field))
            p->compares_target |= field == F_TARGET;
        else
            found = (int)field << PLAN_LACKS_SHIFT | (bracketed ? PLAN_IN_BRACKETS : 0);
    }
    return found;
}

/* Has the search all that it needs, and only one sort of sources? */
static bool is_complete(const plan *p) {
    const table_function *f = p->function;
    const int *equal = p->offer.equal;
    bool one = equal[F_SOURCE] >= 0, several = equal[F_SOURCES] >= 0;
    return equal[F_EDGES] >= 0 && !(one && several) &&
           (one || several || !f->needs_source) && (equal[F_TARGET] >= 0 || !f->paths);
}

static void estimate(plan *p) {
    const offer *o = &p->offer;
    sqlite3_index_info *info = p->info;
    if (one_vertex(p)) {
        info->estimatedCost = ROW_COST;
        info->estimatedRows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else {
        bool few =
            p->function->paths || p->target_list || p->vertex_list || one_vertex(p);
        info->estimatedRows = p->function->cells ? (int)CELLS
                              : few              ? FEW_ROWS
                              : o->bounds > 0    ? (int)SEARCH_ROWS / 10
                                                 : (int)SEARCH_ROWS;
        info->estimatedCost = ROWS_COST;
    }
    if (o->equal[F_EDGES] < 0 || info->idxNum & PLAN_IN_BRACKETS)
        info->estimatedCost = ARM_COST;
    else if (!is_complete(p))
        info->estimatedCost = NEVER_COST;
    else if (plan_lacks(info->idxNum) || p->compares_target)
        info->estimatedCost = LACK_COST;
}

/* Is an option lacking, whatever plan SQLite takes? An arm that is planned without the outer
** terms has no edges in brackets. */
static bool lacks_for_good(const plan *p) {
    return p->offer.bracketed & 1 && is_complete(p) && !(p->bits & PLAN_IN_BRACKETS) &&
           plan_lacks(p->bits);
}

int plan_choose(const caller *by, sqlite3_index_info *info) {
    plan p = {.by = by, .function = by->function, .db = by->c->db, .info = info};
    int refused;
    if (!sort_constraints(&p, &refused))
        return refuse(&p, refused);
    for (int f = F_FIRST_ARGUMENT; f < F_FURTHER; f++)
        if (p.offer.unusable >> f & 1 && p.offer.equal[f] < 0 &&
            !(f == F_SOURCE && is_answer(&p, f)))
            return SQLITE_CONSTRAINT;
    p.bits = find_lacking(&p);
    if (lacks_for_good(&p))
        return plan_fail_lacking(by, p.bits);
    p.words = sqlite3_str_new(NULL);
    give_values(&p);
    choose_order(&p);
    choose_limit(&p);
    bool none = p.values == 0;
    info->idxStr = sqlite3_str_finish(p.words);
    info->needToFreeIdxStr = 1;
    if (!info->idxStr && !none)
        return SQLITE_NOMEM;
    info->idxNum = p.bits | columns_wanted(&p);
    estimate(&p);
    return SQLITE_OK;
}
