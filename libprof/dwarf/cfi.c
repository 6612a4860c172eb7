/* See cfi.h. */
#include "dwarf/cfi.h"

#include "arch/arch.h"

#include <stddef.h>

enum { REMEMBERED_MOST = 4, EXPRESSION_DEPTH = 8 };

/*
 * Call-frame instructions, told by their upper two bits, or by the whole byte where those are
 * 0.
 */
enum {
    CFA_HIGH_BITS = 0xc0,
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
    CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f
};

/* The operations of DWARF expressions that compilers and linkers describe frames with. */
enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_SWAP = 0x16,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_MUL = 0x1e,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92
};

enum rule_kind {
    RULE_SAME,
    RULE_UNDEFINED,
    RULE_SAVED,    /* it is saved at CFA + offset */
    RULE_IS,       /* its value is CFA + offset */
    RULE_SAVED_BY, /* it is saved where the expression says */
    RULE_IS_BY,    /* its value is what the expression says */
    RULE_ELSEWHERE /* it is in another register */
};

struct rule {
    enum rule_kind kind;
    union {
        int64_t offset;
        const unsigned char *expression; /* its length, then its operations */
    };
};

/* The registers whose rules are followed. */
enum tracked {
    TRACKED_AUX,
    TRACKED_FP,
    TRACKED_SP,
    TRACKED_RETURN,
    TRACKED_KEPT,
    TRACKED_COUNT = TRACKED_KEPT + ARCH_KEPT_OTHERS
};

struct row {
    struct rule rules[TRACKED_COUNT];
    uint64_t cfa_register;
    int64_t cfa_offset;
    const unsigned char *cfa_expression; /* NULL: register + offset */
    bool signs;                          /* the return address is signed */
};

/* The state while the instructions of an entry run, up to the row for one address. */
struct run {
    const struct frame_entry *entry;
    uintptr_t pc;
    uintptr_t location;
    struct row row;
    struct row initial; /* the row that the common part (CIE) has set */
    struct row remembered[REMEMBERED_MOST];
    unsigned remembered_count;
    bool saves_results;
};

static struct rule *rule_of(struct run *run, struct row *row, uint64_t number)
{
    if (number == run->entry->return_register)
        return &row->rules[TRACKED_RETURN];
    switch (number) {
    case ARCH_DWARF_AUX:
        return &row->rules[TRACKED_AUX];
    case ARCH_DWARF_FP:
        return &row->rules[TRACKED_FP];
    case ARCH_DWARF_SP:
        return &row->rules[TRACKED_SP];
    default:
        return number >= ARCH_DWARF_KEPT && number < ARCH_DWARF_KEPT + ARCH_KEPT_OTHERS
                   ? &row->rules[TRACKED_KEPT + (number - ARCH_DWARF_KEPT)]
                   : NULL;
    }
}

static void set_rule(struct run *run, uint64_t number, enum rule_kind kind, int64_t offset)
{
    struct rule *rule = rule_of(run, &run->row, number);
    if (rule)
        *rule = (struct rule){.kind = kind, .offset = offset};
    /*
     * Only the functions that hand an exception to its handler save the registers for results.
     */
    if (number < ARCH_DWARF_RESULTS && kind == RULE_SAVED)
        run->saves_results = true;
}

static void restore_rule(struct run *run, uint64_t number)
{
    struct rule *rule = rule_of(run, &run->row, number);
    if (rule)
        *rule = *rule_of(run, &run->initial, number);
}

/* Skips a block; returns the address of its length. */
static const unsigned char *skip_block(struct byte_reader *in)
{
    const unsigned char *begin = in->at;
    uint64_t length = read_uleb_async(in);
    if (in->bad || length > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    in->at += length;
    return begin;
}

static void set_expression(struct run *run, struct byte_reader *in, enum rule_kind kind)
{
    struct rule *rule = rule_of(run, &run->row, read_uleb_async(in));
    const unsigned char *expression = skip_block(in);
    if (rule)
        *rule = (struct rule){.kind = kind, .expression = expression};
}

static void define_cfa(struct run *run, uint64_t number, int64_t offset)
{
    run->row.cfa_register = number;
    run->row.cfa_offset = offset;
    run->row.cfa_expression = NULL;
}

static int64_t factored(const struct run *run, int64_t offset)
{
    return (int64_t)((uint64_t)offset * (uint64_t)run->entry->data_alignment);
}

static void advance(struct run *run, uint64_t delta)
{
    run->location += delta * run->entry->code_alignment;
}

static void remember_row(struct run *run, struct byte_reader *in)
{
    if (run->remembered_count == REMEMBERED_MOST)
        in->bad = true;
    else
        run->remembered[run->remembered_count++] = run->row;
}

static void return_to_row(struct run *run, struct byte_reader *in)
{
    if (run->remembered_count == 0)
        in->bad = true;
    else
        run->row = run->remembered[--run->remembered_count];
}

static void step_cfa(struct run *run, struct byte_reader *in, uint8_t code)
{
    uint64_t number;
    switch (code) {
    case CFA_DEF_CFA:
        number = read_uleb_async(in);
        define_cfa(run, number, (int64_t)read_uleb_async(in));
        break;
    case CFA_DEF_CFA_SF:
        number = read_uleb_async(in);
        define_cfa(run, number, factored(run, read_sleb_async(in)));
        break;
    case CFA_DEF_CFA_REGISTER:
        define_cfa(run, read_uleb_async(in), run->row.cfa_offset);
        break;
    case CFA_DEF_CFA_OFFSET:
        define_cfa(run, run->row.cfa_register, (int64_t)read_uleb_async(in));
        break;
    case CFA_DEF_CFA_OFFSET_SF:
        define_cfa(run, run->row.cfa_register, factored(run, read_sleb_async(in)));
        break;
    case CFA_DEF_CFA_EXPRESSION:
        run->row.cfa_expression = skip_block(in);
        break;
    default:
        in->bad = true;
    }
}

static void step_rule(struct run *run, struct byte_reader *in, uint8_t code)
{
    uint64_t number;
    switch (code) {
    case CFA_OFFSET_EXTENDED:
        number = read_uleb_async(in);
        set_rule(run, number, RULE_SAVED, factored(run, (int64_t)read_uleb_async(in)));
        break;
    case CFA_OFFSET_EXTENDED_SF:
        number = read_uleb_async(in);
        set_rule(run, number, RULE_SAVED, factored(run, read_sleb_async(in)));
        break;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        number = read_uleb_async(in);
        set_rule(run, number, RULE_SAVED, factored(run, -(int64_t)read_uleb_async(in)));
        break;
    case CFA_VAL_OFFSET:
        number = read_uleb_async(in);
        set_rule(run, number, RULE_IS, factored(run, (int64_t)read_uleb_async(in)));
        break;
    case CFA_VAL_OFFSET_SF:
        number = read_uleb_async(in);
        set_rule(run, number, RULE_IS, factored(run, read_sleb_async(in)));
        break;
    case CFA_EXPRESSION:
        set_expression(run, in, RULE_SAVED_BY);
        break;
    case CFA_VAL_EXPRESSION:
        set_expression(run, in, RULE_IS_BY);
        break;
    case CFA_RESTORE_EXTENDED:
        restore_rule(run, read_uleb_async(in));
        break;
    case CFA_UNDEFINED:
        set_rule(run, read_uleb_async(in), RULE_UNDEFINED, 0);
        break;
    case CFA_SAME_VALUE:
        set_rule(run, read_uleb_async(in), RULE_SAME, 0);
        break;
    case CFA_REGISTER:
        set_rule(run, read_uleb_async(in), RULE_ELSEWHERE, 0);
        read_uleb_async(in);
        break;
    default:
        step_cfa(run, in, code);
    }
}

static void step(struct run *run, struct byte_reader *in)
{
    uint8_t code = (uint8_t)read_fixed_async(in, 1);
    uint8_t low = code & ~CFA_HIGH_BITS;
    switch (code & CFA_HIGH_BITS ? code & CFA_HIGH_BITS : code) {
    case CFA_ADVANCE_LOC:
        advance(run, low);
        break;
    case CFA_OFFSET:
        set_rule(run, low, RULE_SAVED, factored(run, (int64_t)read_uleb_async(in)));
        break;
    case CFA_RESTORE:
        restore_rule(run, low);
        break;
    case CFA_SET_LOC:
        run->location = read_address_async(in, run->entry->address_encoding, 0);
        break;
    case CFA_ADVANCE_LOC1:
        advance(run, read_fixed_async(in, 1));
        break;
    case CFA_ADVANCE_LOC2:
        advance(run, read_fixed_async(in, 2));
        break;
    case CFA_ADVANCE_LOC4:
        advance(run, read_fixed_async(in, 4));
        break;
    case CFA_REMEMBER_STATE:
        remember_row(run, in);
        break;
    case CFA_RESTORE_STATE:
        return_to_row(run, in);
        break;
    case CFA_AARCH64_NEGATE_RA_STATE:
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
        run->row.signs = !run->row.signs;
        break;
    case CFA_GNU_ARGS_SIZE:
        read_uleb_async(in);
        break;
    case CFA_NOP:
        break;
    default:
        step_rule(run, in, code);
    }
}

/* Runs PROGRAM up to the row for the wanted address. */
static bool run_program(struct run *run, struct byte_reader program)
{
    while (program.at < program.end && !program.bad && run->location <= run->pc)
        step(run, &program);
    return !program.bad;
}

struct stack {
    struct cfi_value values[EXPRESSION_DEPTH];
    unsigned count;
    bool bad;
};

static void push(struct stack *stack, struct cfi_value value)
{
    if (stack->count == EXPRESSION_DEPTH)
        stack->bad = true;
    else
        stack->values[stack->count++] = value;
}

static void push_number(struct stack *stack, int64_t number)
{
    push(stack, (struct cfi_value){CFI_NUMBER, false, number});
}

static struct cfi_value pop(struct stack *stack)
{
    if (stack->count == 0) {
        stack->bad = true;
        return (struct cfi_value){CFI_UNKNOWN, false, 0};
    }
    return stack->values[--stack->count];
}

/* VALUE + NUMBER; unknown if VALUE is a word in memory, since rules cannot express that sum. */
static struct cfi_value moved(struct cfi_value value, int64_t number)
{
    if (value.loaded && number != 0)
        return (struct cfi_value){CFI_UNKNOWN, false, 0};
    value.offset = (int64_t)((uint64_t)value.offset + (uint64_t)number);
    return value;
}

static struct cfi_value register_value(uint64_t number, uintptr_t pc)
{
    int64_t constant;
    switch (number) {
    case ARCH_DWARF_SP:
        return (struct cfi_value){CFI_SP, false, 0};
    case ARCH_DWARF_FP:
        return (struct cfi_value){CFI_FP, false, 0};
    case ARCH_DWARF_AUX:
        return (struct cfi_value){CFI_AUX, false, 0};
    case ARCH_DWARF_PC:
        return (struct cfi_value){CFI_NUMBER, false, (int64_t)pc};
    default:
        return arch_constant_register(number, &constant)
                   ? (struct cfi_value){CFI_NUMBER, false, constant}
                   : (struct cfi_value){CFI_UNKNOWN, false, 0};
    }
}

static int64_t compute(uint8_t code, int64_t a, int64_t b)
{
    switch (code) {
    case OP_AND:
        return a & b;
    case OP_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case OP_OR:
        return a | b;
    case OP_SHL:
        return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
    case OP_EQ:
        return a == b;
    case OP_GE:
        return a >= b;
    case OP_GT:
        return a > b;
    case OP_LE:
        return a <= b;
    case OP_LT:
        return a < b;
    default:
        return a != b;
    }
}

static void operate(struct stack *stack, uint8_t code)
{
    struct cfi_value b = pop(stack), a = pop(stack);
    if (code == OP_PLUS && b.base == CFI_NUMBER)
        push(stack, moved(a, b.offset));
    else if (code == OP_PLUS && a.base == CFI_NUMBER)
        push(stack, moved(b, a.offset));
    else if (code == OP_MINUS && b.base == CFI_NUMBER)
        push(stack, moved(a, -b.offset));
    else if (code != OP_PLUS && code != OP_MINUS && a.base == CFI_NUMBER &&
             b.base == CFI_NUMBER)
        push_number(stack, compute(code, a.offset, b.offset));
    else
        push(stack, (struct cfi_value){CFI_UNKNOWN, false, 0});
}

/*
 * Reads the operand of DW_OP_const1u, const1s, const2u ... const8s, whose codes are in this
 * order.
 */
static int64_t read_constant(struct byte_reader *in, uint8_t code)
{
    unsigned which = code - OP_CONST1U, size = 1u << (which / 2), unused = 64 - 8 * size;
    uint64_t value = read_fixed_async(in, size);
    return which % 2 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

static void evaluate_stack_operation(struct stack *stack, uint8_t code)
{
    struct cfi_value top = pop(stack), second;
    switch (code) {
    case OP_DEREF:
        push(stack,
             (struct cfi_value){top.loaded || top.base == CFI_NUMBER ? CFI_UNKNOWN : top.base,
                                true, top.offset});
        break;
    case OP_DUP:
        push(stack, top);
        push(stack, top);
        break;
    case OP_DROP:
        break;
    case OP_OVER:
        second = pop(stack);
        push(stack, second);
        push(stack, top);
        push(stack, second);
        break;
    default: /* OP_SWAP */
        second = pop(stack);
        push(stack, top);
        push(stack, second);
    }
}

static void evaluate_operation(struct stack *stack, struct byte_reader *in, uintptr_t pc)
{
    uint8_t code = (uint8_t)read_fixed_async(in, 1);
    uint64_t number;
    if (code >= OP_LIT0 && code <= OP_LIT31) {
        push_number(stack, code - OP_LIT0);
    } else if (code >= OP_BREG0 && code <= OP_BREG31) {
        push(stack, moved(register_value(code - OP_BREG0, pc), read_sleb_async(in)));
    } else if (code >= OP_CONST1U && code <= OP_CONST8S) {
        push_number(stack, read_constant(in, code));
    } else {
        switch (code) {
        case OP_BREGX:
            number = read_uleb_async(in);
            push(stack, moved(register_value(number, pc), read_sleb_async(in)));
            break;
        case OP_CONSTU:
            push_number(stack, (int64_t)read_uleb_async(in));
            break;
        case OP_CONSTS:
            push_number(stack, read_sleb_async(in));
            break;
        case OP_PLUS_UCONST:
            push(stack, moved(pop(stack), (int64_t)read_uleb_async(in)));
            break;
        case OP_DEREF:
        case OP_DUP:
        case OP_DROP:
        case OP_OVER:
        case OP_SWAP:
            evaluate_stack_operation(stack, code);
            break;
        case OP_AND:
        case OP_MINUS:
        case OP_MUL:
        case OP_OR:
        case OP_PLUS:
        case OP_SHL:
        case OP_EQ:
        case OP_GE:
        case OP_GT:
        case OP_LE:
        case OP_LT:
        case OP_NE:
            operate(stack, code);
            break;
        default:
            in->bad = true;
        }
    }
}

/*
 * Evaluates EXPRESSION, with FIRST on the stack unless it is NULL.  Its length was checked when
 * its instruction was read.
 */
static struct cfi_value evaluate(const unsigned char *expression, uintptr_t pc,
                                 const struct cfi_value *first)
{
    struct byte_reader in = {.at = expression, .end = expression + 10};
    uint64_t length = read_uleb_async(&in);
    struct stack stack = {.count = 0};
    in.end = in.at + length;
    if (first)
        push(&stack, *first);
    while (in.at < in.end && !in.bad && !stack.bad)
        evaluate_operation(&stack, &in, pc);
    struct cfi_value result = pop(&stack);
    return in.bad || stack.bad ? (struct cfi_value){CFI_UNKNOWN, false, 0} : result;
}

static struct cfi_value cfa_of(const struct row *row, uintptr_t pc)
{
    if (row->cfa_expression)
        return evaluate(row->cfa_expression, pc, NULL);
    return moved(register_value(row->cfa_register, pc), row->cfa_offset);
}

/* The value of one of the caller's registers; SAME is the register's value in this frame. */
static struct cfi_value value_of(const struct rule *rule, struct cfi_value same, uintptr_t pc)
{
    const struct cfi_value cfa = {CFI_CFA, false, 0};
    struct cfi_value value = {CFI_UNKNOWN, false, 0};
    switch (rule->kind) {
    case RULE_SAME:
        return same;
    case RULE_SAVED:
        return (struct cfi_value){CFI_CFA, true, rule->offset};
    case RULE_IS:
        return (struct cfi_value){CFI_CFA, false, rule->offset};
    case RULE_SAVED_BY:
        value = evaluate(rule->expression, pc, &cfa);
        if (value.loaded || value.base == CFI_NUMBER)
            value.base = CFI_UNKNOWN;
        value.loaded = true;
        return value;
    case RULE_IS_BY:
        return evaluate(rule->expression, pc, &cfa);
    default:
        return value;
    }
}

enum cfi_found cfi_find_async(const struct module_image *module, uintptr_t pc,
                              struct cfi_frame *frame)
{
    struct frame_entry entry;
    *frame = (struct cfi_frame){0};
    if (!module->header || !ehframe_find_async(module, pc, &entry))
        return CFI_NONE;
    frame->function = entry.start;
    frame->end = entry.end;
    frame->signal = entry.signal;
    struct run run = {.entry = &entry, .pc = UINTPTR_MAX};
    if (!run_program(&run, entry.initial))
        return CFI_BAD;
    run.initial = run.row;
    run.pc = pc;
    run.location = entry.start;
    if (!run_program(&run, entry.program))
        return CFI_BAD;
    const struct rule *rules = run.row.rules;
    const struct cfi_value unknown = {CFI_UNKNOWN, false, 0};
    frame->throws = run.saves_results;
    frame->signs = run.row.signs;
    frame->outermost = rules[TRACKED_RETURN].kind == RULE_UNDEFINED;
    /* The caller's stack pointer is the CFA unless something says otherwise. */
    frame->cfa = rules[TRACKED_SP].kind == RULE_SAME ? cfa_of(&run.row, pc) : unknown;
    frame->return_address =
        value_of(&rules[TRACKED_RETURN], register_value(entry.return_register, pc), pc);
    frame->aux = value_of(&rules[TRACKED_AUX], (struct cfi_value){CFI_AUX, false, 0}, pc);
    frame->fp = value_of(&rules[TRACKED_FP], (struct cfi_value){CFI_FP, false, 0}, pc);
    for (int i = 0; i < ARCH_KEPT_OTHERS; i++)
        frame->kept[i] =
            value_of(&rules[TRACKED_KEPT + i], (struct cfi_value){CFI_SAME, false, 0}, pc);
    return CFI_FRAME;
}
