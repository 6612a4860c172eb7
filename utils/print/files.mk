libsummary_la_SOURCES += %D%/base64.c %D%/base64.h %D%/brief_name.c %D%/brief_name.h \
	%D%/complaint.c %D%/complaint.h %D%/csv.c \
	%D%/csv.h %D%/json.c %D%/json.h %D%/number.c %D%/number.h %D%/output_file.c %D%/output_file.h \
	%D%/print.h %D%/rank_list.c %D%/rank_list.h %D%/table.c %D%/table.h %D%/text.c \
	%D%/text.h
