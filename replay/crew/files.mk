REPLAY_SOURCES += %D%/crew.c %D%/crew.h %D%/crew_causes.h %D%/crew_delays.c %D%/crew_path.c %D%/crew_unite.c %D%/family.c %D%/family.h \
	%D%/share.c %D%/share.h %D%/team.c %D%/team.h
