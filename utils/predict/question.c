/* See question.h. */
#include "predict/question.h"

#include <stdlib.h>
#include <string.h>

/* How each question is asked. */
static const struct {
    const char *word, *argument; /* argument: NULL if it takes none */
} forms[QUESTION_KINDS] = {
    [ASK_ZERO_WAIT] = {"zero-wait", "CALLPATH[@RANK][#N] or all"},
    [ASK_BALANCE] = {"balance", "a REGION, a PHASE:LIST or iterations"},
    [ASK_BALANCE_BYTES] = {"balance-bytes", "a REGION, a PHASE:LIST or iterations"},
    [ASK_SCALE] = {"scale", "REGION=FACTOR"},
    [ASK_ZERO] = {"zero", "a REGION"},
    [ASK_NETWORK] = {"network", "parameters such as L=2us,G=0.1ns"},
    [ASK_BOUND] = {"bound", "a REGION"},
    [ASK_BEST] = {"best", NULL},
};

static char *copy(const char *text, size_t length)
{
    char *made = allocate(length + 1, 1);
    memcpy(made, text, length);
    return made;
}

static enum question_kind kind_of(const char *word, size_t length)
{
    size_t i = 0;
    while (i < QUESTION_KINDS &&
           (strlen(forms[i].word) != length || strncmp(forms[i].word, word, length) != 0))
        i++;
    return (enum question_kind)i;
}

static bool unknown(const char *word, struct error *error)
{
    struct text known = {0};
    const char *names[QUESTION_KINDS];
    for (size_t i = 0; i < QUESTION_KINDS; i++)
        names[i] = forms[i].word;
    text_add_list(&known, names, QUESTION_KINDS, "and");
    error_set(error, "%s: no such question; there are %s", word, text_string(&known));
    text_free(&known);
    return false;
}

/* Cuts SIGN and the whole number behind it from the end of WHERE; LARGEST if there is none. */
static bool cut_number(char *where, char sign, uint64_t largest, uint64_t *number)
{
    char *at = strrchr(where, sign), *end;
    *number = UINT64_MAX;
    if (!at)
        return true;
    if (at[1] < '0' || at[1] > '9')
        return false;
    *number = strtoull(at + 1, &end, 10);
    if (*end || *number >= largest)
        return false;
    *at = '\0';
    return true;
}

/* CALLPATH[@RANK][#N] */
static bool read_zero_wait(struct question *question)
{
    uint64_t rank;
    if (!cut_number(question->where, '#', UINT64_MAX, &question->ordinal) ||
        !cut_number(question->where, '@', UINT32_MAX, &rank))
        return false;
    question->rank = (uint32_t)rank;
    return question->where[0] != '\0';
}

/* REGION=FACTOR */
static bool read_scale(struct question *question)
{
    char *sign = strrchr(question->where, '='), *end;
    if (!sign || sign == question->where)
        return false;
    question->factor = strtod(sign + 1, &end);
    *sign = '\0';
    return end != sign + 1 && *end == '\0' && question->factor >= 0 && question->factor < 1e6;
}

static bool read_argument(struct question *question, const char *argument, struct error *error)
{
    if (!argument || !argument[0])
        return error_set(error, "%s: %s is missing", forms[question->kind].word,
                         forms[question->kind].argument);
    question->argument = argument;
    question->where = copy(argument, strlen(argument));
    const bool good = question->kind == ASK_ZERO_WAIT ? read_zero_wait(question)
                      : question->kind == ASK_SCALE   ? read_scale(question)
                                                      : true;
    return good || error_set(error, "%s %s: is not %s", forms[question->kind].word, argument,
                             forms[question->kind].argument);
}

/* A question is two words, or one with a blank in it. */
static bool read_one(const char *const *words, size_t count, size_t *at,
                     struct question *question, struct error *error)
{
    const char *word = words[(*at)++];
    const char *blank = strchr(word, ' ');
    const size_t length = blank ? (size_t)(blank - word) : strlen(word);
    *question = (struct question){
        .kind = kind_of(word, length), .rank = UINT32_MAX, .ordinal = UINT64_MAX, .factor = 1};
    if (question->kind == QUESTION_KINDS)
        return unknown(word, error);
    if (!forms[question->kind].argument)
        return true;
    return read_argument(question,
                         blank         ? blank + 1
                         : *at < count ? words[(*at)++]
                                       : NULL,
                         error);
}

static bool says_how_long(enum question_kind kind)
{
    return kind == ASK_SCALE || kind == ASK_ZERO || kind == ASK_BALANCE;
}

/* Two questions about how long the same takes, or about the same network. */
static bool contradict(const struct question *one, const struct question *other)
{
    if (one->kind == ASK_NETWORK && other->kind == ASK_NETWORK)
        return true;
    if (!one->where || !other->where || strcmp(one->where, other->where) != 0)
        return false;
    const bool removes = one->kind == ASK_ZERO || other->kind == ASK_ZERO;
    if (one->kind == other->kind)
        return one->kind == ASK_SCALE && one->factor != other->factor;
    return removes && says_how_long(one->kind) && says_how_long(other->kind);
}

static bool add_up(const struct questions *questions, struct error *error)
{
    for (size_t i = 0; i < questions->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct question *one = &questions->list[j], *other = &questions->list[i];
            if (contradict(one, other))
                return error_set(error, "%s %s and %s %s contradict each other",
                                 forms[one->kind].word, one->argument, forms[other->kind].word,
                                 other->argument);
        }
    if (questions_find(questions, ASK_BOUND) && questions->count > 1)
        return error_set(error, "bound is about any program that does the same, so that it "
                                "goes with no other question");
    return true;
}

bool questions_read(const char *const *words, size_t count, struct questions *questions,
                    struct error *error)
{
    *questions = (struct questions){allocate(count + 1, sizeof *questions->list), 0};
    size_t at = 0;
    while (at < count)
        if (!read_one(words, count, &at, &questions->list[questions->count++], error))
            return false;
    if (questions->count == 0)
        return error_set(error, "a question is missing");
    return add_up(questions, error);
}

void questions_free(struct questions *questions)
{
    for (size_t i = 0; i < questions->count; i++)
        free(questions->list[i].where);
    free(questions->list);
    *questions = (struct questions){0};
}

const struct question *questions_find(const struct questions *questions,
                                      enum question_kind kind)
{
    for (size_t i = 0; i < questions->count; i++)
        if (questions->list[i].kind == kind)
            return &questions->list[i];
    return NULL;
}

void question_add_text(const struct question *question, struct text *text)
{
    text_add(text, forms[question->kind].word);
    if (!question->where)
        return;
    text_add(text, " ");
    text_add_escaped(text, question->where);
    if (question->rank != UINT32_MAX)
        text_addf(text, "@%u", question->rank);
    if (question->ordinal != UINT64_MAX)
        text_addf(text, "#%ju", (uintmax_t)question->ordinal);
    if (question->kind == ASK_SCALE)
        text_addf(text, "=%g", question->factor);
}
