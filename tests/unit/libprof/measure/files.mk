check_PROGRAMS += \
	%D%/test_requests
%C%_test_requests_LDADD = $(RUNTIME)

if HAVE_TSAN
check_PROGRAMS += %D%/test_requests_races
%C%_test_requests_races_SOURCES = %D%/test_requests.c
%C%_test_requests_races_CFLAGS = $(TSAN_CFLAGS)
%C%_test_requests_races_LDFLAGS = -fsanitize=thread
%C%_test_requests_races_LDADD = $(TSAN_RUNTIME)
endif
