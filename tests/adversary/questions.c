/* Questions with more than one call; and the functions that ask each question twice. */
#include "adversary.h"
#include <stdio.h>
#include <string.h>

/* ---- joins and correlated subqueries ----
** The outer rows are few and literal, so that fresh has a statement for each of them. */

typedef struct outer_rows {
    const char *id[3], *n[3];
} outer_rows;

static outer_rows begin_outer(question *q) {
    outer_rows o;
    question_kept(q, "WITH p(id, n) AS (VALUES ");
    for (int i = 0; i < 3; i++) {
        o.id[i] = stored_id();
        o.n[i] = bound();
        question_kept(q, "%s(%s, %s)", i ? ", " : "", o.id[i], o.n[i]);
    }
    question_kept(q, ") ");
    return o;
}

static void ask_join(question *q) {
    outer_rows o = begin_outer(q);
    source_text s = any_source();
    bool bounded = has(F_bounds) && pick(3), weighted = s.weighted && pick(2);
    const char *name = weighted ? "gpu_sssp" : "gpu_bfs";
    const char *value = weighted ? "distance" : "depth";
    const char *compare = ONE_OF("<=", "<", "<=", "=");
    question_kept(q, "SELECT p.id, p.n, b.vertex, b.%s FROM p %s %s(%s, p.id) b %s",
                  value, ONE_OF("JOIN", "CROSS JOIN", "LEFT JOIN", ","), name, s.kept,
                  bounded ? "WHERE" : "");
    if (bounded)
        question_kept(q, " b.%s %s p.n", value, compare);
    else
        question_kept(q, " WHERE b.vertex IS NOT NULL");
    for (int i = 0; i < 3; i++) {
        question_fresh(
            q,
            "SELECT %s, %s, vertex, %s FROM (SELECT vertex, %s FROM %s(%s, %s) "
            "LIMIT -1)",
            o.id[i], o.n[i], value, value, name, s.fresh, o.id[i]);
        if (bounded)
            question_fresh(q, " WHERE %s %s %s", value, compare, o.n[i]);
        question_fresh(q, ";");
    }
}

static void ask_correlated(question *q) {
    outer_rows o = begin_outer(q);
    source_text s = any_source();
    const char *from = stored_id(), *compare = ONE_OF("<=", "<");
    question_kept(
        q,
        "SELECT id, (SELECT count(*) FROM gpu_bfs(%s, p.id) WHERE depth %s p.n), "
        "(SELECT max(depth) FROM gpu_bfs(%s, %s) WHERE vertex = p.id), "
        "EXISTS (SELECT 1 FROM gpu_bfs(%s, p.id, %s)) FROM p",
        s.kept, compare, s.kept, from, s.kept, from);
    for (int i = 0; i < 3; i++)
        question_fresh(
            q,
            "SELECT %s, (SELECT count(*) FROM (SELECT depth FROM gpu_bfs(%s, %s) "
            "LIMIT -1) WHERE depth %s %s), (SELECT max(depth) FROM (SELECT * FROM "
            "gpu_bfs(%s, %s) LIMIT -1) WHERE vertex = %s), EXISTS (SELECT 1 FROM (SELECT "
            "vertex FROM gpu_bfs(%s, %s) LIMIT -1) WHERE vertex = %s);",
            o.id[i], s.fresh, o.id[i], compare, o.n[i], s.fresh, from, o.id[i], s.fresh,
            o.id[i], from);
}

/* One graph, several searches of one statement. */
static void ask_compound(question *q) {
    static const char *const part[] = {
        "SELECT vertex, depth FROM gpu_bfs(%s, %s) WHERE max_depth = %s",
        "SELECT vertex, depth FROM gpu_bfs(%s, %s) WHERE depth <= %s",
        "SELECT vertex, depth FROM gpu_bfs(%s, %s) WHERE +depth <= %s",
    };
    source_text s = any_source();
    const char *from = stored_id();
    for (int i = 0; i < 3; i++) {
        const char *most = bound();
        question_kept(q, i ? " UNION ALL " : "");
        question_kept(q, part[pick(3)], s.kept, from, most);
        question_fresh(q, part[2], s.fresh, from, most);
        question_fresh(q, ";");
    }
}

/* Conditions that SQLite decides before it reads rows. */
static void ask_folded(question *q) {
    source_text s = any_source();
    const char *from = stored_id(), *condition = ONE_OF("0", "1", "NULL", "1 = 1");
    question_kept(
        q,
        "SELECT o.x, b.vertex FROM (SELECT 1 AS x) o LEFT JOIN gpu_bfs(%s, %s) b "
        "ON %s",
        s.kept, from, condition);
    question_fresh(q,
                   "SELECT o.x, b.vertex FROM (SELECT 1 AS x) o LEFT JOIN (SELECT vertex "
                   "FROM gpu_bfs(%s, %s) LIMIT -1) b ON %s",
                   s.fresh, from, condition);
}

/* vertex = X converts X to the type of the ids, as vertex IN (X, ...) does. */
static void ask_affinity(question *q) {
    source_text s = any_source();
    const char *id = any_id(), *from = stored_id();
    question_kept(q, "SELECT vertex, depth FROM gpu_bfs(%s, %s) WHERE vertex = %s",
                  s.kept, from, id);
    question_fresh(q,
                   "SELECT vertex, depth FROM gpu_bfs(%s, %s) WHERE vertex IN (%s, 'none "
                   "such')",
                   s.fresh, from, id);
}

/* The edge query has a parameter; its value comes from each row of another table. */
static void ask_params(question *q) {
    const char *from[2] = {stored_id(), stored_id()}, *n[2] = {bound(), bound()};
    question_kept(
        q,
        "WITH p(id, n) AS (VALUES (%s, %s), (%s, %s)) SELECT p.id, vertex, depth "
        "FROM p CROSS JOIN gpu_bfs('SELECT $a, $b FROM $t WHERE $w <= ?1', p.id) "
        "WHERE params = json_array(p.n)",
        from[0], n[0], from[1], n[1]);
    for (int i = 0; i < 2; i++)
        question_fresh(
            q,
            "SELECT %s, vertex, depth FROM gpu_bfs('SELECT $a, $b FROM $t WHERE "
            "$w <= %s', %s);",
            from[i], n[i], from[i]);
}

/* ---- the graph's own rows ---- */

void question_lookup(question *q) {
    const char *id = stored_id(), *to = stored_id();
    bool rowids = w.kind->rowids;
    const char *number = w.kind->further ? "code" : "rowid";
    question_kept(q, "SELECT src, dst, %s FROM $g WHERE 1", rowids ? "edge" : "NULL");
    if (w.kind->ways) /* an arc for each open direction */
        question_fresh(
            q,
            "SELECT x, y, i FROM (SELECT $a AS x, $b AS y, $w AS c, %s AS i FROM $t "
            "UNION ALL SELECT $b, $a, back, %s FROM $t) WHERE x IS NOT NULL AND y "
            "IS NOT NULL AND c >= 0",
            w.kind->id ? "rowid" : number, w.kind->id ? "rowid" : number);
    else
        question_fresh(
            q, "SELECT $a, $b, %s FROM $t WHERE $a IS NOT NULL AND $b IS NOT NULL",
            rowids ? number : "NULL");
    const char *from = w.kind->ways ? "x" : "$a", *target = w.kind->ways ? "y" : "$b";
    switch (pick(rowids ? 4 : 3)) {
    case 0:
        question_kept(q, " AND src = %s", id);
        question_fresh(q, " AND %s = %s", from, id);
        break;
    case 1:
        question_kept(q, " AND src = %s AND dst = %s", id, to);
        question_fresh(q, " AND %s = %s AND %s = %s", from, id, target, to);
        break;
    case 3: {
        uint32_t edge = 1 + pick(20);
        question_kept(q, " AND edge = %u", edge);
        question_fresh(q, " AND %s = %u", w.kind->ways ? "i" : number, edge);
        break;
    }
    default:
        break;
    }
}

/* ---- asking twice ---- */

/* With bad rows, a search that reaches more may find a bad row that a smaller search does
** not find. So all questions are then single calls. */
static const char *compose(question *q) {
    uint32_t dice = has(F_errors) ? 20 : pick(20);
    if (dice < 2 && has(F_joins)) {
        ask_join(q);
        return "join";
    }
    if (dice < 4 && has(F_joins)) {
        ask_correlated(q);
        return "correlated";
    }
    if (dice < 5 && has(F_bounds)) {
        ask_compound(q);
        return "compound";
    }
    if (dice < 6 && has(F_folded)) {
        ask_folded(q);
        return "folded";
    }
    if (dice < 7 && has(F_affinity)) {
        ask_affinity(q);
        return "affinity";
    }
    if (dice < 8 && has(F_params)) {
        ask_params(q);
        return "params";
    }
    if (dice < 11 && w.followed) {
        question_lookup(q);
        return "lookup";
    }
    question_call(q);
    return "call";
}

static void expand_both(question *q, char **kept, char **fresh) {
    char *k = sqlite3_str_finish(q->kept), *f = sqlite3_str_finish(q->fresh);
    *kept = expand(k, false);
    *fresh = expand(f, true);
    sqlite3_free(k);
    sqlite3_free(f);
}

char *any_question(int who, char **fresh, int *agreement) {
    question q;
    char *kept;
    world_asks(who);
    question_begin(&q);
    compose(&q);
    expand_both(&q, &kept, fresh);
    *agreement = q.agreement;
    return kept;
}

void ask_texts(sqlite3 *db, const char *label, const char *text, const char *again,
               int agreement) {
    answer kept = {0}, fresh = {0};
    count_kind(label);
    if (!fresh_fill(db))
        return;
    trace(label, text, "asked");
    answer_add(&kept, db, text);
    if (is_locked(kept.rc)) {
        answer_clear(&kept);
        return;
    }
    answer_add(&fresh, w.fresh, again);
    answers_agree(label, text, again, &kept, &fresh, agreement);
}

void ask(sqlite3 *db, const char *label, question *q) {
    char *text, *again;
    expand_both(q, &text, &again);
    ask_texts(db, label, text, again, q->agreement);
    sqlite3_free(text);
    sqlite3_free(again);
}

/* Asks, unless the text equals the previous one. */
static void ask_from_tape(int who, tape *t, int other, char **before) {
    question q;
    char *text, *again;
    question_begin(&q);
    world_asks(who);
    t->at = 0;
    t->other = other;
    w.tape = t;
    const char *kind = compose(&q);
    w.tape = NULL;
    expand_both(&q, &text, &again);
    if (!*before || strcmp(*before, text) != 0)
        ask_texts(w.db[who], kind, text, again, q.agreement);
    sqlite3_free(*before);
    sqlite3_free(again);
    *before = text;
}

void ask_any(int who) {
    tape t = {.drawn = 0};
    char *before = NULL;
    uint32_t more = pick(2) ? pick(16) : 0;
    if (more > 0 && pick(4) == 0) /* nothing is kept yet */
        change_any();
    ask_from_tape(who, &t, -1, &before);
    while (more-- > 0)
        ask_from_tape(who, &t, (int)pick((uint32_t)t.drawn), &before);
    sqlite3_free(before);
}
