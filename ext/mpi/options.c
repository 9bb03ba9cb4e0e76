/* The command line. Values of a function's options are checked by the function itself, in SQL, on a table
** without rows: one place has the rules and their sentences. */
#include "options.h"
#include "gpugraph_extension.h"
#include "base/names.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const function_name[FUNCTIONS] = {"bfs", "sssp", "mis", "components",
                                                     "pagerank"};

#define OF(FUNCTION) (1u << FUNCTION_##FUNCTION)
#define OF_ALL       ((1u << FUNCTIONS) - 1)

static const struct {
    const char *name; /* behind the two dashes, and with _ the hidden column's */
    unsigned of;
} given_text[GIVENS] = {
    [GIVEN_SOURCE] = {"source", OF(BFS) | OF(SSSP)},
    [GIVEN_SOURCES] = {"sources", OF(BFS) | OF(SSSP) | OF(PAGERANK)},
    [GIVEN_DIRECTION] = {"direction", OF(BFS) | OF(SSSP) | OF(PAGERANK)},
    [GIVEN_MAX_DEPTH] = {"max-depth", OF(BFS)},
    [GIVEN_MAX_DISTANCE] = {"max-distance", OF(SSSP)},
    [GIVEN_PRIORITY] = {"priority", OF(MIS)},
    [GIVEN_SEED] = {"seed", OF(MIS)},
    [GIVEN_DAMPING] = {"damping", OF(PAGERANK)},
    [GIVEN_ITERATIONS] = {"iterations", OF(PAGERANK)},
    [GIVEN_TOLERANCE] = {"tolerance", OF(PAGERANK)},
    [GIVEN_KIND] = {"kind", OF(COMPONENTS)},
    [GIVEN_BACKEND] = {"backend", OF_ALL},
};

void options_help(void) {
    puts(
        "mpirun -n P gpugraph-mpi FUNCTION --db FILE[,FILE...] --edges EDGES --out FILE\n"
        "                         [--table NAME] [OPTION VALUE]...\n"
        "\n"
        "FUNCTION is bfs, sssp, mis, components or pagerank: the rows of gpu_bfs and so "
        "on, by\n"
        "P processes, none of which holds the whole graph.\n"
        "\n"
        "  --db FILE[,FILE...]  databases that have the table; also patterns, "
        "'part-*.db'\n"
        "  --edges EDGES        'roads', or with its columns 'roads(a, b, metres, id, "
        "reverse)'\n"
        "  --out FILE           where the result goes; with %d a file for each process\n"
        "  --table NAME         the result's table; else the function's name\n"
        "  --timings            phases, bytes, memory, when all is done\n"
        "  --plan               what it would need, from a count of the rows; nothing is "
        "run\n"
        "  --partition WORD     which process has an edge: grid, source or target\n"
        "  --threads N          of each process; else its share of the cores\n"
        "  --backend WORD       auto or cpu\n"
        "\n"
        "  bfs          --source ID, --sources '[ID, ...]', --direction WORD, "
        "--max-depth N\n"
        "  sssp         --source ID, --sources '[ID, ...]', --direction WORD, "
        "--max-distance X\n"
        "  mis          --priority WORD, --seed N\n"
        "  components   --kind weak|strong\n"
        "  pagerank     --damping X, --iterations N, --tolerance X, --sources, "
        "--direction\n"
        "\n"
        "An id is a number, 7, or a text: AMS, or '7' in quotes of its own.");
}

static bool fail_options(char **error, char *sentence) {
    *error = sentence;
    return false;
}

/* ---- words ---- */

static bool is_option(const char *word, const char *name) {
    return strncmp(word, "--", 2) == 0 && strcmp(word + 2, name) == 0;
}

static bool take_partition(options *o, const char *word, char **error) {
    static const char *const names[] = {"source", "target", "grid"};
    for (int i = 0; i < 3; i++)
        if (sqlite3_stricmp(word, names[i]) == 0) {
            o->partition = (gpugraph_partition)i;
            return o->partition_given = true;
        }
    return fail_options(
        error,
        sqlite3_mprintf("--partition is '%s'; it is grid, source or target", word));
}

static bool take_threads(options *o, const char *word, char **error) {
    char *end;
    const long threads = strtol(word, &end, 10);
    if (*end || end == word || threads < 0 || threads > 4096)
        return fail_options(error,
                            sqlite3_mprintf("--threads is '%s'; it is a number from 0 (a "
                                            "share of the cores) to 4096",
                                            word));
    o->threads = (int)threads;
    return true;
}

/* Options with a value, before those of the functions. */
enum value_option {
    VALUE_DB,
    VALUE_EDGES,
    VALUE_OUT,
    VALUE_TABLE,
    VALUE_PARTITION,
    VALUE_THREADS,
    VALUE_GIVEN /* from here on: given_text */
};

static const char *const plain_name[] = {"db",    "edges",     "out",
                                         "table", "partition", "threads"};
static const char *const flag_name[] = {"timings", "plan", "help"};

enum { OPTIONS = VALUE_GIVEN + GIVENS, FLAGS = sizeof flag_name / sizeof *flag_name };

static const char *option_name(int i) {
    return i < VALUE_GIVEN ? plain_name[i] : given_text[i - VALUE_GIVEN].name;
}

static int find_option(const char *word) {
    int i = 0;
    while (i < OPTIONS && !is_option(word, option_name(i)))
        i++;
    return i;
}

static bool is_flag(const char *word) {
    bool found = false;
    for (int i = 0; i < FLAGS; i++)
        found |= is_option(word, flag_name[i]);
    return found;
}

static bool unknown_option(const char *word, char **error) {
    nearest near = {.given = word};
    char name[40];
    for (int i = 0; i < OPTIONS + FLAGS; i++) {
        sqlite3_snprintf(sizeof name, name, "--%s",
                         i < OPTIONS ? option_name(i) : flag_name[i - OPTIONS]);
        nearest_look(&near, name, name);
    }
    char *end = nearest_end(&near);
    fail_options(error, end ? sqlite3_mprintf(
                                  "there is no option %s%s; --help lists them", word, end)
                            : NULL);
    sqlite3_free(end);
    return false;
}

/* A value that is missing would be the next option. */
static bool check_value(const char *word, const char *value, bool again, char **error) {
    const bool missing = !value || (strncmp(value, "--", 2) == 0 &&
                                    (find_option(value) < OPTIONS || is_flag(value)));
    if (missing)
        return fail_options(error, sqlite3_mprintf("the value of %s is missing", word));
    if (again)
        return fail_options(error, sqlite3_mprintf("%s is given more than once", word));
    return true;
}

static bool take_value_of_options(options *o, const char *word, const char *value,
                                  unsigned *taken, char **error) {
    const char **plain[] = {&o->db, &o->edges, &o->out, &o->table};
    const int i = find_option(word);
    if (i == OPTIONS)
        return unknown_option(word, error);
    if (!check_value(word, value, *taken >> i & 1, error))
        return false;
    *taken |= 1u << i;
    if (i <= VALUE_TABLE)
        *plain[i] = value;
    if (i <= VALUE_TABLE && !*value)
        return fail_options(error, sqlite3_mprintf("the value of %s is empty", word));
    if (i == VALUE_PARTITION)
        return take_partition(o, value, error);
    if (i == VALUE_THREADS)
        return take_threads(o, value, error);
    if (i >= VALUE_GIVEN && !(given_text[i - VALUE_GIVEN].of >> o->function & 1))
        return fail_options(
            error, sqlite3_mprintf("%s has no option %s; --help lists those it has",
                                   o->name, word));
    if (i >= VALUE_GIVEN)
        o->given[i - VALUE_GIVEN] = value;
    return true;
}

static bool take_function(options *o, const char *word, char **error) {
    for (int f = 0; f < FUNCTIONS; f++)
        if (sqlite3_stricmp(word, function_name[f]) == 0) {
            o->function = (function)f;
            o->name = function_name[f];
            sqlite3_snprintf(sizeof o->sql_name, o->sql_name, "gpu_%s", o->name);
            return true;
        }
    return fail_options(error,
                        sqlite3_mprintf("there is no function '%s'; there are bfs, sssp, "
                                        "mis, components and pagerank",
                                        word));
}

static bool take_words(options *o, int count, char **word, char **error) {
    unsigned taken = 0;
    for (int i = 2; i < count; i++) {
        if (is_option(word[i], "timings")) {
            o->timings = true;
        } else if (is_option(word[i], "plan")) {
            o->plan = true;
        } else if (is_option(word[i], "help")) {
            o->help = true;
        } else if (strncmp(word[i], "--", 2) != 0) {
            return fail_options(
                error, sqlite3_mprintf("'%s' is no option; --help lists them", word[i]));
        } else {
            if (!take_value_of_options(o, word[i], i + 1 < count ? word[i + 1] : NULL,
                                       &taken, error))
                return false;
            i++;
        }
    }
    return true;
}

static void take_direction(options *o) {
    static const char *const words[] = {"out", "in", "both", NULL};
    static const gpugraph_direction directions[] = {GPUGRAPH_OUT, GPUGRAPH_IN,
                                                    GPUGRAPH_BOTH};
    const char *word = o->given[GIVEN_DIRECTION];
    o->direction = o->function == FUNCTION_MIS ? GPUGRAPH_BOTH : GPUGRAPH_OUT;
    for (int i = 0; word && words[i]; i++)
        if (sqlite3_stricmp(word, words[i]) == 0)
            o->direction = directions[i];
}

/* Processes on devices have arcs where their kernels want them. */
static bool take_backend(options *o, char **error) {
    const char *word = o->given[GIVEN_BACKEND];
    const bool ranks = o->function == FUNCTION_PAGERANK;
    if (!word || sqlite3_stricmp(word, "cuda") != 0)
        return true;
    if (o->function == FUNCTION_COMPONENTS)
        return fail_options(
            error, sqlite3_mprintf("--backend cuda: components do not run on devices; "
                                   "leave the option out, or write cpu"));
    const gpugraph_partition wanted = ranks ? GPUGRAPH_BY_TARGET : GPUGRAPH_BY_SOURCE;
    if (o->partition_given && o->partition != wanted)
        return fail_options(
            error, sqlite3_mprintf("--backend cuda: %s wants --partition %s there",
                                   o->name, ranks ? "target" : "source"));
    if (!o->partition_given)
        o->partition = wanted;
    return o->partition_given = o->cuda = true;
}

bool options_read(options *o, int count, char **word, char **error) {
    memset(o, 0, sizeof *o);
    *error = NULL;
    if (count < 2 || is_option(word[1], "help")) {
        o->help = true;
        return true;
    }
    if (!take_function(o, word[1], error) || !take_words(o, count, word, error))
        return false;
    if (o->help)
        return true;
    if (!o->db)
        return fail_options(error,
                            sqlite3_mprintf("--db is missing: the database, or several, "
                                            "that have the table of edges"));
    if (!o->edges)
        return fail_options(error,
                            sqlite3_mprintf("--edges is missing: the table of edges, as "
                                            "in --edges 'roads(a, b)'"));
    if (!o->out && !o->plan)
        return fail_options(error,
                            sqlite3_mprintf("--out is missing: the database that the "
                                            "result goes into"));
    if (o->function <= FUNCTION_SSSP && !o->given[GIVEN_SOURCE] &&
        !o->given[GIVEN_SOURCES])
        return fail_options(
            error, sqlite3_mprintf("there is no source; give the vertex to start from "
                                   "by --source, or several by --sources"));
    const char *place = o->out ? strstr(o->out, "%d") : NULL;
    if (place && strstr(place + 2, "%d"))
        return fail_options(
            error, sqlite3_mprintf("--out '%s' has %%d more than once; the number "
                                   "of the process has one place",
                                   o->out));
    if (!o->table)
        o->table = o->name;
    take_direction(o);
    return take_backend(o, error);
}

/* ---- files ---- */

static bool add_path(options *o, const char *path, size_t length) {
    char **more = realloc(o->path, (o->paths + 1) * sizeof *more);
    if (!more)
        return false;
    o->path = more;
    o->path[o->paths] = strndup(path, length);
    return o->path[o->paths++] != NULL;
}

static bool add_pattern(options *o, const char *word, size_t length, char **error) {
    glob_t found;
    char *pattern = strndup(word, length);
    bool good = pattern != NULL;
    const int status = good ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;
    if (status == GLOB_NOMATCH)
        good =
            fail_options(error, sqlite3_mprintf("no file is named like '%s'", pattern));
    for (size_t i = 0; status == 0 && good && i < found.gl_pathc; i++)
        good = add_path(o, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    if (status == 0)
        globfree(&found);
    free(pattern);
    return good;
}

bool options_find_files(options *o, char **error) {
    *error = NULL;
    for (const char *at = o->db; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        const bool pattern = strcspn(at, "*?[") < length;
        if (length == 0)
            return fail_options(
                error, sqlite3_mprintf("--db '%s' has a file without a name", o->db));
        if (!(pattern ? add_pattern(o, at, length, error) : add_path(o, at, length)))
            return false;
    }
    return true;
}

void options_clear(options *o) {
    for (uint32_t i = 0; i < o->paths; i++)
        free(o->path[i]);
    free(o->path);
    memset(o, 0, sizeof *o);
}

const char *not_a_file(const char *path) {
    struct stat is;
    if (stat(path, &is) != 0 || S_ISREG(is.st_mode))
        return NULL;
    return S_ISDIR(is.st_mode) ? "it is a folder" : "it is no plain file";
}

/* ---- values ---- */

int bind_given(sqlite3_stmt *statement, int at, const char *text) {
    char *end;
    const size_t length = strlen(text);
    const long long integer = strtoll(text, &end, 10);
    if (length >= 2 && text[0] == '\'' && text[length - 1] == '\'')
        return sqlite3_bind_text(statement, at, text + 1, (int)length - 2, SQLITE_STATIC);
    char digits[32];
    sqlite3_snprintf(sizeof digits, digits, "%lld", integer);
    if (strcmp(digits, text) == 0)
        return sqlite3_bind_int64(statement, at, integer);
    const double real = strtod(text, &end);
    if (length > 0 && *end == 0 && strchr("+-.0123456789", text[0]))
        return sqlite3_bind_double(statement, at, real);
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static char *question(const options *o) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "SELECT 1 FROM %s WHERE edges = 'e(a, b, w)'", o->sql_name);
    for (int g = 0; g < GIVENS; g++) {
        if (!o->given[g])
            continue;
        sqlite3_str_appendall(sql, " AND ");
        for (const char *c = given_text[g].name; *c; c++)
            sqlite3_str_appendchar(sql, 1, *c == '-' ? '_' : *c);
        sqlite3_str_appendf(sql, " = ?%d", g + 1);
    }
    return sqlite3_str_finish(sql);
}

bool options_check(const options *o, char **error) {
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    char *sql = question(o);
    int rc = sql ? sqlite3_open(":memory:", &db) : SQLITE_NOMEM;
    *error = NULL;
    if (rc == SQLITE_OK)
        rc = sqlite3_gpugraph_init(db, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "CREATE TABLE e(a, b, w)", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    for (int g = 0; g < GIVENS && rc == SQLITE_OK; g++)
        if (o->given[g])
            rc = bind_given(statement, g + 1, o->given[g]);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_DONE)
        rc = SQLITE_OK;
    if (rc != SQLITE_OK)
        *error = sqlite3_mprintf("%s", db ? sqlite3_errmsg(db) : "no memory");
    sqlite3_finalize(statement);
    sqlite3_close(db);
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

double given_number(const options *o, given g, double otherwise) {
    return o->given[g] ? strtod(o->given[g], NULL) : otherwise;
}

int given_word(const options *o, given g, const char *const *words) {
    for (int i = 0; o->given[g] && words[i]; i++)
        if (sqlite3_stricmp(o->given[g], words[i]) == 0)
            return i;
    return 0;
}
