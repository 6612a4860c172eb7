CORE_SOURCES += %D%/encode.h %D%/facts.c %D%/facts.h %D%/location.c %D%/location.h \
	%D%/output_name.c %D%/output_name.h %D%/run_names.c %D%/run_names.h \
	%D%/presence.c %D%/presence.h %D%/resident.c %D%/resident.h %D%/processor_facts.c %D%/processor_facts.h \
	%D%/snapshot_profile.c %D%/snapshot_profile.h %D%/stall_facts.c %D%/stall_facts.h \
	%D%/taken_away.c %D%/taken_away.h
