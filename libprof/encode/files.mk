CORE_SOURCES += %D%/encode.h %D%/facts.c %D%/facts.h %D%/location.c %D%/location.h \
	%D%/snapshot_profile.c %D%/snapshot_profile.h
