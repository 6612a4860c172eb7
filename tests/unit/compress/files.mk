clustering_checks = %D%/clustering_checks.c %D%/clustering_checks.h %D%/clustering_history.c \
	%D%/clustering_history.h %D%/counting_memory.h %D%/random_iterations.h

check_PROGRAMS += \
	%D%/test_clustering \
	%D%/test_clustering_memory \
	%D%/test_clustering_model \
	%D%/test_clustering_promises \
	%D%/test_clustering_room \
	%D%/test_clustering_weights \
	%D%/test_condense \
	%D%/test_equivalence \
	%D%/test_itermap
%C%_test_clustering_LDADD = $(COMPRESS)
%C%_test_clustering_memory_LDADD = $(COMPRESS)
%C%_test_clustering_model_LDADD = $(COMPRESS)
%C%_test_clustering_promises_LDADD = $(COMPRESS)
%C%_test_clustering_room_LDADD = $(COMPRESS)
%C%_test_clustering_weights_LDADD = $(COMPRESS)
%C%_test_condense_LDADD = $(COMPRESS)
%C%_test_equivalence_LDADD = $(COMPRESS)
%C%_test_itermap_LDADD = $(COMPRESS)

%C%_test_clustering_model_SOURCES = %D%/test_clustering_model.c %D%/clustering_model.c \
	%D%/clustering_model.h $(clustering_checks)
%C%_test_clustering_promises_SOURCES = %D%/test_clustering_promises.c $(clustering_checks)

# Not a test itself: ../e2e/offline.py uses it.
noinst_PROGRAMS += %D%/replay
%C%_replay_LDADD = $(COMPRESS)
