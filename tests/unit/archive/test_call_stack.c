/*
 * What is open in a thread's events: functions are entered no earlier than they were seen and
 * left no later than they were last seen, unless they tell themselves.
 */
#include "archive/call_stack.h"

#include "tests/unit/tap.h"

#include <string.h>

enum { LOG_BYTES = 512 };

/* "+2@7": region 2 is entered at 7; "-": left. */
static char written[LOG_BYTES];

static void note(char sign, OTF2_TimeStamp time, OTF2_RegionRef region)
{
    const size_t length = strlen(written);
    snprintf(written + length, sizeof written - length, "%s%c%u@%u", length ? " " : "", sign,
             (unsigned)region, (unsigned)time);
}

static OTF2_ErrorCode enter(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                            OTF2_TimeStamp time, OTF2_RegionRef region)
{
    (void)writer, (void)attributes;
    note('+', time, region);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode leave(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                            OTF2_TimeStamp time, OTF2_RegionRef region)
{
    (void)writer, (void)attributes;
    note('-', time, region);
    return OTF2_SUCCESS;
}

static const struct otf2 recorder = {.EvtWriter_Enter = enter, .EvtWriter_Leave = leave};
static const struct time_line same_time;

/* Functions: main (1) calls solve (2), which calls send (3), and write (4).  Nodes are numbered
 * as their regions are; 9 is what a loop is shown as. */
enum { ROOT, MAIN, SOLVE, SEND, WRITE, NODES, LOOP = 9 };
static struct program_node nodes[NODES] = {{ROOT, 0, 0, 0},
                                           {ROOT, MAIN, 0, 1},
                                           {MAIN, SOLVE, 0, 2},
                                           {SOLVE, SEND, 0, 3},
                                           {MAIN, WRITE, 0, 2}};
static const struct program program = {.nodes = nodes, .node_count = NODES};

struct made {
    struct call_stack stack;
    struct out out;
};

static void begin(struct made *made)
{
    written[0] = '\0';
    made->out = (struct out){
        .otf2 = &recorder, .time_line = &same_time, .written = {.first = UINT64_MAX}};
    call_stack_begin(&made->stack, &program);
}

static void end(struct made *made, const char *wanted, const char *what)
{
    OK(!call_stack_free(&made->stack), "%s: there was memory", what);
    OK(strcmp(written, wanted) == 0, "%s: %s", what, written);
}

static void test_entered_when_seen_left_when_last_seen(void)
{
    struct made made;
    begin(&made);
    call_stack_go(&made.stack, &made.out, 10, SEND);
    call_stack_seen(&made.stack, 14);
    call_stack_go(&made.stack, &made.out, 20, SEND);
    call_stack_go(&made.stack, &made.out, 30, WRITE);
    call_stack_leave_all(&made.stack, &made.out, 40);
    end(&made, "+1@10 +2@10 +3@10 -3@20 -2@20 +4@30 -4@40 -1@40",
        "between calls nothing is known");
}

static void test_a_sample_ends_and_begins_nothing(void)
{
    struct made made;
    begin(&made);
    call_stack_go(&made.stack, &made.out, 10, SEND);
    call_stack_meet(&made.stack, &made.out, 15, SOLVE);
    call_stack_meet(&made.stack, &made.out, 20, WRITE);
    call_stack_leave_all(&made.stack, &made.out, 25);
    end(&made, "+1@10 +2@10 +3@10 -3@10 -2@15 -1@25", "samples");
}

static void test_those_that_tell_are_exact(void)
{
    struct made made;
    begin(&made);
    call_stack_enter(&made.stack, &made.out, 10, MAIN);
    call_stack_enter(&made.stack, &made.out, 12, SOLVE);
    call_stack_go(&made.stack, &made.out, 15, SEND);
    call_stack_leave(&made.stack, &made.out, 20, SOLVE);
    call_stack_leave(&made.stack, &made.out, 22, SOLVE);
    call_stack_leave(&made.stack, &made.out, 30, MAIN);
    end(&made, "+1@10 +2@12 +3@15 -3@15 -2@20 -1@30", "functions that tell");
}

/* As by longjmp: what is in it and tells is left then, too. */
static void test_all_that_is_in_it_is_left(void)
{
    struct made made;
    begin(&made);
    call_stack_enter(&made.stack, &made.out, 10, MAIN);
    call_stack_enter(&made.stack, &made.out, 11, SOLVE);
    call_stack_enter(&made.stack, &made.out, 12, SEND);
    call_stack_leave(&made.stack, &made.out, 20, MAIN);
    end(&made, "+1@10 +2@11 +3@12 -3@20 -2@20 -1@20", "left from inside");
}

static void test_passes_of_a_loop(void)
{
    struct made made;
    begin(&made);
    call_stack_begin_loop(&made.stack, &made.out, 10, MAIN, LOOP, 0);
    call_stack_name(&made.stack, 0);
    call_stack_go(&made.stack, &made.out, 12, SEND);
    call_stack_end(&made.stack, &made.out, 20, 0);
    call_stack_end(&made.stack, &made.out, 21, 0);
    call_stack_leave_all(&made.stack, &made.out, 30);
    end(&made, "+1@10 +9@10 +2@12 +3@12 -3@12 -2@12 -9@20 -1@30",
        "a pass lasts from its beginning to its end");
}

int main(void)
{
    test_entered_when_seen_left_when_last_seen();
    test_a_sample_ends_and_begins_nothing();
    test_those_that_tell_are_exact();
    test_all_that_is_in_it_is_left();
    test_passes_of_a_loop();
    return tap_done();
}
