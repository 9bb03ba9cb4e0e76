/* Whether a table has changed since its graph was read.
**
**     stamp    expiries, total changes, writing
**       part   temp   schema version                       may have a table named roads
**       part   main   schema version, data version, file   where roads is
**
** The data version changes with every commit, the schema version with DROP, CREATE and
** ALTER. DETACH, after which a name may mean another file, expires prepared statements.
** During a write transaction neither version changes, and after ROLLBACK they read as
** before. So a graph that is read in such a transaction is not kept for later statements,
** and an older graph serves while no change has been counted. Only sqlite3_blob_write is
** never counted (graph_is_current). The changes of a running statement are not counted
** yet, so the statement's program must show what the statement can write to
** (docs/internals/kept_graphs.md).
**
** A stamp also says whether an authorizer lets the connection read the tables. If it does
** not, no graph in memory serves. The table is read by a statement that the authorizer
** refuses, or that gives NULL for a hidden column, and the result is not kept. */
#include "kept.h"
#include "base/program.h"
#include "base/room.h"
#include "base/statement.h"
#include <string.h>

typedef struct part {
    char *schema, *file;
    int schema_version;
    unsigned data_version;
    /* the table is in this schema; else this schema is searched earlier */
    bool source;
    /* a row of PRAGMA schema_version, which holds the read transaction */
    sqlite3_stmt *held;
} part;

struct stamp {
    unsigned long long expiries;
    sqlite3_int64 total_changes;
    bool writing; /* a write transaction is open in a schema of the tables */
    /* with `writing`: running statements have not written to the tables */
    bool unwritten;
    bool unwritten_ever; /* with `unwritten`: earlier statements have not either */
    bool memdb;          /* sqlite3_deserialize can replace a schema without a trace */
    bool readable;       /* the authorizer lets the connection read the tables */
    struct stamp_table {
        char *schema, *name, *right; /* right: see right_text */
    } table[2];                      /* edges, vertices */
    int tables;
    int count;
    int64_t room;
    part *part;
};

static int hold(connection *c, part *p) {
    int rc =
        statement_prepare(c->db, &p->held, "PRAGMA \"%w\".schema_version", p->schema);
    if (rc)
        return rc;
    rc = sqlite3_step(p->held);
    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE ? SQLITE_ERROR : rc;
    p->schema_version = sqlite3_column_int(p->held, 0);
    const char *file = sqlite3_db_filename(c->db, p->schema);
    p->file = sqlite3_mprintf("%s", file ? file : "");
    return p->file ? SQLITE_OK : SQLITE_NOMEM;
}

static int take_part(connection *c, stamp *s, const char *schema, bool source) {
    for (int i = 0; i < s->count; i++) {
        if (sqlite3_stricmp(s->part[i].schema, schema) == 0) {
            s->part[i].source |= source;
            return SQLITE_OK;
        }
    }
    if (!room_for_one(&s->part, s->count, &s->room, sizeof *s->part))
        return SQLITE_NOMEM;
    part *p = &s->part[s->count++];
    memset(p, 0, sizeof *p);
    p->source = source;
    p->schema = sqlite3_mprintf("%s", schema);
    return p->schema ? hold(c, p) : SQLITE_NOMEM;
}

/* Takes over the text `right`. */
static int take_table(stamp *s, const char *schema, const char *name, char *right) {
    struct stamp_table *t = &s->table[s->tables++];
    t->schema = sqlite3_mprintf("%s", schema);
    t->name = sqlite3_mprintf("%s", name);
    t->right = right;
    return t->schema && t->name && t->right ? SQLITE_OK : SQLITE_NOMEM;
}

static int find_rights(connection *c, const stamp *s, bool *readable) {
    int rc = SQLITE_OK;
    *readable = true;
    for (int i = 0; i < s->tables && rc == SQLITE_OK && *readable; i++)
        rc = right_holds(c->db, s->table[i].right, NULL, readable);
    return rc;
}

/* Adds the table's schema, and the schemas in which SQLite looks for the name before
** it. */
static int take_source(connection *c, stamp *s, const row_source *rows) {
    const char *schema, *own = rows->table.schema;
    int rc = SQLITE_OK;
    for (int i = 0; rows->searched && rc == SQLITE_OK; i++) {
        /* temp (1), main (0), then the attached schemas in their order */
        schema = sqlite3_db_name(c->db, i < 2 ? !i : i);
        if (!schema || sqlite3_stricmp(schema, own) == 0)
            break;
        rc = take_part(c, s, schema, false);
    }
    rc = rc ? rc : take_part(c, s, own, true);
    return rc ? rc : take_table(s, own, rows->table.name, right_text(rows));
}

static bool may_write(connection *c, const stamp *s, sqlite3_stmt *statement) {
    for (int i = 0; i < s->tables; i++) {
        program p;
        int rc = program_read(c->db, sqlite3_sql(statement), s->table[i].schema,
                              s->table[i].name, &p);
        if (rc || p.writes || p.writes_past)
            return true;
    }
    return false;
}

/* True if a running statement may have written to the tables. Its changes are not counted
** yet. */
static bool some_statement_writes(connection *c, const stamp *s) {
    sqlite3_stmt *statement = NULL;
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        if (sqlite3_stmt_busy(statement) && !sqlite3_stmt_readonly(statement) &&
            may_write(c, s, statement))
            return true;
    }
    return false;
}

/* Decides by the VFS alone, since only some versions of SQLite name such a database. */
static bool is_memdb(sqlite3 *db, const char *schema) {
    sqlite3_vfs *vfs = NULL;
    int rc = sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs);
    return rc != SQLITE_OK || (vfs && strcmp(vfs->zName, "memdb") == 0);
}

/* Reads the state of the connection as a whole, after all parts are held. */
static int take_rest(connection *c, stamp *s) {
    for (int i = 0; i < s->count; i++) {
        part *p = &s->part[i];
        if (!p->source)
            continue;
        if (sqlite3_file_control(c->db, p->schema, SQLITE_FCNTL_DATA_VERSION,
                                 &p->data_version) != SQLITE_OK)
            return SQLITE_ERROR;
        s->memdb |= is_memdb(c->db, p->schema);
        s->writing |= sqlite3_txn_state(c->db, p->schema) == SQLITE_TXN_WRITE;
    }
    int rc = find_rights(c, s, &s->readable);
    if (rc)
        return rc;
    s->expiries = connection_expiries(c);
    s->total_changes = sqlite3_total_changes64(c->db);
    s->unwritten = s->writing && !some_statement_writes(c, s);
    s->unwritten_ever = s->unwritten && s->total_changes == c->unwritten_at;
    return SQLITE_OK;
}

static int finish(connection *c, stamp *s, int rc, stamp **made) {
    rc = rc ? rc : take_rest(c, s);
    if (rc == SQLITE_OK)
        *made = s;
    else
        stamp_free(s);
    return rc;
}

static stamp *new_stamp(void) {
    stamp *s = sqlite3_malloc(sizeof *s);
    if (s)
        memset(s, 0, sizeof *s);
    return s;
}

int stamp_take(connection *c, const row_source *edges, const row_source *vertices,
               stamp **made) {
    stamp *s = new_stamp();
    *made = NULL;
    if (!s)
        return SQLITE_NOMEM;
    int rc = take_source(c, s, edges);
    if (rc == SQLITE_OK && vertices)
        rc = take_source(c, s, vertices);
    return finish(c, s, rc, made);
}

int stamp_retake(connection *c, const stamp *earlier, stamp **made) {
    stamp *s = new_stamp();
    *made = NULL;
    if (!s)
        return SQLITE_NOMEM;
    int rc = SQLITE_OK;
    for (int i = 0; i < earlier->count && rc == SQLITE_OK; i++)
        rc = take_part(c, s, earlier->part[i].schema, earlier->part[i].source);
    for (int i = 0; i < earlier->tables && rc == SQLITE_OK; i++)
        rc = take_table(s, earlier->table[i].schema, earlier->table[i].name,
                        sqlite3_mprintf("%s", earlier->table[i].right));
    return finish(c, s, rc, made);
}

void stamp_settle(stamp *s) {
    for (int i = 0; i < s->count; i++) {
        sqlite3_finalize(s->part[i].held);
        s->part[i].held = NULL;
    }
}

void stamp_free(stamp *s) {
    if (!s)
        return;
    stamp_settle(s);
    for (int i = 0; i < s->count; i++) {
        sqlite3_free(s->part[i].schema);
        sqlite3_free(s->part[i].file);
    }
    for (int i = 0; i < s->tables; i++) {
        sqlite3_free(s->table[i].schema);
        sqlite3_free(s->table[i].name);
        sqlite3_free(s->table[i].right);
    }
    sqlite3_free(s->part);
    sqlite3_free(s);
}

/* With a shared cache, read_uncommitted shows changes that another connection may still
** roll back. */
static bool reads_uncommitted(connection *c) {
    sqlite3_int64 yes = 1;
    statement_integer(c->db, &yes, "PRAGMA read_uncommitted");
    return yes != 0;
}

bool stamp_trusted(connection *c, const stamp *now) {
    return now->expiries && !now->memdb && now->readable && !reads_uncommitted(c);
}

bool stamp_keepable(connection *c, const stamp *now) {
    return !now->writing && stamp_trusted(c, now);
}

static bool part_same_names(const part *a, const part *b) {
    return a->schema_version == b->schema_version && strcmp(a->schema, b->schema) == 0 &&
           strcmp(a->file, b->file) == 0;
}

bool stamp_same_names(const stamp *kept, const stamp *now) {
    bool same = kept->count == now->count && now->expiries && !now->memdb &&
                kept->expiries == now->expiries;
    for (int i = 0; i < now->count && same; i++)
        same = part_same_names(&kept->part[i], &now->part[i]);
    return same;
}

bool stamp_agrees(stamp *kept, const stamp *now) {
    if (!now->readable || !stamp_same_names(kept, now))
        return false;
    for (int i = 0; i < now->count; i++)
        if (now->part[i].source &&
            kept->part[i].data_version != now->part[i].data_version)
            return false;
    if (now->writing)
        return now->unwritten && kept->total_changes == now->total_changes;
    kept->total_changes = now->total_changes;
    return true;
}

static const part *source_part(const stamp *s) {
    int i = 0;
    while (!s->part[i].source)
        i++;
    return &s->part[i];
}

enum stamp_change stamp_compare(const stamp *kept, const stamp *now) {
    const part *a = source_part(kept), *b = source_part(now);
    if (!now->expiries || now->memdb || kept->expiries != now->expiries ||
        !part_same_names(a, b))
        return STAMP_NEW_SCHEMA;
    return a->data_version == b->data_version && !now->writing ? STAMP_SAME
                                                               : STAMP_WRITTEN;
}

bool stamp_stands(connection *c, const stamp *kept, sqlite3_stmt **right) {
    const part *p = source_part(kept);
    unsigned version = 0;
    bool readable;
    return sqlite3_txn_state(c->db, p->schema) == SQLITE_TXN_READ &&
           sqlite3_file_control(c->db, p->schema, SQLITE_FCNTL_DATA_VERSION, &version) ==
               SQLITE_OK &&
           version == p->data_version && !is_memdb(c->db, p->schema) &&
           right_holds(c->db, kept->table[0].right, right, &readable) == SQLITE_OK &&
           readable;
}

bool stamp_writing(const stamp *now) {
    return now->writing;
}

bool stamp_unwritten(const stamp *now, int *schema_version) {
    *schema_version = source_part(now)->schema_version;
    return now->unwritten_ever && now->expiries && !now->memdb;
}
