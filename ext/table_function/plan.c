/* xBestIndex of all table functions: decides which constraints become values for xFilter.
**
**     edges = ?, source = ?, ...   argv; SQLite checks them again (omit) only as
**                                  outer terms of an OR (arguments.h)
**     vertex = ?                   likewise, if the comparison is by bytes
**     depth <= ?, distance < ?     argv; SQLite checks them again
**     LIMIT, OFFSET                argv, if SQLite neither drops nor sorts rows
**     ORDER BY, columns used       bits of idxNum
**
** idxStr says in words what each value of argv is, and EXPLAIN QUERY PLAN shows the
** words. If SQLite offers an argument that is unusable in this plan, the plan is
** impossible (SQLITE_CONSTRAINT). If SQLite does not offer an argument, the plan is only
** expensive, because SQLite plans the arms of an OR one by one; xFilter then fails with a
** sentence. If the statement uses an argument in parentheses and SQLite never offers it,
** only colUsed shows it: its value depends on the search itself or on a later table.
**
** An option that the statement uses and SQLite does not offer is an error. Otherwise
** SQLite would compare the option's column with rows of a search that ran without the
** option. Outer joins lose options that way. */
#include "plan.h"
#include "base/table_info.h"
#include "base/value.h"

#include <string.h>

#define NEVER_COST  1e30 /* xFilter fails: an argument is missing or superfluous */
#define LACK_COST   1e20 /* an argument has no value; another arm of an OR may have one */
#define ARM_COST    1e15 /* no edges: SQLite may plan arms without outer terms */
#define SEARCH_ROWS 1e6  /* rows of a whole graph */
#define CELLS       1e4  /* a matrix of 100 sources and 100 targets */
#define FEW_ROWS    100  /* paths, or vertices in a list */

/* A search runs once and is kept, so all plans cost about the same. Two arms of an OR
** must cost more than a plan without arms, because SQLite does not pass outer terms with
** subqueries to arms. */
#define ROW_COST  10.0
#define ROWS_COST 15.0

/* The constraints that SQLite offers, by index; -1: none that is usable. */
typedef struct offer {
    int equal[FIELDS];
    int bound[2], bounds;
    int limit, offset;
    bool offset_lost;    /* there is an OFFSET whose value is unknown */
    int others;          /* constraints that SQLite checks, which may drop rows */
    uint64_t unusable;   /* field_bit: the argument is unusable */
    unsigned positional; /* bit i: SQLite offers argument i in parentheses */
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
    uint64_t lists;       /* field_bit: IN passes all values at once */
    bool compares_target; /* the target is no value: SQLite compares its column */
} plan;

/* The equation that a comparison by <=, < or IS means, if its value is known, as "; write
** max_depth = 2"; otherwise "". NULL: no memory. */
static char *as_equation(const plan *p, int field) {
    const table_function *f = p->function;
    const bool least = field == F_MAX_DEPTH || field == F_MAX_DISTANCE;
    for (int i = 0; i < p->info->nConstraint; i++) {
        const int op = p->info->aConstraint[i].op;
        const int column = p->info->aConstraint[i].iColumn;
        sqlite3_value *value;
        if (column < 0 || (int)column_field(f, column) != field ||
            sqlite3_vtab_rhs_value(p->info, i, &value) != SQLITE_OK)
            continue;
        if (op == SQLITE_INDEX_CONSTRAINT_LT && field == F_MAX_DEPTH &&
            sqlite3_value_type(value) == SQLITE_INTEGER && sqlite3_value_int64(value) > 0)
            return sqlite3_mprintf("; write %s = %lld", field_name(f, field),
                                   sqlite3_value_int64(value) - 1);
        if (op != SQLITE_INDEX_CONSTRAINT_IS &&
            !(op == SQLITE_INDEX_CONSTRAINT_LE && least))
            continue;
        return sqlite3_mprintf("; write %s = %s", field_name(f, field),
                               VALUE_WRITTEN(value));
    }
    return sqlite3_mprintf("%s", "");
}

static int refuse(const plan *p, int field) {
    char *equation = as_equation(p, field);
    if (!equation)
        return SQLITE_NOMEM;
    int rc = caller_fail(p->by, SQLITE_ERROR,
                         "the argument %s can be compared by = or IN alone%s",
                         field_name(p->function, field), equation);
    sqlite3_free(equation);
    return rc;
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
    if (usable && (field == F_DEPTH || field == F_DISTANCE) && p->function->ends_early &&
        !p->function->paths && o->bounds < 2 &&
        (op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_LT ||
         op == SQLITE_INDEX_CONSTRAINT_EQ))
        o->bound[o->bounds++] = i;
}

static void take_argument(plan *p, int i) {
    offer *o = &p->offer;
    int column = p->info->aConstraint[i].iColumn;
    enum field field = column_field(p->function, column);
    if (column_is_positional(p->function, column))
        o->positional |= 1u << (column - p->function->visible);
    if (p->info->aConstraint[i].usable && o->equal[field] < 0) {
        o->equal[field] = i;
    } else {
        o->others++;
        if (!p->info->aConstraint[i].usable)
            o->unusable |= field_bit(field);
    }
}

/* Sorts the constraints. Returns false if an argument, whose field is *refused, is
** compared by another operator than =. */
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

/* Returns true if the value may differ from one xFilter to the next. */
static bool varies(plan *p, int constraint) {
    sqlite3_value *value;
    return sqlite3_vtab_rhs_value(p->info, constraint, &value) != SQLITE_OK;
}

/* Takes all values of an IN of ids at once. Several values may name one vertex, as 1 and
** '1' do if the column is INTEGER, and each vertex has one answer. */
static bool take_list(plan *p, int field, int constraint) {
    if ((field != F_TARGET && field != F_SOURCE && field != F_VERTEX) ||
        !sqlite3_vtab_in(p->info, constraint, -1) ||
        !sqlite3_vtab_in(p->info, constraint, 1))
        return false;
    p->lists |= field_bit(field);
    return true;
}

static void give_field(plan *p, int f) {
    const int i = p->offer.equal[f];
    const bool bound = f == F_MAX_DEPTH || f == F_MAX_DISTANCE,
               end = f == F_VERTEX || (f == F_TARGET && !p->function->many_paths);
    if (i < 0)
        return;
    give_plan(p, i, f, take_list(p, f, i) ? WORD_LIST : WORD_EQUAL, true);
    if ((bound || end) && varies(p, i))
        p->bits |= bound ? PLAN_VARIABLE_BOUND : PLAN_VARIABLE_END;
}

static void give_values(plan *p) {
    const offer *o = &p->offer;
    for (int f = F_FIRST_ARGUMENT; f < F_FURTHER; f++)
        give_field(p, f);
    give_field(p, F_VERTEX);
    for (int b = 0; b < o->bounds; b++) {
        bool less = p->info->aConstraint[o->bound[b]].op == SQLITE_INDEX_CONSTRAINT_LT;
        int field = column_field(p->function, p->info->aConstraint[o->bound[b]].iColumn);
        give_plan(p, o->bound[b], field, less ? WORD_LESS : WORD_AT_MOST, false);
        if (varies(p, o->bound[b]))
            p->bits |= PLAN_VARIABLE_BOUND;
    }
}

static bool takes_list(const plan *p, int field) {
    return p->lists & field_bit(field);
}

/* Returns true if the call has at most one row. */
static bool one_vertex(const plan *p) {
    bool target = p->offer.equal[F_TARGET] >= 0 && !p->function->paths;
    return !takes_list(p, F_TARGET) && !takes_list(p, F_VERTEX) &&
           !p->function->many_paths && (p->offer.equal[F_VERTEX] >= 0 || target);
}

/* Returns true if rows can be sorted by an array. */
static bool is_sortable(const plan *p, enum array_name array) {
    const bool own = array >= A_OWN && array <= A_OWN_LAST;
    return array != NO_ARRAY &&
           (!own || p->function->own[array - A_OWN].kind != OWN_VERTEX ||
            texts_sort_as_utf8(p->db));
}

/* Returns true if ORDER BY has one term, or if its second term is the vertex in the same
** direction. */
static bool vertex_follows(const plan *p) {
    const sqlite3_index_info *info = p->info;
    return info->nOrderBy < 2 ||
           (info->aOrderBy[1].iColumn >= 0 &&
            info->aOrderBy[1].desc == info->aOrderBy[0].desc &&
            column_field(p->function, info->aOrderBy[1].iColumn) == F_VERTEX &&
            texts_sort_as_utf8(p->db));
}

/* The order that makes sorting by SQLite unnecessary: an array, NO_ARRAY for the order of
** vertices, or -1 if there is none. Vertex and seq differ in all rows, so further terms
** do not matter. Rows of several sources, or of paths to several targets, come one after
** the other. */
static int order_offered(const plan *p) {
    const sqlite3_index_info *info = p->info;
    const table_function *f = p->function;
    if (takes_list(p, F_SOURCE) || (f->many_paths && takes_list(p, F_TARGET)))
        return -1;
    if (one_vertex(p))
        return NO_ARRAY;
    if (info->aOrderBy[0].iColumn < 0)
        return -1;
    int field = column_field(f, info->aOrderBy[0].iColumn);
    if (f->paths)
        return field == F_SEQ && !f->many_paths && !takes_list(p, F_TARGET) ? NO_ARRAY
                                                                            : -1;
    if (field == F_VERTEX)
        return texts_sort_as_utf8(p->db) ? NO_ARRAY : -1;
    /* Rows of equal items are in order of vertices, in the direction of the items. */
    const enum array_name array = column_array(f, field);
    return !takes_list(p, F_TARGET) && !takes_list(p, F_VERTEX) &&
                   is_sortable(p, array) && vertex_follows(p)
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

/* Returns true if the statement uses the column arrays, which needs the whole search. */
static bool hands_out(const plan *p) {
    return has_arrays(p->function) && is_used(p, column_count(p->function) - 1);
}

/* A search may stop after LIMIT + OFFSET rows if SQLite drops no rows, and if the
** statement has no order or asks for the nearest vertices first, ties in any order. */
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

/* The arrays that the columns of the statement need. */
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

/* Returns true if an argument without a value is a result. With `sources`, the column
** source is the nearest source. Without a target, the column target is the vertex. */
static bool is_answer(const plan *p, int field) {
    const table_function *f = p->function;
    return (field == F_SOURCE && p->offer.equal[F_SOURCES] >= 0) ||
           (field == F_TARGET && !f->paths);
}

/* Finds the first argument that the statement uses and SQLite does not offer, those in
** parentheses first. Returns bits of the plan. */
static int find_lacking(plan *p) {
    const table_function *f = p->function;
    const offer *o = &p->offer;
    int found = 0;
    for (int i = f->visible; i < column_count(f) && !found; i++) {
        enum field field = column_field(f, i);
        const bool positional = column_is_positional(f, i);
        if (!is_used(p, i) || field < F_FIRST_ARGUMENT)
            continue;
        if (positional ? field != F_FURTHER && o->positional >> (i - f->visible) & 1
                       : o->equal[field] >= 0)
            continue;
        if (!positional && is_answer(p, field))
            p->compares_target |= field == F_TARGET;
        else
            found = (int)field << PLAN_LACKS_SHIFT | (positional ? PLAN_POSITIONAL : 0);
    }
    return found;
}

/* Returns true if the search has all arguments that it needs, and not both source and
** sources. */
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
    if (one_vertex(p) && !takes_list(p, F_SOURCE)) {
        info->estimatedCost = ROW_COST;
        info->estimatedRows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else {
        bool few = p->function->paths || takes_list(p, F_TARGET) ||
                   takes_list(p, F_VERTEX) || one_vertex(p);
        info->estimatedRows = p->function->cells ? (int)CELLS
                              : few              ? FEW_ROWS
                              : o->bounds > 0    ? (int)SEARCH_ROWS / 10
                                                 : (int)SEARCH_ROWS;
        info->estimatedCost = ROWS_COST;
    }
    if (o->equal[F_EDGES] < 0 || info->idxNum & PLAN_POSITIONAL)
        info->estimatedCost = ARM_COST;
    else if (!is_complete(p))
        info->estimatedCost = NEVER_COST;
    else if (plan_lacks(info->idxNum) || p->compares_target)
        info->estimatedCost = LACK_COST;
}

/* Returns true if an option lacks a value in every plan. An arm that SQLite plans without
** outer terms has no edges in parentheses. */
static bool lacks_for_good(const plan *p) {
    return p->offer.positional & 1 && is_complete(p) && !(p->bits & PLAN_POSITIONAL) &&
           plan_lacks(p->bits);
}

int plan_choose(const caller *by, sqlite3_index_info *info) {
    plan p = {.by = by, .function = by->function, .db = by->c->db, .info = info};
    int refused;
    if (!sort_constraints(&p, &refused))
        return refuse(&p, refused);
    for (int f = F_FIRST_ARGUMENT; f < F_FURTHER; f++)
        if (p.offer.unusable & field_bit(f) && p.offer.equal[f] < 0 &&
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
