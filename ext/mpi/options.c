/* The command line. The SQL function checks the values of its options in a query on an
** empty table (options_check), so rules and messages exist once. */
#include "options.h"
#include "gpugraph_extension.h"
#include "base/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const function_name[FUNCTIONS] = {"bfs", "sssp", "mis", "components",
                                                     "pagerank"};

#define OF(FUNCTION) (1u << FUNCTION_##FUNCTION)
#define OF_ALL       ((1u << FUNCTIONS) - 1)

static const struct {
    const char *name; /* without "--"; the hidden column's name has _ in place of - */
    unsigned of;      /* bit f: function f has the option */
    bool alone;       /* takes no value */
} given_text[GIVENS] = {
    [GIVEN_DB] = {"db", OF_ALL, false},
    [GIVEN_EDGES] = {"edges", OF_ALL, false},
    [GIVEN_OUT] = {"out", OF_ALL, false},
    [GIVEN_TABLE] = {"table", OF_ALL, false},
    [GIVEN_PARTITION] = {"partition", OF_ALL, false},
    [GIVEN_THREADS] = {"threads", OF_ALL, false},
    [GIVEN_TIMINGS] = {"timings", OF_ALL, true},
    [GIVEN_HELP] = {"help", OF_ALL, true},
    [GIVEN_SOURCE] = {"source", OF(BFS) | OF(SSSP), false},
    [GIVEN_SOURCES] = {"sources", OF(BFS) | OF(SSSP) | OF(PAGERANK), false},
    [GIVEN_DIRECTION] = {"direction", OF(BFS) | OF(SSSP) | OF(PAGERANK), false},
    [GIVEN_MAX_DEPTH] = {"max-depth", OF(BFS), false},
    [GIVEN_MAX_DISTANCE] = {"max-distance", OF(SSSP), false},
    [GIVEN_PRIORITY] = {"priority", OF(MIS), false},
    [GIVEN_SEED] = {"seed", OF(MIS), false},
    [GIVEN_DAMPING] = {"damping", OF(PAGERANK), false},
    [GIVEN_ITERATIONS] = {"iterations", OF(PAGERANK), false},
    [GIVEN_TOLERANCE] = {"tolerance", OF(PAGERANK), false},
    [GIVEN_KIND] = {"kind", OF(COMPONENTS), false},
    [GIVEN_BACKEND] = {"backend", OF_ALL, false},
};

void options_help(void) {
    puts("mpirun -n P gpugraph-mpi FUNCTION --db FILE[,FILE...] --edges EDGES\n"
         "                         --out FILE [--table NAME] [OPTION VALUE]...\n"
         "\n"
         "FUNCTION is bfs, sssp, mis, components or pagerank: the rows of gpu_bfs and\n"
         "so on, by P processes, none of which holds the whole graph.\n"
         "\n"
         "  --db FILE[,FILE...]  databases that have the table; patterns: 'part-*.db'\n"
         "  --edges EDGES        'roads', or 'roads(a, b, metres, id, reverse)'\n"
         "  --out FILE           where the result goes; %d: a file for each process\n"
         "  --table NAME         the result's table; default: the function's name\n"
         "  --timings            prints phases, bytes and memory at the end\n"
         "  --partition WORD     which process has an edge: grid, source or target\n"
         "  --threads N          threads of a process; default: its share of the cores\n"
         "  --backend WORD       cpu, or cuda: a device for each process\n"
         "\n"
         "  bfs          --source ID, --sources '[ID, ...]', --direction, --max-depth\n"
         "  sssp         --source ID, --sources '[ID, ...]', --direction,\n"
         "               --max-distance\n"
         "  mis          --priority WORD, --seed N\n"
         "  components   --kind weak|strong\n"
         "  pagerank     --damping X, --iterations N, --tolerance X, --sources,\n"
         "               --direction\n"
         "\n"
         "An id is a number, 7, or a text: AMS, or '7' in quotes of its own.");
}

static bool fail_options(char **error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    *error = sqlite3_vmprintf(format, values);
    va_end(values);
    return false;
}

/* ---- words ---- */

static bool is_option(const char *word) {
    return strncmp(word, "--", 2) == 0;
}

static int find_option(const char *word) {
    int g = is_option(word) ? 0 : GIVENS;
    while (g < GIVENS && strcmp(word + 2, given_text[g].name) != 0)
        g++;
    return g;
}

static bool unknown_option(const char *word, char **error) {
    nearest near = {.given = word};
    char name[40];
    for (int g = 0; g < GIVENS; g++) {
        sqlite3_snprintf(sizeof name, name, "--%s", given_text[g].name);
        nearest_look(&near, name, name);
    }
    return fail_options(error, "there is no option %s%s; --help lists them", word,
                        near.told);
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
                        "there is no function '%s'; there are bfs, sssp, mis, "
                        "components and pagerank",
                        word);
}

static bool take_words(options *o, int count, char **word, char **error) {
    for (int i = 2; i < count; i++) {
        const int g = find_option(word[i]);
        if (!is_option(word[i]))
            return fail_options(error, "'%s' is no option; --help lists them", word[i]);
        if (g == GIVENS)
            return unknown_option(word[i], error);
        if (!(given_text[g].of >> o->function & 1))
            return fail_options(error, "%s has no option %s; --help lists those it has",
                                o->name, word[i]);
        if (given_text[g].alone) {
            o->given[g] = "";
            continue;
        }
        if (i + 1 == count || find_option(word[i + 1]) < GIVENS)
            return fail_options(error, "the value of %s is missing", word[i]);
        if (o->given[g])
            return fail_options(error, "%s is given more than once", word[i]);
        o->given[g] = word[++i];
        if (g <= GIVEN_TABLE && !*o->given[g])
            return fail_options(error, "the value of --%s is empty", given_text[g].name);
    }
    return true;
}

/* ---- values ---- */

static bool take_partition(options *o, char **error) {
    static const char *const names[] = {"source", "target", "grid", NULL};
    const char *word = o->given[GIVEN_PARTITION];
    o->partition = (gpugraph_partition)given_word(o, GIVEN_PARTITION, names);
    o->partition_given = word != NULL;
    return !word || sqlite3_stricmp(word, names[o->partition]) == 0 ||
           fail_options(error, "--partition is '%s'; it is grid, source or target", word);
}

static bool take_threads(options *o, char **error) {
    const char *word = o->given[GIVEN_THREADS] ? o->given[GIVEN_THREADS] : "0";
    char *end;
    const long threads = strtol(word, &end, 10);
    o->threads = (int)threads;
    return (!*end && end != word && threads >= 0 && threads <= 4096) ||
           fail_options(error,
                        "--threads is '%s'; it is a number from 0 (a share of the "
                        "cores) to 4096",
                        word);
}

/* On devices the kernels need a partition by target (PageRank) or by source. */
static bool take_backend(options *o, char **error) {
    static const char *const words[] = {"", "cuda", NULL};
    const bool ranks = o->function == FUNCTION_PAGERANK;
    const gpugraph_partition wanted = ranks ? GPUGRAPH_BY_TARGET : GPUGRAPH_BY_SOURCE;
    o->cuda = given_word(o, GIVEN_BACKEND, words);
    if (!o->cuda)
        return true;
    if (o->function == FUNCTION_COMPONENTS)
        return fail_options(error, "--backend cuda: components do not run on devices; "
                                   "leave the option out, or write cpu");
    if (o->partition_given && o->partition != wanted)
        return fail_options(error, "--backend cuda: %s needs --partition %s", o->name,
                            ranks ? "target" : "source");
    o->partition = wanted;
    return o->partition_given = true;
}

/* Fails if a required option is missing. */
static bool check_given(const options *o, char **error) {
    if (!o->given[GIVEN_DB])
        return fail_options(error, "--db is missing: the database, or several, that have "
                                   "the table of edges");
    if (!o->edges)
        return fail_options(error, "--edges is missing: the table of edges, as in "
                                   "--edges 'roads(a, b)'");
    if (!o->out)
        return fail_options(error,
                            "--out is missing: the database that the result goes into");
    if (o->function <= FUNCTION_SSSP && !o->given[GIVEN_SOURCE] &&
        !o->given[GIVEN_SOURCES])
        return fail_options(error, "there is no source; give the vertex to start from by "
                                   "--source, or several by --sources");
    const char *place = o->out ? strstr(o->out, "%d") : NULL;
    return !place || !strstr(place + 2, "%d") ||
           fail_options(error,
                        "--out '%s' has %%d more than once; write it once, for the "
                        "number of the process",
                        o->out);
}

bool options_read(options *o, int count, char **word, char **error) {
    static const char *const directions[] = {"out", "in", "both", NULL};
    memset(o, 0, sizeof *o);
    *error = NULL;
    if (count < 2 || find_option(word[1]) == GIVEN_HELP) {
        o->given[GIVEN_HELP] = "";
        return true;
    }
    if (!take_function(o, word[1], error) || !take_words(o, count, word, error))
        return false;
    o->edges = o->given[GIVEN_EDGES];
    o->out = o->given[GIVEN_OUT];
    o->table = o->given[GIVEN_TABLE] ? o->given[GIVEN_TABLE] : o->name;
    o->direction = o->function == FUNCTION_MIS
                       ? GPUGRAPH_BOTH
                       : (gpugraph_direction)given_word(o, GIVEN_DIRECTION, directions);
    return o->given[GIVEN_HELP] || (check_given(o, error) && take_partition(o, error) &&
                                    take_threads(o, error) && take_backend(o, error));
}

/* ---- files ---- */

/* Adds one file, or the files that match a pattern. */
static bool find_file(options *o, const char *word, char **error) {
    const int plain = strpbrk(word, "*?[") ? 0 : GLOB_NOCHECK;
    const int more = o->files.gl_pathc > 0 ? GLOB_APPEND : 0;
    const int status = glob(word, GLOB_NOESCAPE | plain | more, NULL, &o->files);
    return status == 0 ||
           fail_options(error,
                        status == GLOB_NOMATCH ? "no file matches '%s'"
                                               : "the files '%s' cannot be listed",
                        word);
}

bool options_find_files(options *o, char **error) {
    bool good = true;
    *error = NULL;
    for (const char *at = o->given[GIVEN_DB], *end; good && at;
         at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        char *word = sqlite3_mprintf("%.*s", (int)(end - at), at);
        if (!word || !*word)
            good = fail_options(error, "--db '%s' has a file without a name",
                                o->given[GIVEN_DB]);
        else
            good = find_file(o, word, error);
        sqlite3_free(word);
    }
    return good;
}

void options_clear(options *o) {
    if (o->files.gl_pathc > 0)
        globfree(&o->files);
    memset(o, 0, sizeof *o);
}

const char *not_a_file(const char *path) {
    struct stat is;
    if (stat(path, &is) != 0 || S_ISREG(is.st_mode))
        return NULL;
    return S_ISDIR(is.st_mode) ? "it is a folder" : "it is not a regular file";
}

/* ---- values as in SQL ---- */

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
    for (int g = GIVEN_SOURCE; g < GIVENS; g++) {
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
    for (int g = GIVEN_SOURCE; g < GIVENS && rc == SQLITE_OK; g++)
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
