libsummary_la_SOURCES += %D%/corrections.c %D%/corrections.h %D%/event_streams.c %D%/event_streams.h %D%/event_record.h %D%/held.c %D%/held.h %D%/read_ahead.c %D%/read_ahead.h %D%/messages.c %D%/messages.h
libcommand_la_SOURCES += %D%/archive.h %D%/archive_path.c %D%/trace.c %D%/trace.h
if HAVE_OTF2
libcommand_la_SOURCES += %D%/otf2_definitions.c %D%/otf2_events.c %D%/otf2_files.c %D%/otf2_locations.c %D%/otf2_moved.c %D%/otf2_reader.c %D%/otf2_windows.c %D%/otf2_reader.h %D%/otf2_grids.c %D%/otf2_grids.h
else
libcommand_la_SOURCES += %D%/otf2_missing.c
endif
