libsummary_la_SOURCES += %D%/bins.c %D%/bins.h %D%/color_scale.c %D%/color_scale.h \
	%D%/plot_colors.c %D%/plot_colors.h %D%/plot_ticks.c %D%/plot_ticks.h %D%/tally.c \
	%D%/tally.h
libcommand_la_SOURCES += %D%/canvas.c %D%/canvas.h %D%/canvas_backend.h %D%/canvas_svg.c \
	%D%/plot.c %D%/plot.h %D%/plot_bar.c %D%/plot_bar.h %D%/plot_breakdown.c %D%/plot_frame.c \
	%D%/plot_frame.h %D%/plot_graph.c %D%/plot_kinds.c %D%/plot_lines.c %D%/plot_lines.h %D%/plot_map.c \
	%D%/plot_parts.def %D%/plot_ranks.c %D%/plot_ranks.h %D%/plot_topology.c %D%/png.c \
	%D%/png.h
if HAVE_CAIRO
libcommand_la_SOURCES += %D%/canvas_cairo.c
else
libcommand_la_SOURCES += %D%/canvas_missing.c
endif
