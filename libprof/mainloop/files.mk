CORE_SOURCES += %D%/candidate.c %D%/candidate.h %D%/doubt.c %D%/doubt.h %D%/found.c \
	%D%/found.h %D%/loop_code.c %D%/loop_code.h %D%/mainloop.h %D%/named.c %D%/named.h \
	%D%/preference.c %D%/preference.h %D%/search.c %D%/search.h %D%/search_cost.c \
	%D%/search_cost.h %D%/slice_list.c %D%/slice_list.h %D%/slices.c %D%/slices.h \
	%D%/view.c %D%/view.h
