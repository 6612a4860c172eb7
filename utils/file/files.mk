libsummary_la_SOURCES += %D%/container.c %D%/container.h %D%/encode_definitions.c \
	%D%/encode_definitions.h %D%/file.h %D%/read_summary.c %D%/summary.h %D%/summary_file.c \
	%D%/summary_file.h %D%/topology_list.c %D%/topology_list.h %D%/write_summary.c \
	%D%/write_summary.h %D%/zstd_codec.c %D%/zstd_codec.h
