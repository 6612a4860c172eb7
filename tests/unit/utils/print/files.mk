check_PROGRAMS += %D%/test_brief_name %D%/test_json %D%/test_text

%C%_test_json_SOURCES = %D%/test_json.c
%C%_test_json_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_json_LDADD = $(SUMMARY) -lm

%C%_test_text_SOURCES = %D%/test_text.c
%C%_test_text_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_text_LDADD = $(SUMMARY) -lm

%C%_test_brief_name_SOURCES = %D%/test_brief_name.c
%C%_test_brief_name_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_brief_name_LDADD = $(SUMMARY) -lm
