libcommand_la_SOURCES += %D%/page.c %D%/page.h
# The page, which page/ makes first.
if HAVE_PAGE
%D%/page.lo: $(PAGE_FILE)
endif
