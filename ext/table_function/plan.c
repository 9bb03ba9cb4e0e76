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
#define USUAL_LIST  100  /* ids in a list of a matrix whose length is not known */

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
    bool source_list, target_list, vertex_list;
    bool
        compares_target; /* the target is not given: SQLite compares it with the vertex */
} plan;

static bool is_value_field(const table_function *f, int field) {
    return f->ends_early && !f->paths && (field == F_DEPTH || field == F_DISTANCE);
}

/* "; write max_depth = 2": the equation that a comparison by <=, < or IS means, where its value
** is known; else "". NULL: no memory. */
static char *as_equation(const plan *p, int field) {
    const table_function *f = p->function;
    const bool least = field == F_MAX_DEPTH || field == F_MAX_DISTANCE;
    for (int i = 0; i < p->info->nConstraint; i++) {
        const int op = p->info->aConstraint[i].op;
        const int column = p->info->aConstraint[i].iColumn;
        sqlite3_value *value;
        written as_written;
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
                               value_written(value, &as_written));
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

/* Takes all values of an IN of ids at once: some may be the same vertex, as 1 and '1' are
** where the source column is INTEGER, and there is one answer for each vertex. */
static bool takes_list(plan *p, int field, int constraint) {
    if ((field != F_TARGET && field != F_SOURCE && field != F_VERTEX) ||
        !sqlite3_vtab_in(p->info, constraint, -1) ||
        !sqlite3_vtab_in(p->info, constraint, 1))
        return false;
    p->target_list |= field == F_TARGET;
    p->source_list |= field == F_SOURCE;
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
            p->bits |= PLAN_VARIABLE_TARGET;
        if ((f == F_MAX_DEPTH || f == F_MAX_DISTANCE) && varies(p, i))
            p->bits |= PLAN_VARIABLE_BOUND;
    }
    if (o->equal[F_VERTEX] >= 0) {
        bool list = takes_list(p, F_VERTEX, o->equal[F_VERTEX]);
        give_plan(p, o->equal[F_VERTEX], F_VERTEX, list ? WORD_LIST : WORD_EQUAL, true);
        if (varies(p, o->equal[F_VERTEX]))
            p->bits |= PLAN_VARIABLE_VERTEX;
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

/* Does an array say it of each vertex, so that vertices can be sorted by it? */
static bool is_of_vertices(const plan *p, const own_column *own) {
    return has_arrays(p->function) &&
           (own->kind == OWN_VERTEX ? texts_sort_as_utf8(p->db)
                                    : own->kind == OWN_NUMBER || own->kind == OWN_COUNT ||
                                          own->kind == OWN_REAL);
}

/* What follows the first term of ORDER BY is the vertex, or nothing. */
static bool vertex_follows(const plan *p) {
    const sqlite3_index_info *info = p->info;
    return info->nOrderBy < 2 ||
           (info->aOrderBy[1].iColumn >= 0 &&
            column_field(p->function, info->aOrderBy[1].iColumn) == F_VERTEX &&
            texts_sort_as_utf8(p->db));
}

static bool is_descending(const plan *p, int term) {
    return p->info->nOrderBy > term && p->info->aOrderBy[term].desc;
}

/* The order in which rows can be handed out so that SQLite need not sort, or -1.
** Vertex, seq, preorder and postorder are different in every row, so whatever follows
** them does not matter. Rows of several sources, or of paths to several targets, come one after the other. */
static int order_offered(const plan *p, bool *backwards) {
    const sqlite3_index_info *info = p->info;
    const table_function *f = p->function;
    *backwards = is_descending(p, 0);
    if (p->source_list || (p->function->many_paths && p->target_list))
        return -1;
    if (one_vertex(p))
        return ORDER_VERTEX;
    if (info->aOrderBy[0].iColumn < 0)
        return -1;
    int field = column_field(f, info->aOrderBy[0].iColumn);
    if (f->paths)
        return field == F_SEQ && !f->many_paths && !p->target_list ? ORDER_VERTEX : -1;
    if (field == F_VERTEX)
        return texts_sort_as_utf8(p->db) ? ORDER_VERTEX : -1;
    if (p->target_list || p->vertex_list)
        return -1;
    if (field == F_PREORDER)
        return ORDER_PREORDER;
    if (field == F_POSTORDER)
        return ORDER_POSTORDER;
    /* Equal values come by vertex, in the direction of the values. */
    if (!vertex_follows(p) ||
        (info->nOrderBy > 1 && is_descending(p, 1) != is_descending(p, 0)))
        return -1;
    if (field >= F_OWN && field <= F_OWN_LAST)
        return is_of_vertices(p, &f->own[field - F_OWN]) ? ORDER_OWN + field - F_OWN : -1;
    return field == F_DEPTH || field == F_DISTANCE ? ORDER_VALUE : -1;
}

static void choose_order(plan *p) {
    if (p->info->nOrderBy == 0) {
        p->bits |= ORDER_VERTEX << PLAN_ORDER_SHIFT;
        return;
    }
    bool backwards;
    int order = order_offered(p, &backwards);
    p->info->orderByConsumed = order >= 0;
    p->bits |= (order < 0 ? ORDER_VERTEX : order) << PLAN_ORDER_SHIFT;
    if (order >= 0 && backwards)
        p->bits |= PLAN_DESCENDING;
    if (order == ORDER_PREORDER)
        p->bits |= PLAN_PREORDER;
    if (order == ORDER_POSTORDER)
        p->bits |= PLAN_POSTORDER;
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
         (p->bits >> PLAN_ORDER_SHIFT & PLAN_ORDERS) == ORDER_VALUE);
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
        else if (field == F_PREORDER)
            wants |= PLAN_PREORDER;
        else if (field == F_POSTORDER)
            wants |= PLAN_POSTORDER;
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

/* What brackets hold and SQLite does not offer, and the first option that it does not. */
static int astray(plan *p) {
    const table_function *f = p->function;
    int found = 0;
    for (int i = f->visible; i < column_count(f); i++) {
        enum field field = column_field(f, i);
        int place = i - f->visible;
        if (!is_used(p, i) || field < F_FIRST_ARGUMENT)
            continue;
        if (field == F_FURTHER)
            found |= PLAN_FURTHER;
        else if (column_is_bracketed(f, i))
            found |=
                p->offer.bracketed >> place & 1 ? 0 : 1 << (PLAN_UNFED_SHIFT + place);
        else if (p->offer.equal[field] < 0 && is_answer(p, field))
            p->compares_target |= field == F_TARGET;
        else if (p->offer.equal[field] < 0 && plan_lacks(found) == 0)
            found |= (int)field << PLAN_LACKS_SHIFT;
    }
    return found;
}

/* The length of a list as it is written: '[1, 2, 3]', '["a", "b"]'. It is only to be near, so a
** comma in a text counts; -1: not known before the statement runs. */
static int list_length(const plan *p, int field) {
    const int i = p->offer.equal[field];
    sqlite3_value *value;
    if (i < 0 || sqlite3_vtab_rhs_value(p->info, i, &value) != SQLITE_OK ||
        sqlite3_value_type(value) != SQLITE_TEXT)
        return -1;
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text)
        return -1;
    int length = text[strcspn(text, "[ \t\r\n]")] != 0;
    for (; *text; text++)
        length += *text == ',';
    return length;
}

/* Cells of a matrix: sources by targets, which are the sources where none are given. */
static sqlite3_int64 cells_of(const plan *p) {
    const bool square = p->offer.equal[F_TARGETS] < 0;
    const int from = list_length(p, F_SOURCES);
    const int to = square ? from : list_length(p, F_TARGETS);
    return (sqlite3_int64)(from < 0 ? USUAL_LIST : from) * (to < 0 ? USUAL_LIST : to);
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
    if (one_vertex(p) && !p->source_list) {
        info->estimatedCost = ROW_COST;
        info->estimatedRows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else {
        bool few =
            p->function->paths || p->target_list || p->vertex_list || one_vertex(p);
        info->estimatedRows = p->function->cells ? cells_of(p)
                              : few              ? 100
                              : o->bounds > 0    ? (int)SEARCH_ROWS / 10
                                                 : (int)SEARCH_ROWS;
        info->estimatedCost = ROWS_COST;
    }
    if (o->equal[F_EDGES] < 0 || info->idxNum & (PLAN_UNFED | PLAN_FURTHER))
        info->estimatedCost = ARM_COST;
    else if (!is_complete(p))
        info->estimatedCost = NEVER_COST;
    else if (plan_lacks(info->idxNum) || p->compares_target)
        info->estimatedCost = LACK_COST;
}

/* Is an option lacking, whatever plan SQLite takes? An arm that is planned without the outer
** terms has no edges in brackets. */
static bool lacks_for_good(const plan *p) {
    return p->offer.bracketed & 1 && is_complete(p) &&
           !(p->bits & (PLAN_UNFED | PLAN_FURTHER)) && plan_lacks(p->bits);
}

int plan_fail_lacking(const caller *by, int field) {
    const char *name = field_name(by->function, field);
    const bool chosen = field == F_METHOD || field == F_BACKEND;
    return caller_fail(
        by, SQLITE_ERROR,
        "the statement uses the column %s, but no value for it reaches the "
        "search; write %s = value in WHERE outside of an OR, in the ON of a "
        "LEFT JOIN or in a subquery, and put a table that the value comes "
        "from before %s%s",
        name, name, by->function->name,
        chosen ? "; gpugraph_timings says what was chosen" : "");
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
    p.bits = astray(&p);
    if (lacks_for_good(&p))
        return plan_fail_lacking(by, plan_lacks(p.bits));
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
