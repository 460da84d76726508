/* Contracts of apps/runtime/components.h: which components a process takes, and what is refused in
 * which words. GPUs are emulated. */
#include "apps/lbm/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CASE "steps = 1; domain = { cells = [4, 4, 4]; }; lbm = { tau = 0.6; };\n"

/* What this process alone takes, by an input file of a case and this text; line 2 is its first. */
static wabe_status choose(const char *text, wabe_components *out) {
    char file[4096];
    wabe_config *config = NULL;
    wabe_lbm_options options;
    wabe_lbm_case lbm_case;
    const wabe_option_table tables[] = {{wabe_run_option_rows, &options.run},
                                        {wabe_run_case_rows, &options.run},
                                        {wabe_lbm_option_rows, &options}};
    snprintf(file, sizeof file, "%s%s", CASE, text);
    wabe_devices_emulate(0);
    if (wabe_config_parse("case.cfg", file, 0, NULL, &config) != WABE_OK ||
        wabe_config_read(config, 3, tables) != WABE_OK ||
        wabe_lbm_case_make(config, &options, &lbm_case) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    const wabe_node_options node = wabe_run_node(&options.run);
    const wabe_status status = wabe_components_choose(MPI_COMM_SELF, config, &node, out);
    wabe_lbm_case_free(&lbm_case);
    wabe_config_destroy(&config);
    return status;
}

static void takes(const char *text, wabe_components *out) {
    if (choose(text, out) != WABE_OK)
        fail_msg("%s", wabe_error_message());
}

/* The message has all of the texts, which NULL ends. */
static void refuses(const char *text, ...) {
    wabe_components c;
    va_list wanted;
    assert_int_equal(choose(text, &c), WABE_INPUT);
    va_start(wanted, text);
    for (const char *part; (part = va_arg(wanted, const char *)) != NULL;)
        if (!strstr(wabe_error_message(), part))
            fail_msg("\"%s\" is not in: %s", part, wabe_error_message());
    va_end(wanted);
}

static void is_gpu(const wabe_component *c, int index) {
    char id[32];
    snprintf(id, sizeof id, "emulated:%d", index);
    assert_non_null(c->device);
    assert_string_equal(wabe_device_describe(c->device)->id, id);
    assert_int_equal(c->instruction_set, WABE_INSTRUCTION_SET_cuda);
}

/* ---- what is taken ------------------------------------------------------------------ */

static void what_is_found_is_gpus_and_the_processors(void **state) {
    (void)state;
    wabe_components c;
    takes("node = { emulated_gpus = 2; }; parallel = { mode = \"heterogeneous\"; threads = 3; };\n",
          &c);
    assert_int_equal(c.count, 3);
    is_gpu(&c.list[0], 0);
    is_gpu(&c.list[1], 1);
    assert_null(c.list[2].device);
    assert_int_equal(c.list[2].threads, 3);
}

static void modes_take_one_kind_or_one_component(void **state) {
    (void)state;
    wabe_components c;
    takes("node = { emulated_gpus = 2; }; parallel = { mode = \"hybrid\"; };\n", &c);
    assert_int_equal(c.count, 2);
    is_gpu(&c.list[1], 1);
    takes("node = { emulated_gpus = 2; }; parallel = { mode = \"pure-mpi\"; };\n", &c);
    assert_int_equal(c.count, 1);
    is_gpu(&c.list[0], 0);
    takes("node = { components = ({ kind = \"cpu\"; threads = 2; }, { kind = \"cpu\"; }); };\n"
          "parallel = { mode = \"hybrid\"; };\n",
          &c);
    assert_int_equal(c.count, 2);
}

/* GPUs come first; each kind keeps its order. */
static void components_keep_what_is_said_of_them(void **state) {
    (void)state;
    wabe_components c;
    takes("node = { emulated_gpus = 2; components = (\n"
          "  { kind = \"cpu\"; threads = 2; planes = 3; },\n"
          "  { kind = \"gpu\"; device = 1; planes = 4; },\n"
          "  { kind = \"gpu\"; device = 0; planes = 5; },\n"
          "  { kind = \"cpu\"; threads = 1; planes = 6; }); };\n"
          "parallel = { mode = \"heterogeneous\"; balance = \"explicit\"; };\n",
          &c);
    static const char *const names[] = {"gpu1", "gpu0", "cpu0", "cpu1"};
    static const int planes[] = {4, 5, 3, 6};
    assert_int_equal(c.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(c.list[i].name, names[i]);
        assert_int_equal(c.planes[i], planes[i]);
    }
    is_gpu(&c.list[0], 1);
    is_gpu(&c.list[1], 0);
    assert_int_equal(c.list[2].first_thread, 0);
    assert_int_equal(c.list[3].first_thread, 2);
}

static void each_core_has_a_thread_unless_said_otherwise(void **state) {
    (void)state;
    wabe_components c;
    takes("node = { components = ({ kind = \"cpu\"; cores = \"0-0\"; }); };\n", &c);
    assert_int_equal(c.list[0].threads, 1);
    assert_int_equal(c.list[0].core_count, 1);
    assert_int_equal(c.list[0].cores[0], 0);
    takes("node = { components = ({ kind = \"cpu\"; cores = \"0\"; threads = 3; }); };\n", &c);
    assert_int_equal(c.list[0].threads, 3);
    assert_int_equal(c.list[0].core_count, 1);
}

/* ---- what is refused ---------------------------------------------------------------- */

static void cores_are_given_out_once(void **state) {
    (void)state;
    refuses("node = { components = ({ kind = \"cpu\"; cores = \"0\"; },\n"
            "{ kind = \"cpu\"; cores = \"2,0-1\"; }); };\n",
            "case.cfg:3: 'node.components[1].cores'", "gives core 0 out twice: cpu0 has it",
            "3 | { kind = \"cpu\"; cores = \"2,0-1\"; }", NULL);
}

static void lists_of_cores_are_numbers_and_ranges(void **state) {
    (void)state;
    static const char *const lists[] = {"a",    "0-",  "-1",    "3-1",  "0,,1",   "0,", "0;1",
                                        "0-1a", "0 1", "0-1-2", "1-,2", "0-1024", " "};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char text[256], quoted[64];
        snprintf(text, sizeof text,
                 "node = {\n components = (\n  { kind = \"cpu\";\n    cores = \"%s\"; }); };\n",
                 lists[i]);
        snprintf(quoted, sizeof quoted, "a list of cores that is none: \"%s\"", lists[i]);
        refuses(text, "case.cfg:5: 'node.components[0].cores'", quoted, "write \"0-7\"", NULL);
    }
}

static void cores_must_be_there(void **state) {
    (void)state;
    refuses("node = { components = ({ kind = \"cpu\"; cores = \"1000\"; }); };\n",
            "names core 1000, which this process may not use", NULL);
}

static void gpus_must_be_there(void **state) {
    (void)state;
    refuses("node = { emulated_gpus = 2; components = (\n{ kind = \"gpu\"; device = 2; }); };\n",
            "case.cfg:3: 'node.components[0].device'",
            "asks for GPU 2, but there are GPUs 0 to 1 alone",
            "3 | { kind = \"gpu\"; device = 2; }", NULL);
    const char *why;
    wabe_devices_emulate(0);
    if (wabe_devices_count(&why) == 0)
        refuses("node = { components = (\n{ kind = \"gpu\"; device = 0; }); };\n",
                "case.cfg:3: 'node.components[0].device'",
                "asks for GPU 0, but there is none: ", why, NULL);
}

static void gpus_are_given_out_once(void **state) {
    (void)state;
    refuses("node = { emulated_gpus = 2; components = ({ kind = \"gpu\"; device = 1; },\n"
            "{ kind = \"cpu\"; },\n"
            "{ kind = \"gpu\"; device = 1; }); };\n",
            "case.cfg:4: 'node.components[2].device'", "gives GPU 1 out twice: gpu1 has it", NULL);
}

static void a_process_has_so_many_components_at_most(void **state) {
    (void)state;
    char text[2048] = "node = {\n components = ({ kind = \"cpu\"; threads = 1; }";
    for (int i = 1; i <= WABE_SLABS_MAX; i++)
        strcat(text, ",\n{ kind = \"cpu\"; threads = 1; }");
    strcat(text, "); };\n");
    refuses(text, "case.cfg:3: 'node.components'", "has more than 16 components", NULL);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_gpus_and_the_processors),
        cmocka_unit_test(modes_take_one_kind_or_one_component),
        cmocka_unit_test(components_keep_what_is_said_of_them),
        cmocka_unit_test(cores_are_given_out_once),
        cmocka_unit_test(lists_of_cores_are_numbers_and_ranges),
        cmocka_unit_test(cores_must_be_there),
        cmocka_unit_test(gpus_must_be_there),
        cmocka_unit_test(gpus_are_given_out_once),
        cmocka_unit_test(a_process_has_so_many_components_at_most),
        /* the last: from here on the threads stay on their core */
        cmocka_unit_test(each_core_has_a_thread_unless_said_otherwise),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
