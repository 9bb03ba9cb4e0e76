/* The settings of a connection.
**
**     key --> setting --> a field of struct config
**              | takes, most           the values that the setting takes
**              | holds                 whether such a value is possible on this machine
**              | changed               what a new value changes elsewhere
**
** gpugraph_config refuses a value that is impossible, so searches do not check settings.
** The default, which NULL sets, is always possible. */
#include "inspect.h"
#include "base/module.h"
#include "base/names.h"
#include "base/value.h"
#include "table_function/arguments.h"
#include "team.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICE_ID = 1023, WHY_SIZE = 300 };

enum setting_kind {
    SETTING_NUMBER,   /* int or sqlite3_int64 */
    SETTING_WORD,     /* int: an index of words, of which `most` is the last */
    SETTING_DEVICES,  /* text: auto, all, or ids separated by commas */
    SETTING_FUNCTIONS /* text: names of functions separated by commas */
};

typedef struct setting {
    const char *name;
    const char *takes; /* for errors: "threads takes ..." */
    const char *meaning;
    enum setting_kind kind;
    size_t offset, size;         /* the field in struct config */
    sqlite3_int64 most, initial; /* the largest value and the default; 0 is the least */
    const char *const *words;
    /* Returns true if the value is possible here, else sets why. NULL: all values are. */
    bool (*holds)(sqlite3_int64 value, char why[WHY_SIZE]);
    void (*changed)(connection *c); /* called after a change; may be NULL */
    int (*now)(int value); /* the effect of the value, for the list; may be NULL */
} setting;

/* ---- which values are possible ---- */

static bool backend_holds(sqlite3_int64 backend, char why[WHY_SIZE]) {
    const char *reason = "";
    if (backend != GPUGRAPH_CUDA || gpugraph_cuda_usable(&reason))
        return true;
    sqlite3_snprintf(WHY_SIZE, why, "%s; set 'auto' or 'cpu'", reason);
    return false;
}

static bool device_holds(sqlite3_int64 id, char why[WHY_SIZE]) {
    const char *reason = "";
    int count = 0;
    while (gpugraph_device_at(1 + count, NULL))
        count++;
    if (id < count)
        return true;
    if (count == 0) {
        gpugraph_cuda_usable(&reason);
        sqlite3_snprintf(WHY_SIZE, why, "there are 0 CUDA devices to use: %s", reason);
    } else if (count == 1) {
        sqlite3_snprintf(WHY_SIZE, why, "there is 1 CUDA device, with the id 0");
    } else {
        sqlite3_snprintf(WHY_SIZE, why, "there are %d CUDA devices, with the ids 0 to %d",
                         count, count - 1);
    }
    return false;
}

/* ---- lists of devices ---- */

/* Reads a list of ids, each once, in the order given. Returns their number, or -1 if the
** text is no such list. */
static int read_ids(const char *list, int id[MOST_DEVICES]) {
    int count = 0;
    do {
        char *end;
        list += strspn(list, " ");
        if (count == MOST_DEVICES || *list < '0' || *list > '9')
            return -1;
        long next = strtol(list, &end, 10);
        for (int i = 0; i < count; i++)
            if (id[i] == next)
                return -1;
        if (next > MOST_DEVICE_ID)
            return -1;
        id[count++] = (int)next;
        list = end + strspn(end, " ");
    } while (*list++ == ',');
    return list[-1] == '\0' ? count : -1;
}

static int compare_ids_of_settings(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Sets the ids as runs need them: ascending. Returns the first id of the list; -1: the
** setting is no list. */
static int sort_ids(config *given) {
    const int count = read_ids(given->devices, given->id);
    const int first = count > 0 ? given->id[0] : -1;
    given->ids = count > 0 ? count : 0;
    qsort(given->id, (size_t)given->ids, sizeof *given->id, compare_ids_of_settings);
    return first;
}

/* The first device of the list becomes `device`. */
static void devices_changed(connection *c) {
    const int first = sort_ids(&c->config);
    if (first >= 0)
        c->config.device = first;
}

/* A list that begins with another device becomes 'auto'. */
static void device_changed(connection *c) {
    const int first = sort_ids(&c->config);
    if (first < 0 || first == c->config.device)
        return;
    strcpy(c->config.devices, "auto");
    c->config.ids = 0;
}

/* ---- the settings ---- */

#define FIELD(sort, field)                                                               \
    .kind = (sort), .offset = offsetof(config, field),                                   \
    .size = sizeof(((config *)0)->field)

static const setting settings[] = {
    {
        .name = "backend",
        .takes = "'auto', 'cpu' or 'cuda'",
        .meaning = "cpu, cuda, or auto: what is predicted to be faster",
        FIELD(SETTING_WORD, backend),
        .most = 2,
        .words = backend_names,
        .holds = backend_holds,
    },
    {
        .name = "device",
        .takes = "the id of a CUDA device in gpugraph_devices",
        .meaning = "the first CUDA device used: its id in gpugraph_devices",
        FIELD(SETTING_NUMBER, device),
        .most = MOST_DEVICE_ID,
        .holds = device_holds,
        .changed = device_changed,
    },
    {
        .name = "devices",
        .takes = "'auto', 'all' or ids of CUDA devices in gpugraph_devices, each once, "
                 "separated by commas",
        .meaning = "CUDA devices that may be used: auto, all, or ids as in 0,2",
        FIELD(SETTING_DEVICES, devices),
        .holds = device_holds,
        .changed = devices_changed,
    },
    {
        .name = "threads",
        .takes = "a number of threads, or 0 for the default",
        .meaning = "CPU threads; 0: OMP_NUM_THREADS, else all cores",
        FIELD(SETTING_NUMBER, threads),
        .most = 256,
        .now = gg_team_limit,
    },
    {
        .name = "memory_limit",
        .takes = "bytes of device memory, or 0 for no limit",
        .meaning = "bytes of device memory in all, on each device; 0: no limit",
        FIELD(SETTING_NUMBER, memory_limit),
        .most = INT64_MAX,
    },
    {
        .name = "host_memory_limit",
        .takes = "bytes that one call may hold beside its graph, or 0 for no limit",
        .meaning = "bytes that one call may hold beside its graph; 0: no limit",
        FIELD(SETTING_NUMBER, host_memory_limit),
        .most = INT64_MAX,
    },
    {
        .name = "cache_limit",
        .takes = "bytes, or 0 to keep nothing",
        .meaning = "bytes of kept graphs and searches",
        FIELD(SETTING_NUMBER, cache_limit),
        .most = INT64_MAX,
        .initial = DEFAULT_CACHE_LIMIT,
        .changed = cache_trim,
    },
    {
        .name = "progress",
        .takes = "0 or 1",
        .meaning = "1: lines on a terminal's stderr for work over a second",
        FIELD(SETTING_NUMBER, progress),
        .most = 1,
    },
    {
        .name = "time_limit_ms",
        .takes = "milliseconds, or 0 for no limit",
        .meaning = "ms that one call may take; 0: no limit",
        FIELD(SETTING_NUMBER, time_limit_ms),
        .most = INT64_MAX,
    },
    {
        .name = "refuse",
        .takes =
            "the names gpugraph_config, gpugraph_delete_vertex and gpugraph_save, or "
            "some of them, separated by commas, or ''",
        .meaning = "functions that fail here; gpugraph_config may still read",
        FIELD(SETTING_FUNCTIONS, refuse),
    },
};

enum { SETTINGS = COUNT(settings) };

static void *field_of(connection *c, const setting *s) {
    return (char *)&c->config + s->offset;
}

static void store(connection *c, const setting *s, sqlite3_int64 value) {
    if (s->kind == SETTING_DEVICES)
        strcpy(field_of(c, s), "auto");
    else if (s->kind == SETTING_FUNCTIONS)
        strcpy(field_of(c, s), "");
    else if (s->size == sizeof value)
        *(sqlite3_int64 *)field_of(c, s) = value;
    else
        *(int *)field_of(c, s) = (int)value;
}

static sqlite3_int64 number_in(connection *c, const setting *s) {
    const void *field = field_of(c, s);
    return s->size == sizeof(int) ? *(const int *)field : *(const sqlite3_int64 *)field;
}

void settings_reset(connection *c) {
    for (int i = 0; i < SETTINGS; i++)
        store(c, &settings[i], settings[i].initial);
}

/* The value as a text; NULL: it is a number. */
static const char *text_in(connection *c, const setting *s) {
    if (s->kind == SETTING_WORD)
        return s->words[number_in(c, s)];
    return s->kind == SETTING_NUMBER ? NULL : field_of(c, s);
}

void fill_settings(grid *g) {
    connection *c = g->c;
    for (const setting *s = settings; s < settings + SETTINGS; s++) {
        const char *text = text_in(c, s);
        char meaning[100];
        sqlite3_snprintf(sizeof meaning, meaning, s->now ? "%s; now %d" : "%s",
                         s->meaning, s->now ? s->now((int)number_in(c, s)) : 0);
        add_text(g, s->name);
        if (text)
            add_text(g, text);
        else
            add_integer(g, number_in(c, s));
        add_text(g, meaning);
    }
}

/* ---- setting a value ----
** Each step returns SQLITE_OK, SQLITE_NOMEM, or SQLITE_ERROR and a sentence in *fault
** (sqlite3_free). gpugraph_config puts the setting's name before the sentence. */

static int of_another_sort(const setting *s, sqlite3_value *value, char **fault) {
    char range[60] = "";
    if (s->kind == SETTING_NUMBER && s->most > 1)
        sqlite3_snprintf(sizeof range, range, " (an INTEGER from 0 to %lld)", s->most);
    const bool word = s->kind == SETTING_WORD && sqlite3_value_type(value) == SQLITE_TEXT;
    nearest near = {.given = word ? (const char *)sqlite3_value_text(value) : NULL};
    for (int i = 0; s->kind == SETTING_WORD && i <= s->most; i++)
        nearest_look(&near, s->words[i], s->words[i]);
    return fail_with(fault, "takes %s%s, not %s%s", s->takes, range, VALUE_WRITTEN(value),
                     near.told);
}

static int check_settings(const setting *s, sqlite3_int64 number, sqlite3_value *value,
                          char **fault) {
    char why[WHY_SIZE];
    if (!s->holds || s->holds(number, why))
        return SQLITE_OK;
    return fail_with(fault, "cannot be %s here: %s", VALUE_WRITTEN(value), why);
}

static int set_number(connection *c, const setting *s, sqlite3_value *value,
                      char **fault) {
    struct sql_number number;
    int rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc != SQLITE_OK)
        return rc;
    if (number.type != SQLITE_INTEGER || number.integer < 0 || number.integer > s->most)
        return of_another_sort(s, value, fault);
    if (number.integer != s->initial)
        rc = check_settings(s, number.integer, value, fault);
    if (rc == SQLITE_OK)
        store(c, s, number.integer);
    return rc;
}

static int set_word(connection *c, const setting *s, sqlite3_value *value, char **fault) {
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text)
        return SQLITE_NOMEM;
    for (int i = 0; i <= s->most; i++) {
        if (sqlite3_stricmp(text, s->words[i]) != 0)
            continue;
        int rc = check_settings(s, i, value, fault);
        if (rc == SQLITE_OK)
            store(c, s, i);
        return rc;
    }
    return of_another_sort(s, value, fault);
}

static int set_devices(connection *c, const setting *s, sqlite3_value *value,
                       char **fault) {
    const char *text = (const char *)sqlite3_value_text(value);
    int id[MOST_DEVICES], count, rc = SQLITE_OK;
    if (!text)
        return SQLITE_NOMEM;
    char *devices = c->config.devices;
    if (sqlite3_stricmp(text, "auto") == 0 || sqlite3_stricmp(text, "all") == 0) {
        strcpy(devices, sqlite3_stricmp(text, "all") == 0 ? "all" : "auto");
        return SQLITE_OK;
    }
    count = read_ids(text, id);
    if (count < 0)
        return of_another_sort(s, value, fault);
    for (int i = 0; i < count && rc == SQLITE_OK; i++)
        rc = check_settings(s, id[i], value, fault);
    for (int i = 0; i < count && rc == SQLITE_OK; i++) {
        size_t used = i == 0 ? 0 : strlen(devices);
        sqlite3_snprintf((int)(sizeof c->config.devices - used), devices + used, "%s%d",
                         i == 0 ? "" : ",", id[i]);
    }
    return rc;
}

static int set_functions(connection *c, const setting *s, sqlite3_value *value,
                         char **fault) {
    static const char *const names[] = {"gpugraph_config", "gpugraph_delete_vertex",
                                        "gpugraph_save"};
    enum { NAMES = COUNT(names) };
    const char *text = (const char *)sqlite3_value_text(value);
    char list[sizeof c->config.refuse] = "";
    if (!text)
        return SQLITE_NOMEM;
    while (*text) {
        text += strspn(text, " ");
        const int length = (int)strcspn(text, ","), used = (int)strlen(list);
        int i = 0;
        while (i < NAMES && ((int)strlen(names[i]) != length ||
                             sqlite3_strnicmp(text, names[i], length) != 0))
            i++;
        if (i == NAMES)
            return of_another_sort(s, value, fault);
        if (!strstr(list, names[i]))
            sqlite3_snprintf((int)sizeof list - used, list + used, "%s%s",
                             used ? "," : "", names[i]);
        text += length;
        text += *text == ',';
    }
    strcpy(c->config.refuse, list);
    return SQLITE_OK;
}

static int set(connection *c, const setting *s, sqlite3_value *value, char **fault) {
    int rc = SQLITE_OK;
    if (sqlite3_value_type(value) == SQLITE_NULL)
        store(c, s, s->initial);
    else if (s->kind == SETTING_NUMBER)
        rc = set_number(c, s, value, fault);
    else if (sqlite3_value_type(value) == SQLITE_BLOB || holds_zero_byte(value))
        rc = of_another_sort(s, value, fault);
    else if (s->kind == SETTING_WORD)
        rc = set_word(c, s, value, fault);
    else
        rc = s->kind == SETTING_DEVICES ? set_devices(c, s, value, fault)
                                        : set_functions(c, s, value, fault);
    if (rc == SQLITE_OK && s->changed)
        s->changed(c);
    return rc;
}

/* ---- gpugraph_config ---- */

static void unknown_key(sqlite3_context *context, sqlite3_value *key) {
    sqlite3_str *names = sqlite3_str_new(NULL);
    nearest near = {.given = (const char *)sqlite3_value_text(key)};
    for (int i = 0; i < SETTINGS; i++) {
        sqlite3_str_appendf(names, "%s'%s'", i == 0 ? "" : ", ", settings[i].name);
        nearest_look(&near, settings[i].name, settings[i].name);
    }
    char *list = sqlite3_str_finish(names);
    function_fail(
        context, list ? sqlite3_mprintf(
                            "gpugraph_config: there is no setting %!.60Q%s; there "
                            "are %s%s",
                            sqlite3_value_text(key), zero_byte_note(key), list, near.told)
                      : NULL);
    sqlite3_free(list);
}

void gpugraph_config(sqlite3_context *context, int argc, sqlite3_value **argv) {
    connection *c = sqlite3_user_data(context);
    if (argc > 1 && function_is_refused(context, "gpugraph_config"))
        return;
    const char *key = (const char *)sqlite3_value_text(argv[0]);
    int i = 0, rc = SQLITE_OK;
    if (!key && sqlite3_value_type(argv[0]) != SQLITE_NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (key && holds_zero_byte(argv[0]))
        i = SETTINGS;
    while (key && i < SETTINGS && sqlite3_stricmp(settings[i].name, key) != 0)
        i++;
    if (!key || i == SETTINGS) {
        unknown_key(context, argv[0]);
        return;
    }
    char *fault = NULL;
    if (argc > 1)
        rc = set(c, &settings[i], argv[1], &fault);
    const char *text = text_in(c, &settings[i]);
    if (rc != SQLITE_OK)
        function_fail(context, fault ? sqlite3_mprintf("gpugraph_config: %s %s",
                                                       settings[i].name, fault)
                                     : NULL);
    else if (text)
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_int64(context, number_in(c, &settings[i]));
    sqlite3_free(fault);
}
