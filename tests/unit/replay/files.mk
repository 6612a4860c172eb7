replay_script = %D%/script.c %D%/script.h

check_PROGRAMS += %D%/test_causes %D%/test_crew %D%/test_hostile %D%/test_master %D%/test_neighbors %D%/test_refill %D%/test_waits %D%/test_windows
%C%_test_causes_LDADD = $(REPLAY)
%C%_test_hostile_LDADD = $(REPLAY)
%C%_test_master_LDADD = $(REPLAY)
%C%_test_master_SOURCES = %D%/test_master.c $(replay_script)
%C%_test_neighbors_LDADD = $(REPLAY)
%C%_test_refill_LDADD = $(REPLAY)
%C%_test_waits_LDADD = $(REPLAY)
%C%_test_windows_LDADD = $(REPLAY)
%C%_test_causes_SOURCES = %D%/test_causes.c $(replay_script)
%C%_test_hostile_SOURCES = %D%/test_hostile.c $(replay_script)
%C%_test_waits_SOURCES = %D%/test_waits.c $(replay_script)
%C%_test_windows_SOURCES = %D%/test_windows.c $(replay_script)
%C%_test_crew_LDADD = $(REPLAY) -lpthread
%C%_test_crew_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_test_crew_SOURCES = %D%/test_crew.c %D%/failing.c %D%/failing.h %D%/threads_team.c %D%/threads_team.h $(replay_script)
