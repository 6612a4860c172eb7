# What the runtime writes, the command reads.
check_PROGRAMS += \
	%D%/test_topologies \
	%D%/test_undefined
%C%_test_topologies_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_topologies_LDADD = $(RUNTIME) $(SUMMARY)
%C%_test_undefined_LDADD = $(RUNTIME)
