/* Questions as words, and parameters of networks as text. */
#include "predict/parameters.h"
#include "predict/question.h"
#include "tap.h"

#include <string.h>

static bool reads(struct questions *questions, struct error *error, const char *one,
                  const char *two, const char *three, const char *four)
{
    const char *const words[] = {one, two, three, four};
    size_t count = 0;
    while (count < 4 && words[count])
        count++;
    return questions_read(words, count, questions, error);
}

/* The question in words, as it is told again. */
static void check(const char *word, const char *argument, const char *told)
{
    struct questions questions;
    struct error error = {""};
    struct text text = {0};
    const bool good = reads(&questions, &error, word, argument, NULL, NULL);
    if (good)
        question_add_text(&questions.list[0], &text);
    OK(good && strcmp(text_string(&text), told) == 0, "%s", told);
    text_free(&text);
    questions_free(&questions);
}

static void refuse(const char *one, const char *two, const char *three, const char *four,
                   const char *why)
{
    struct questions questions;
    struct error error = {""};
    OK(!reads(&questions, &error, one, two, three, four) && strstr(error.text, why),
       "refused: %s %s: %s", one, two ? two : "", error.text);
    questions_free(&questions);
}

static void test_read(void)
{
    struct questions questions;
    struct error error;
    check("zero-wait", "all", "zero-wait all");
    check("zero-wait", "main;MPI_Recv@3#17", "zero-wait main;MPI_Recv@3#17");
    check("zero-wait", "MPI_Recv#0", "zero-wait MPI_Recv#0");
    check("scale", "operator==(int)=0.25", "scale operator==(int)=0.25");
    check("scale solve=2", NULL, "scale solve=2");
    check("balance", "step:3,5-7", "balance step:3,5-7");
    check("network", "L=2us,S=0", "network L=2us,S=0");
    check("best", NULL, "best");
    OK(reads(&questions, &error, "best", "zero", "solve", NULL) && questions.count == 2,
       "several one after the other");
    OK(questions_find(&questions, ASK_ZERO) && !questions_find(&questions, ASK_BOUND),
       "one is found by its kind");
    questions_free(&questions);
}

static void test_refused(void)
{
    refuse("faster", NULL, NULL, NULL, "no such question");
    refuse("zero", NULL, NULL, NULL, "is missing");
    refuse("zero-wait", "MPI_Recv@x", NULL, NULL, "is not CALLPATH");
    refuse("zero-wait", "MPI_Recv#", NULL, NULL, "is not CALLPATH");
    refuse("zero-wait", "@1", NULL, NULL, "is not CALLPATH");
    refuse("scale", "solve=-1", NULL, NULL, "is not REGION=FACTOR");
    refuse("scale", "solve=", NULL, NULL, "is not REGION=FACTOR");
    refuse("scale", "=2", NULL, NULL, "is not REGION=FACTOR");
    refuse("scale", "solve=nan", NULL, NULL, "is not REGION=FACTOR");
    refuse("scale", "a=2", "zero", "a", "contradict");
    refuse("balance", "a", "zero", "a", "contradict");
    refuse("scale", "a=2", "scale", "a=3", "contradict");
    refuse("bound", "a", "best", NULL, "no other question");
}

static void test_parameters(void)
{
    struct whatif_network network = {1, 2, 3, 4, 5, 6};
    struct error error = {""};
    OK(parameters_read("L=2us, G=0.5ns S=64k", &network, &error), "parameters are read");
    EQ_INT(network.latency_ns, 2000, "a time has a unit");
    EQ_INT(network.byte_ns * 10, 5, "or a fraction of one");
    EQ_INT(network.synchronous_bytes, 65536, "a length has one, too");
    EQ_INT(network.overhead_ns, 2, "what is not named stays");
    OK(parameters_read("L=1e-6,s=inf", &network, &error) && network.latency_ns > 999 &&
           network.latency_ns < 1001,
       "without a unit they are seconds");
    OK(network.packet_bytes == WHATIF_NO_SIZE, "a length may have no end");
    static const char *const wrong[] = {"L",      "L=",    "X=1us",   "L=1us,L=2us",
                                        "S=2us",  "L=1k",  "S=-1",    "L=-1us",
                                        "S=inf5", "L=nan", "L=1e300s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        OK(!parameters_read(wrong[i], &network, &error), "refused: %s", wrong[i]);
}

int main(void)
{
    test_read();
    test_refused();
    test_parameters();
    return tap_done();
}
