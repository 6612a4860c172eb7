check_PROGRAMS += \
	%D%/test_codec \
	%D%/test_filter \
	%D%/test_index \
	%D%/test_iteration_spec \
	%D%/test_metrics \
	%D%/test_settings \
	%D%/test_trace_spec \
	%D%/test_wildcard
%C%_test_codec_LDADD = $(COMMON)
%C%_test_filter_LDADD = $(COMMON)
%C%_test_index_LDADD = $(COMMON)
%C%_test_iteration_spec_LDADD = $(COMMON)
%C%_test_metrics_LDADD = $(COMMON)
%C%_test_settings_LDADD = $(COMMON)
%C%_test_trace_spec_LDADD = $(COMMON)
%C%_test_wildcard_LDADD = $(COMMON)
