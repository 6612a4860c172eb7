CORE_SOURCES += %D%/jumps.c %D%/jumps.h %D%/poisson.h %D%/sample.h %D%/sampler.c %D%/sampler.h \
	%D%/timer.c %D%/timer.h
