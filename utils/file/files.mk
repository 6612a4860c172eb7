libsummary_la_SOURCES += %D%/container.c %D%/container.h %D%/decode_definitions.c \
	%D%/decode_definitions.h %D%/decode_location.c %D%/decode_location.h %D%/decode_map.c %D%/decode_map.h \
	%D%/decode_waits.c %D%/decode_waits.h \
	%D%/encode_waits.c %D%/encode_waits.h %D%/wait_table.c %D%/wait_table.h %D%/encode_definitions.c %D%/encode_definitions.h %D%/file.h %D%/read_brief.c %D%/read_brief.h %D%/read_summary.c \
	%D%/read_summary.h %D%/section_reader.c %D%/section_reader.h %D%/summary.c %D%/summary.h \
	%D%/summary_file.c %D%/summary_file.h %D%/topology_list.c %D%/topology_list.h \
	%D%/write_summary.c %D%/write_summary.h %D%/zstd_codec.c %D%/zstd_codec.h
