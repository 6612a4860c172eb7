check_PROGRAMS += test_json test_text

test_json_SOURCES = %D%/test_json.c
test_json_CPPFLAGS = $(UTILS_CPPFLAGS)
test_json_LDADD = $(SUMMARY) -lm

test_text_SOURCES = %D%/test_text.c
test_text_CPPFLAGS = $(UTILS_CPPFLAGS)
test_text_LDADD = $(SUMMARY) -lm
