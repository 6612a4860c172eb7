CORE_SOURCES += %D%/candidate.c %D%/candidate.h %D%/doubt.c %D%/doubt.h %D%/found.c \
	%D%/found.h %D%/loop_code.c %D%/loop_code.h %D%/mainloop.h %D%/named.c %D%/named.h \
	%D%/search.c %D%/search.h %D%/slice_list.c %D%/slice_list.h %D%/slices.c %D%/slices.h
