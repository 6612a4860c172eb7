CORE_SOURCES += %D%/in_step.c %D%/in_step.h %D%/jumps.c %D%/jumps.h %D%/limit.h %D%/poisson.h %D%/sample.h %D%/sampler.c %D%/sampler.h \
	%D%/timer.c %D%/timer.h
