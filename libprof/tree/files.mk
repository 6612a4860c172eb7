CORE_SOURCES += %D%/cct.c %D%/cct.h %D%/layout.def %D%/profile.c %D%/profile.h %D%/tree.h \
	%D%/visits.c %D%/visits.h
