whatif_model = %D%/model.c %D%/model.h $(replay_script)

check_PROGRAMS += %D%/test_compositing %D%/test_model %D%/test_changes %D%/test_search
%C%_test_model_LDADD = $(WHATIF)
%C%_test_changes_LDADD = $(WHATIF)
%C%_test_search_LDADD = $(WHATIF)
%C%_test_model_SOURCES = %D%/test_model.c $(whatif_model)
%C%_test_changes_SOURCES = %D%/test_changes.c $(whatif_model)
%C%_test_search_SOURCES = %D%/test_search.c $(whatif_model)
%C%_test_compositing_LDADD = $(WHATIF)
%C%_test_compositing_SOURCES = %D%/test_compositing.c $(whatif_model)
