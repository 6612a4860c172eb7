check_PROGRAMS += %D%/test_elf_needed

%C%_test_elf_needed_SOURCES = %D%/test_elf_needed.c
%C%_test_elf_needed_CPPFLAGS = $(UTILS_CPPFLAGS)
%C%_test_elf_needed_LDADD = $(SUMMARY) -lm
