/* Counted memory.  See account.h. */
#include "compress/account.h"

void *account_take(struct account *account, size_t bytes)
{
    void *memory = account->source.allocate(account->source.context, bytes);
    if (memory)
        account->held += bytes;
    return memory;
}

void account_give_back(struct account *account, void *memory, size_t bytes)
{
    if (!memory)
        return;
    account->source.release(account->source.context, memory, bytes);
    account->held -= bytes;
}

void account_pause(const struct account *account)
{
    if (account->pause)
        account->pause(account->pause_context);
}
