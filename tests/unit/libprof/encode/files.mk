check_PROGRAMS += \
	%D%/test_output_name
%C%_test_output_name_LDADD = $(RUNTIME)

check_PROGRAMS += %D%/test_location
%C%_test_location_SOURCES = %D%/test_location.c $(timed_thread) $(read_back)
%C%_test_location_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_location_LDADD = $(RUNTIME) $(SUMMARY)

check_PROGRAMS += %D%/test_taken_away
%C%_test_taken_away_SOURCES = %D%/test_taken_away.c $(timed_thread)
%C%_test_taken_away_LDADD = $(RUNTIME)
