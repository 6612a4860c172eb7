CORE_SOURCES += %D%/output.c %D%/output.h %D%/placement.c %D%/placement.h %D%/used_paths.c \
	%D%/used_paths.h %D%/zstd.c %D%/zstd.h
MPI_SOURCES += %D%/shown_loops.c %D%/shown_loops.h %D%/describe.c %D%/describe.h %D%/merge.c %D%/merge.h \
	%D%/publish.c %D%/publish.h %D%/rank_tree.c %D%/rank_tree.h
