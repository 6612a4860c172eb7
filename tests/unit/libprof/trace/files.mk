check_PROGRAMS += %D%/test_chunk_file
%C%_test_chunk_file_SOURCES = %D%/test_chunk_file.c libprof/alone.h
%C%_test_chunk_file_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_objects
%C%_test_objects_SOURCES = %D%/test_objects.c libprof/alone.h
%C%_test_objects_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_record
%C%_test_record_SOURCES = %D%/test_record.c libprof/alone.h
%C%_test_record_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_recorder
%C%_test_recorder_SOURCES = %D%/test_recorder.c libprof/alone.h
%C%_test_recorder_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_novelty
%C%_test_novelty_SOURCES = %D%/test_novelty.c
%C%_test_novelty_LDADD = $(RUNTIME)
