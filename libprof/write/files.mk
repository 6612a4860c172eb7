CORE_SOURCES += %D%/output.c %D%/output.h %D%/placement.c %D%/placement.h %D%/usage.c \
	%D%/usage.h %D%/zstd.c %D%/zstd.h
MPI_SOURCES += %D%/agree.c %D%/agree.h %D%/describe.c %D%/describe.h %D%/merge.c %D%/merge.h \
	%D%/publish.c %D%/publish.h %D%/team.c %D%/team.h
