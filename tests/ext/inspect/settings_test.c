/* gpugraph_config and gpugraph_settings: values that are read, set and refused. The test
** replaces the functions that report the devices of the machine. */
/* ctest: serial wrap=gpugraph_device_at wrap=gpugraph_cuda_usable */
#include "sql.h"
#include "suite.h"

#include "gpugraph.h"
#include "team.h"

#include <string.h>

/* ---- machines ---- */

static int devices; /* the number of CUDA devices that those functions report */

bool __wrap_gpugraph_device_at(int i, gpugraph_device *device);
bool __wrap_gpugraph_cuda_usable(const char **why);

bool __wrap_gpugraph_device_at(int i, gpugraph_device *device) {
    if (device)
        memset(device, 0, sizeof *device);
    return i <= devices;
}

bool __wrap_gpugraph_cuda_usable(const char **why) {
    if (why)
        *why = devices > 0 ? "" : "this machine has no CUDA device";
    return devices > 0;
}

static void a_machine_with(int count) {
    devices = count;
    sql_open();
}

static void without_devices(void) {
    a_machine_with(0);
}

/* ---- reading, setting ---- */

START_TEST(every_setting_has_a_default_and_a_meaning) {
    expect("'backend'|'auto';'device'|0;'devices'|'auto';'threads'|0;'memory_limit'|0;"
           "'host_memory_limit'|0;'cache_limit'|4294967296;'progress'|0;"
           "'time_limit_ms'|0;"
           "'refuse'|''",
           "SELECT name, value FROM gpugraph_settings");
    expect("0", "SELECT count(*) FROM gpugraph_settings WHERE length(meaning) < 20 OR "
                "gpugraph_config(name) IS NOT value");
    expect("'progress'",
           "SELECT name FROM gpugraph_settings WHERE meaning LIKE '%%terminal%%'");
}
END_TEST

START_TEST(a_setting_is_read_where_it_was_set) {
    expect("'cpu'|2|5000|7|1",
           "SELECT gpugraph_config('backend', 'cpu'), gpugraph_config('threads', 2), "
           "gpugraph_config('memory_limit', 5000), gpugraph_config('cache_limit', 7), "
           "gpugraph_config('progress', 1)");
    expect("'cpu'|0|'auto'|2|5000|7|1",
           "SELECT gpugraph_config('backend'), gpugraph_config('device'), "
           "gpugraph_config('devices'), gpugraph_config('threads'), "
           "gpugraph_config('memory_limit'), gpugraph_config('cache_limit'), "
           "gpugraph_config('progress')");
    expect_same("SELECT name, value FROM gpugraph_settings",
                "SELECT name, gpugraph_config(name) FROM gpugraph_settings");
    /* NULL sets the default. */
    run("SELECT gpugraph_config(name, NULL) FROM gpugraph_settings");
    expect("'auto'|0|4294967296",
           "SELECT gpugraph_config('backend'), gpugraph_config('threads'), "
           "gpugraph_config('cache_limit')");
}
END_TEST

START_TEST(settings_can_be_saved_and_set_again) {
    run("CREATE TABLE defaults AS SELECT name, value FROM gpugraph_settings;"
        "SELECT gpugraph_config('backend', 'cpu'), gpugraph_config('threads', 3), "
        "gpugraph_config('cache_limit', 9)");
    run("SELECT gpugraph_config(name, value) FROM defaults");
    expect_same("SELECT name, value FROM gpugraph_settings", "SELECT * FROM defaults");
}
END_TEST

START_TEST(names_of_settings_and_words_ignore_case) {
    expect("'cpu'", "SELECT gpugraph_config('Backend', 'CPU')");
    expect("'cpu'", "SELECT gpugraph_config('BACKEND')");
    expect("'all'", "SELECT gpugraph_config('Devices', 'ALL')");
    expect("3", "SELECT gpugraph_config('THREADS', 3)");
}
END_TEST

START_TEST(numbers_may_be_whole_reals_or_texts) {
    expect("2", "SELECT gpugraph_config('threads', 2.0)");
    expect("3", "SELECT gpugraph_config('threads', '3')");
    expect("4", "SELECT gpugraph_config('threads', ' 4.0 ')");
}
END_TEST

/* ---- refusing ---- */

START_TEST(threads_says_how_many_there_are_now) {
    run("SELECT gpugraph_config('threads', 3)");
    expect("1", "SELECT meaning LIKE '%%; now 3' FROM gpugraph_settings WHERE name = "
                "'threads'");
    /* The setting accepts its largest value. */
    run("SELECT gpugraph_config('threads', 256)");
    expect("1", "SELECT meaning LIKE '%%; now 256' FROM gpugraph_settings WHERE name = "
                "'threads'");
    ck_assert_int_eq(gg_team_limit(100000), 256);
    run("SELECT gpugraph_config('threads', 0)");
    expect("1", "SELECT meaning GLOB '*; now [1-9]*' FROM gpugraph_settings WHERE name = "
                "'threads'");
}
END_TEST

START_TEST(values_that_cannot_hold_are_refused) {
    static const struct {
        const char *setting, *value, *sentence;
    } refused[] = {
        {"threads", "-1",
         "threads takes a number of threads, or 0 for the default (an INTEGER from "
         "0 to 256), not -1"},
        {"threads", "2.5", "not 2.5"},
        {"threads", "257", "not 257"},
        {"threads", "'two'", "not 'two'"},
        {"threads", "'2 threads'", "not '2 threads'"},
        {"threads", "''", "not ''"},
        {"threads", "x'02'", "not a BLOB"},
        {"threads", "x'0200000000000000'", "pass int(x)"},
        {"threads", "1e999", "threads takes"},
        {"memory_limit", "-1",
         "memory_limit takes bytes of device memory, or 0 for no "
         "limit (an INTEGER from 0 to 9223372036854775807), not -1"},
        {"memory_limit", "0.5", "not 0.5"},
        {"memory_limit", "'nan'", "not 'nan'"},
        {"memory_limit", "'2 GB'", "not '2 GB'"},
        {"memory_limit", "9223372036854775808", "memory_limit takes"},
        {"cache_limit", "-1",
         "cache_limit takes bytes, or 0 to keep nothing (an INTEGER from 0 to "
         "9223372036854775807), not -1"},
        {"cache_limit", "'much'", "not 'much'"},
        {"progress", "2", "progress takes 0 or 1, not 2"},
        {"backend", "'tpu'", "backend takes 'auto', 'cpu' or 'cuda', not 'tpu'"},
        {"backend", "1", "not 1"},
        {"backend", "x'637075'", "not a BLOB"},
        {"backend", "'cuda'",
         "backend cannot be 'cuda' here: this machine has no CUDA "
         "device; set 'auto' or 'cpu'"},
        {"device", "-1",
         "device takes the id of a CUDA device in gpugraph_devices (an INTEGER from 0 to "
         "1023), not -1"},
        {"device", "7", "device cannot be 7 here: there are 0 CUDA devices"},
        {"device", "5000", "not 5000"},
        {"devices", "'0'", "devices cannot be '0' here: there are 0 CUDA devices"},
        {"devices", "'none'", "devices takes 'auto', 'all' or ids"},
        {"time_limit_ms", "-1", "time_limit_ms takes milliseconds, or 0"},
        {"refuse", "'gpu_bfs'", "refuse takes the names gpugraph_config, "},
        {"refuse", "'gpugraph_save gpugraph_save'", "not 'gpugraph_save gpugraph_save'"},
        {"refuse", "'gpugraph_saved'", "not 'gpugraph_saved'"},
        {"refuse", "','", "not ','"},
        {"refuse", "1", "not 1"},
    };
    run("SELECT gpugraph_config('threads', 5)");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_error("gpugraph_config", refused[i].sentence,
                     "SELECT gpugraph_config('%s', %s)", refused[i].setting,
                     refused[i].value);
    expect("'auto'|0|'auto'|5|0|4294967296|0",
           "SELECT gpugraph_config('backend'), gpugraph_config('device'), "
           "gpugraph_config('devices'), gpugraph_config('threads'), "
           "gpugraph_config('memory_limit'), gpugraph_config('cache_limit'), "
           "gpugraph_config('progress')");
    /* Device 0, 'auto' and 'all' are allowed on a machine without devices. */
    expect("0|'auto'|'all'", "SELECT gpugraph_config('device', 0), "
                             "gpugraph_config('devices', 'auto'), "
                             "gpugraph_config('devices', 'all')");
}
END_TEST

START_TEST(an_unknown_setting_is_told_which_there_are) {
    expect_error(
        "gpugraph_config",
        "there is no setting 'thread'; there are 'backend', 'device', 'devices', "
        "'threads', 'memory_limit', 'host_memory_limit', 'cache_limit', 'progress', "
        "'time_limit_ms', 'refuse'",
        "SELECT gpugraph_config('thread')");
    expect_error("gpugraph_config", "no setting 'thread'",
                 "SELECT gpugraph_config('thread', 2)");
    expect_error("gpugraph_config", "no setting NULL", "SELECT gpugraph_config(NULL)");
    expect_error("gpugraph_config", "no setting '5'", "SELECT gpugraph_config(5)");
}
END_TEST

START_TEST(functions_that_change_anything_can_be_refused) {
    expect("'gpugraph_save,gpugraph_delete_vertex'",
           "SELECT gpugraph_config('refuse', ' GPUGRAPH_SAVE, gpugraph_delete_vertex,"
           "gpugraph_save')");
    run("CREATE TABLE e(src, dst); INSERT INTO e VALUES (1, 2);"
        "CREATE VIRTUAL TABLE g USING gpugraph(e, persist = 1)");
    expect_error("gpugraph_save", "its setting 'refuse' lists this function",
                 "SELECT gpugraph_save('g')");
    expect_error("gpugraph_delete_vertex", "does not allow calls that change anything",
                 "SELECT gpugraph_delete_vertex('g', 1)");
    expect("1", "SELECT count(*) FROM e");
    expect("''|1",
           "SELECT gpugraph_config('refuse', ''), gpugraph_delete_vertex('g', 1)");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("SELECT gpugraph_config('refuse', 'gpugraph_config')");
    expect_error("gpugraph_config", "its setting 'refuse' lists this function",
                 "SELECT gpugraph_config('refuse', NULL)");
    expect_error("gpugraph_config", "its setting 'refuse' lists this function",
                 "SELECT gpugraph_config('threads', 3)");
    expect("0|'gpugraph_config'",
           "SELECT gpugraph_config('threads'), gpugraph_config('refuse')");
    expect("0", "SELECT gpugraph_delete_vertex('g', 1)");
}
END_TEST

/* 4,000 searches, each of 4,000 vertices, take longer than 1 ms on any machine. */
START_TEST(a_call_ends_at_its_time_limit) {
    static const char many[] =
        "SELECT count(*) FROM gpu_matrix('e', (SELECT json_group_array(src) FROM e)) "
        "WHERE method = 'rows'";
    run("CREATE TABLE e(src INTEGER, dst INTEGER, weight REAL);"
        "INSERT INTO e WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c "
        "LIMIT 4000) SELECT x, (x + 1) %% 4000, 0.5 FROM c");
    run("SELECT gpugraph_config('threads', 1), gpugraph_config('time_limit_ms', 1)");
    expect_error("gpu_matrix",
                 "the call has taken longer than the 1 ms that the setting "
                 "'time_limit_ms' allows",
                 many);
    run("SELECT gpugraph_config('time_limit_ms', 0)");
    expect("16000000", many);
}
END_TEST

/* ---- devices ---- */

START_TEST(devices_are_those_that_there_are) {
    a_machine_with(1);
    expect("'cuda'", "SELECT gpugraph_config('backend', 'cuda')");
    expect("'0'|'all'|'auto'", "SELECT gpugraph_config('devices', '0'), "
                               "gpugraph_config('devices', 'all'), "
                               "gpugraph_config('devices', 'auto')");
    expect_error("gpugraph_config",
                 "device cannot be 7 here: there is 1 CUDA device, with the id 0",
                 "SELECT gpugraph_config('device', 7)");
    expect_error("gpugraph_config",
                 "devices cannot be '0,1' here: there is 1 CUDA device",
                 "SELECT gpugraph_config('devices', '0,1')");
    sql_close();
    a_machine_with(3);
    expect("'2,0'|2", "SELECT gpugraph_config('devices', ' 2 , 0 '), "
                      "gpugraph_config('device')");
    expect("'1'|1", "SELECT gpugraph_config('devices', 1), gpugraph_config('device')");
    expect_error(
        "gpugraph_config",
        "devices cannot be '0,3' here: there are 3 CUDA devices, with the ids 0 to 2",
        "SELECT gpugraph_config('devices', '0,3')");
    static const char *const lists[] = {"",    ",",   "0,",          ",0",    "0,,1",
                                        "0 1", "0,0", "-1",          "0.5",   "0;1",
                                        "a",   "0x1", "99999999999", "auto,0"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        expect_error("gpugraph_config", "each once, separated by commas, not ",
                     "SELECT gpugraph_config('devices', %Q)", lists[i]);
    expect("'1'|1", "SELECT gpugraph_config('devices'), gpugraph_config('device')");
    sql_close();
    a_machine_with(16);
    expect("'15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0'",
           "SELECT gpugraph_config('devices', '15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0')");
    expect_error("gpugraph_config", "devices takes",
                 "SELECT gpugraph_config('devices', "
                 "'15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0,16')");
    sql_close();
}
END_TEST

START_TEST(the_first_device_and_the_list_agree) {
    a_machine_with(3);
    expect("'2,0'|2",
           "SELECT gpugraph_config('devices', '2,0'), gpugraph_config('device')");
    expect("2|'2,0'", "SELECT gpugraph_config('device', 2), gpugraph_config('devices')");
    expect("1|'auto'", "SELECT gpugraph_config('device', 1), gpugraph_config('devices')");
    expect("'all'|1",
           "SELECT gpugraph_config('devices', 'all'), gpugraph_config('device')");
    expect("0|'all'",
           "SELECT gpugraph_config('device', NULL), gpugraph_config('devices')");
    run("SELECT gpugraph_config('devices', '1,2');"
        "CREATE TABLE saved AS SELECT name, value FROM gpugraph_settings;"
        "SELECT gpugraph_config('devices', '0')");
    run("SELECT gpugraph_config(name, value) FROM saved");
    expect_same("SELECT name, value FROM gpugraph_settings", "SELECT * FROM saved");
    sql_close();
}
END_TEST

const struct suite suite = {
    "settings",
    {{"settings", .timeout = 60, .setup = without_devices, .teardown = sql_close,
      .cases = {{&every_setting_has_a_default_and_a_meaning},
                {&a_setting_is_read_where_it_was_set},
                {&settings_can_be_saved_and_set_again},
                {&names_of_settings_and_words_ignore_case},
                {&numbers_may_be_whole_reals_or_texts},
                {&threads_says_how_many_there_are_now},
                {&values_that_cannot_hold_are_refused},
                {&an_unknown_setting_is_told_which_there_are},
                {&functions_that_change_anything_can_be_refused},
                {&a_call_ends_at_its_time_limit}}},
     {"machines", .cases = {{&devices_are_those_that_there_are},
                            {&the_first_device_and_the_list_agree}}}},
};
