CORE_SOURCES += %D%/alias.c %D%/alias.h %D%/caller.h %D%/branch.h %D%/quirks.c %D%/quirks.h %D%/recipe.c \
	%D%/recipe.h %D%/known_modules.c %D%/known_modules.h %D%/stubs.c %D%/stubs.h %D%/unwind.c %D%/unwind.h \
	%D%/walk_memory.h
