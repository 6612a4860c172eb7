/* What an answer cannot tell.  See answer.h. */
#include "predict/answer.h"

static void say(answer_noter *call, void *context, struct text *text)
{
    call(context, text_string(text));
    text_free(text);
}

static void note_fit(const struct answer *answer, answer_noter *call, void *context)
{
    const double measured = (double)answer->measured.ns,
                 unchanged = (double)answer->unchanged.ns;
    const double off = measured > 0 ? unchanged / measured - 1 : 0;
    struct text text = {0};
    if (off <= ANSWER_FIT && off >= -ANSWER_FIT)
        return;
    text_addf(&text,
              "the model does not fit this run: unchanged it is predicted to take %.1f %% %s "
              "than it took",
              100 * (off < 0 ? -off : off), off < 0 ? "less" : "more");
    say(call, context, &text);
}

static void note_paused(const struct whatif_facts *facts, answer_noter *call, void *context)
{
    char number[QUANTITY_SIZE];
    struct text text = {0};
    if (facts->paused_ns == 0)
        return;
    text_addf(&text,
              "recording was off for %s, added up over the ranks: what happened then is not "
              "known, so that it is kept as it was, and no change in it is predicted",
              format_quantity(number, (long double)facts->paused_ns * 1e-9L, "s"));
    say(call, context, &text);
}

static void note_unmatched(const struct answer *answer, answer_noter *call, void *context)
{
    const struct replay_result *result = &answer->study->result;
    struct text text = {0};
    const uint64_t lost = result->unmatched_sends + result->unmatched_receives;
    if (lost == 0)
        return;
    text_addf(&text,
              "of %ju messages the trace has one end only: whether they are waited for is not "
              "predicted",
              (uintmax_t)lost);
    say(call, context, &text);
}

static void note_clocks(const struct whatif_facts *facts, answer_noter *call, void *context)
{
    struct text text = {0};
    if (facts->contradictions == 0)
        return;
    text_addf(&text,
              "%ju time%s a call ended before what it depends on had begun, as the clocks say: "
              "these dependences are not followed",
              (uintmax_t)facts->contradictions, facts->contradictions == 1 ? "" : "s");
    say(call, context, &text);
}

static void note_left_out(const struct best *best, answer_noter *call, void *context)
{
    struct text text = {0};
    if (best->left_out == 0)
        return;
    text_addf(&text,
              "of %zu changes that might gain something the %zu most promising were tried",
              best->tried + best->left_out, best->tried);
    say(call, context, &text);
}

void answer_note(const struct answer *answer, answer_noter *call, void *context)
{
    if (answer->has_bounds && !answer->bounds.has_waits)
        call(context,
             "waiting is not told apart from transfers here: \"no waiting\" leaves out "
             "both; a trace, or a summary that tsprof waits has made of one, tells");
    if (answer->has_bounds && !answer->bounds.has_bytes)
        call(context, "no bytes are sent there");
    if (!answer->study)
        return;
    const struct whatif_facts facts = whatif_facts(answer->study->whatif);
    if (answer->study->is_cut)
        call(context, answer->study->reason.text);
    note_fit(answer, call, context);
    note_paused(&facts, call, context);
    note_unmatched(answer, call, context);
    note_clocks(&facts, call, context);
    if (answer->has_best)
        note_left_out(&answer->best, call, context);
}
