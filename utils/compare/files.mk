libsummary_la_SOURCES += %D%/compare.c %D%/compare.h %D%/compare_csv.c \
	%D%/compare_iterations.c %D%/compare_paths.c %D%/compare_text.c %D%/joint.c \
	%D%/joint.h %D%/joint_paths.c %D%/loaded.c %D%/loaded.h
