# Not installed: doc/man is made by it.
noinst_PROGRAMS = make_manual
make_manual_SOURCES = %D%/command_page.c %D%/completion.h %D%/completion_bash.c \
	%D%/completion_zsh.c %D%/make_manual.c %D%/manual.h %D%/roff.c %D%/roff.h \
	%D%/template_page.c
make_manual_LDADD = libcommand.la
