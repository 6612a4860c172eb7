# Tests of the command's rooms, as utils/ has them, and what makes summaries for them.
summary_maker = %D%/summary_maker.c %D%/summary_maker.h
summary_reading = %D%/summary_reading.c %D%/summary_reading.h

include $(srcdir)/utils/print/files.mk
include $(srcdir)/utils/statistics/files.mk
include $(srcdir)/utils/file/files.mk
include $(srcdir)/utils/openmp/files.mk
include $(srcdir)/utils/accuracy/files.mk
include $(srcdir)/utils/parts/files.mk
include $(srcdir)/utils/algebra/files.mk
include $(srcdir)/utils/compare/files.mk
include $(srcdir)/utils/findings/files.mk
include $(srcdir)/utils/suggest/files.mk
include $(srcdir)/utils/score/files.mk
include $(srcdir)/utils/query/files.mk
include $(srcdir)/utils/plot/files.mk
include $(srcdir)/utils/archive/files.mk
include $(srcdir)/utils/clocks/files.mk
include $(srcdir)/utils/cubex/files.mk
include $(srcdir)/utils/launch/files.mk
include $(srcdir)/utils/plugins/files.mk
include $(srcdir)/utils/waits/files.mk
include $(srcdir)/utils/predict/files.mk
