libsummary_la_SOURCES += %D%/cubex.h %D%/tar.c %D%/tar.h
if HAVE_LIBXML
libcommand_la_SOURCES += %D%/cubex.c %D%/cubex_anchor.c %D%/cubex_data.c %D%/cubex_file.h \
	%D%/cubex_metrics.c %D%/cubex_metrics.def %D%/cubex_metrics.h %D%/cubex_program.c \
	%D%/cubex_roles.c %D%/cubex_roles.h %D%/cubex_series.c %D%/cubex_series.h \
	%D%/cubex_system.c %D%/cubex_tree.c %D%/cubex_tree.h %D%/cubex_xml.c %D%/cubex_xml.h
else
libcommand_la_SOURCES += %D%/cubex_missing.c
endif
