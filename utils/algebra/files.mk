libsummary_la_SOURCES += %D%/algebra.h %D%/combine.c %D%/combine.h %D%/derive.c %D%/derive.h \
	%D%/derived_text.c %D%/derived_text.h %D%/operands.c %D%/operands.h %D%/recluster.c \
	%D%/recluster.h
