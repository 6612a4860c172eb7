/* See page.h. */
#include "page/page.h"

#include <string.h>

/* In the page, where the data belongs. */
static const char mark[] = "<!--tsprof data-->";

#ifdef TSPROF_PAGE_FILE
__asm__(".pushsection .rodata\n"
        ".local tsprof_page, tsprof_page_end\n"
        "tsprof_page: .incbin \"" TSPROF_PAGE_FILE "\"\n"
        "tsprof_page_end: .byte 0\n"
        ".popsection\n");
extern const char tsprof_page[], tsprof_page_end[];
#else
static const char tsprof_page[1], *const tsprof_page_end = tsprof_page;
#endif

bool page_find(struct page *page)
{
    const char *found = strstr(tsprof_page, mark);
    if (!found)
        return false;
    page->head = tsprof_page;
    page->head_bytes = (size_t)(found - tsprof_page);
    page->tail = found + strlen(mark);
    page->tail_bytes = (size_t)(tsprof_page_end - page->tail);
    return true;
}
