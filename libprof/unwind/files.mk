CORE_SOURCES += %D%/alias.c %D%/alias.h %D%/branch.h %D%/caller.h %D%/kept.c %D%/kept.h %D%/known_modules.c \
	%D%/known_modules.h %D%/nearby.h %D%/quirks.c %D%/quirks.h %D%/recipe.c %D%/recipe.h %D%/stubs.c %D%/stubs.h \
	%D%/unwind.h %D%/walk_memory.h %D%/walker.c %D%/walker.h
