libsummary_la_SOURCES += %D%/bounds.c %D%/bounds.h %D%/parameters.c %D%/parameters.h %D%/question.c %D%/question.h
libcommand_la_SOURCES += %D%/answer.h %D%/answer_json.c %D%/answer_notes.c %D%/answer_text.c %D%/apply.c \
	%D%/apply.h %D%/best.c %D%/best.h %D%/candidates.c %D%/candidates.h %D%/chosen.c %D%/chosen.h %D%/gains.c %D%/gains.h %D%/ideal.c %D%/ideal.h \
	%D%/predict.c %D%/predict.h %D%/study.c %D%/study.h %D%/summary_bounds.c %D%/summary_bounds.h \
	%D%/trace_bounds.c %D%/trace_bounds.h %D%/write_trace.c %D%/write_trace.h
