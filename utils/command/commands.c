/* The table of subcommands.  See command.h. */
#include "command/command.h"

#define TAKES(...)                                                                             \
    (const enum option_id[])                                                                   \
    {                                                                                          \
        __VA_ARGS__, OPTION_HELP                                                               \
    }

const struct command commands[] = {
    {"run", "[-n N] [LAUNCHER-OPTION... --] PROGRAM [ARGUMENT...]",
     "Start a program under the right mpirun with the runtime preloaded",
     "The launcher is TSPROF_MPIRUN, or else the one for the MPI library that the\n"
     "program is linked with; the runtime is chosen likewise. Options that follow\n"
     "`-n N`, up to `--`, are the launcher's; without any, `--` may be left out.\n",
     NULL, OPERANDS_PROGRAM, cmd_run},
    {"exec", "PROGRAM [ARGUMENT...]", "Start a program with the runtime preloaded",
     "To be used after any launcher, so that only the ranks are measured:\n"
     "    mpirun -n 4 tsprof exec ./app          srun tsprof exec ./app\n"
     "The runtime is TSPROF_LIB, or else the one for the program's MPI or, if the\n"
     "program names none, the launcher's.\n"
     "The exit status is that of the program, 127 if it or the runtime is not found,\n"
     "126 if it cannot be started.\n",
     NULL, OPERANDS_PROGRAM, cmd_exec},
    {"config", "", "Show every variable, its value and where it comes from", NULL, NULL,
     OPERANDS_NONE, cmd_config},
    {"info", "[FILE] [OPTION...]", "Show what a summary holds and how it was measured",
     "The exit status is 1 if the numbers in the summary do not add up. --top N lists\n"
     "the errors of clustering for N metrics. Without FILE it is the newest summary in\n"
     "this directory. --format json writes facts, sizes, phases, errors, costs and\n"
     "notes for scripts.\n",
     TAKES(OPTION_FORMAT_LIST, OPTION_RANK, OPTION_THREAD, OPTION_TOP), OPERANDS_NEWEST,
     cmd_info},
    {"list", "[DIR|FILE] [OPTION...]", "List the summaries of a directory, newest first",
     "Without DIR it is this directory; directories below are not looked at. FILE is\n"
     "listed alone, whatever its name ends in. Of each summary there are the name, the\n"
     "program, when it began, its ranks, its wall time, the share of MPI in the time\n"
     "of all threads, how many iterations the first rank had, and the share of what\n"
     "measuring cost (tsprof info). Files that cannot be read are named, the others\n"
     "listed; the exit status is 1 then.\n"
     "    --format csv    file,program,start,ranks,threads,time,mpi,iterations,\n"
     "                    overhead,state; times in seconds, shares of 1\n"
     "    --format json   the same rows in one document\n",
     TAKES(OPTION_FORMAT_TABLE), OPERANDS_NEWEST, cmd_list},
    {"report", "[FILE] [OPTION...]", "Show where the time went, and when",
     "What stands out and why, the time by metrics, the iterations as a graph, the\n"
     "slowest of them and the hottest call paths. With --phase or --iterations the\n"
     "tables are sums over those iterations, otherwise of the whole run.\n"
     "FILE may also be the directory of parts that a job left or is still writing.\n"
     "Without FILE it is the newest summary in this directory.\n"
     "--callpath takes names as exports and the report show them, joined by ; or by\n"
     "\" > \"; the last of them are enough; or a pattern with * and ?. --top N makes\n"
     "lists N long. --threshold NAME=N says from where on communication stands out:\n"
     "severity, dominating, star, slaves, overload in %, frequent in us, big in MB,\n"
     "uneven. doc/report.md says what everything means.\n"
     "    tsprof report run.tsprof --iterations 900-999 --rank 0-3\n"
     "    tsprof report run.tsprof --metric bytes_sent --sort imbalance\n"
     "    tsprof report run.tsprof --callpath \"solve;MPI_Allreduce\"\n"
     "--flat lists functions over all call paths, and those of MPI with their calls,\n"
     "mean times and bytes; --callers NAME who calls a function, up to main.\n"
     "    tsprof report run.tsprof --flat --rank 0\n"
     "    tsprof report run.tsprof --callers MPI_Allreduce\n"
     "--format json writes what stands out, for scripts.\n"
     "    tsprof report run.tsprof --format json\n",
     TAKES(OPTION_PHASE, OPTION_ITERATION, OPTION_ITERATIONS, OPTION_RANK, OPTION_THREAD,
           OPTION_CALLPATH, OPTION_ONE_METRIC, OPTION_SORT, OPTION_COLOR_WHEN, OPTION_TOP,
           OPTION_FORMAT_LIST, OPTION_THRESHOLD, OPTION_MASTER, OPTION_FLAT, OPTION_CALLERS,
           OPTION_FULL_NAMES),
     OPERANDS_NEWEST, cmd_report},
    {"plot", "FILE --kind KIND -o OUT.svg|OUT.png|OUT.pdf [OPTION...]",
     "Draw a metric over iterations and ranks",
     "graph      over iterations: maximum, mean (or median) and minimum of the ranks\n"
     "map        iterations by ranks, the value as a colour\n"
     "breakdown  the parts of the metric over iterations, stacked; --scale share for\n"
     "           shares of 100 %\n"
     "ranks      by rank: maximum, mean (or median) and minimum of the iterations, or\n"
     "           with --total the value in the whole run\n"
     "topology   ranks where they are in a Cartesian grid, the value as a colour\n"
     "If there are more iterations or ranks than the picture has room for, several are\n"
     "shown as one, by --statistic; the picture says how many. Without -o an SVG goes\n"
     "to standard output. doc/plot.md shows examples.\n",
     TAKES(OPTION_FORMAT_PICTURE, OPTION_OUTPUT, OPTION_FORCE, OPTION_TOTAL, OPTION_PHASE,
           OPTION_ITERATION, OPTION_ITERATIONS, OPTION_RANK, OPTION_THREAD, OPTION_CALLPATH,
           OPTION_ONE_METRIC, OPTION_KIND, OPTION_STATISTIC, OPTION_COLOR_SCALE, OPTION_SCALE,
           OPTION_TOPOLOGY, OPTION_SIZE),
     OPERANDS_FILES, cmd_plot},
    {"suggest", "[FILE] [OPTION...]", "Show which iterations are worth a trace",
     "A typical iteration of each large group that is alike, those that stand out, the\n"
     "borders of steps and both ends of drifts, with the reason for each and the size\n"
     "of its events. The last line is the setting that keeps them in another run:\n"
     "    TSPROF_TRACE=timestep:12,100-101\n"
     "Without --phase they are of the phase whose iterations take most time. --top N\n"
     "shows N instead of 8. Without FILE it is the newest summary in this directory.\n",
     TAKES(OPTION_FORMAT_LIST, OPTION_PHASE, OPTION_ITERATION, OPTION_ITERATIONS, OPTION_RANK,
           OPTION_THREAD, OPTION_TOP),
     OPERANDS_NEWEST, cmd_suggest},
    {"score", "[FILE] [OPTION...]",
     "Show what instrumenting functions costs, and make it cheap",
     "Visits, time, the cost of measuring and the size of a trace, by type of region:\n"
     "    USR      instrumented functions (compiled with -finstrument-functions)\n"
     "    COM      those on a path to MPI\n"
     "    MPI      functions of MPI\n"
     "    PHASE    marked phases\n"
     "    SAMPLED  all others, whose visits are not known\n"
     "and by function. A visit costs what the runtime measured, or NS by --cost.\n"
     "-o FILTER writes a filter that brings the cost of instrumented functions below\n"
     "--share on every thread, for TSPROF_FILTER and Score-P. It hides first what\n"
     "takes least time for each visit, and COM only if it must; the text says what.\n"
     "--top N lists N functions. Without FILE it is the newest summary here.\n"
     "    tsprof score run.tsprof --share 0.5% -o run.filter\n"
     "    --format csv    type,function,visits,time,cost,share,trace_bytes,\n"
     "                    most_trace_bytes,hidden; times in seconds\n"
     "    --format json   the same rows in one document\n"
     "doc/score.md says what the numbers are.\n",
     TAKES(OPTION_FORMAT_TABLE, OPTION_OUTPUT, OPTION_FORCE, OPTION_TOP, OPTION_SHARE,
           OPTION_COST),
     OPERANDS_NEWEST, cmd_score},
    {"waits", "TRACE -o OUT [--with RUN] [OPTION...]", "Find out from a trace why ranks wait",
     "TRACE is an OTF2 archive, NAME.otf2, or the summary NAME.tsprof beside one, as\n"
     "TSPROF_TRACE leaves them. OUT is a summary of what was traced, in which the time\n"
     "of MPI calls is told apart into waiting and the rest; report, plot, export and\n"
     "the other commands show it like any other.\n"
     "--with puts all that into RUN, the summary of the whole run that was traced:\n"
     "iterations that were traced are seen with their waiting, beside all others.\n"
     "--pattern adds a pattern of yours: a shared object, FILE.so, made with\n"
     "tsprof_pattern.h, or a class of Python, FILE.py or FILE.py:CLASS. It runs in a\n"
     "process of its own. If it fails it is left out, and the exit status is 1.\n"
     "doc/waits.md says what each kind of waiting is, doc/patterns/README.md how to\n"
     "write a pattern.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_WITH, OPTION_MASTER, OPTION_PATTERN,
           OPTION_TIMEOUT, OPTION_THREADS),
     OPERANDS_FILES, cmd_waits},
    {"whatif", "TRACE QUESTION... [OPTION...]",
     "Predict how long a run would have taken if something were different",
     "TRACE is an OTF2 archive, NAME.otf2, or the summary NAME.tsprof beside one. The\n"
     "run is simulated with its network; computation takes as long as it was measured.\n"
     "Questions, which can be combined:\n"
     "    zero-wait CALLPATH[@RANK][#N]  its partner comes in time, for all its calls\n"
     "                       or the Nth of each rank, counted from 0; zero-wait all\n"
     "    balance WHERE      all ranks take the mean time there in each step, that is\n"
     "                       in each iteration, or each time that they come there\n"
     "    balance-bytes WHERE  all ranks send the mean number of bytes there\n"
     "    scale REGION=F     it takes F times as long, with all that it calls\n"
     "    zero REGION        it takes nothing; calls of MPI in it are not made\n"
     "    network L=2us,o=,g=,G=,S=,s=  another network; S=0 makes all sends wait\n"
     "    best               what gains most: single changes, and one after the other\n"
     "    bound REGION       a lower bound for any program that does the same; a\n"
     "                       summary without a trace is enough\n"
     "WHERE is a REGION, PHASE:12,100-109 or iterations. CALLPATH is names joined by\n"
     "\";\", of which the last are enough. With -o, OUT is the predicted run as a trace.\n"
     "doc/whatif.md says what is assumed.\n",
     TAKES(OPTION_FORMAT_LIST, OPTION_OUTPUT, OPTION_FORCE, OPTION_NETWORK, OPTION_TOP),
     OPERANDS_FILES, cmd_whatif},
    {"export", "FILE --what WHAT [--format FORMAT] [OPTION...]",
     "Write what a summary holds for scripts and other tools",
     "iterations  phase,iteration,rank,metric,value\n"
     "            totals of each iteration, inclusive over metrics and call paths;\n"
     "            metrics that are zero in the whole run have no rows\n"
     "callpaths   phase,iteration,rank,callpath,metric,value\n"
     "            exclusive over call paths, inclusive over metrics, zeros left out\n"
     "paths       callpath,parent,region,file,line\n"
     "            call paths by number: the region that each ends in, and its parent\n"
     "functions   function,rank,metric,self,total,largest\n"
     "            functions over all call paths, of the whole run or with --phase or\n"
     "            --iteration of iterations (their mean, with --sum their sum); total:\n"
     "            with what they call; largest: in an iteration of a thread\n"
     "callers     callers,rank,metric,self,total\n"
     "            the same by those that call them: function;caller;caller of that\n"
     "clusters    phase,rank,iteration,cluster,class\n"
     "            of one thread of each rank, the first that has iterations of the\n"
     "            phase; empty cluster and class where the profile was lost\n"
     "presence    phase,iteration,rank,callpath,least,most\n"
     "            call paths that occurred in some iterations of a cluster only: in\n"
     "            which share of them, at least and at most\n"
     "largest     phase,iteration,rank,thread,callpath,metric,value\n"
     "            the largest time of each call path in an iteration, exactly, and\n"
     "            the first iteration that had it, whatever its cluster shows\n"
     "regions     region,kind,file,line,module,group\n"
     "topologies  topology,name,kind,member,rank,coordinates\n"
     "waits       rank,thread,callpath,metric,cause_rank,cause_thread,\n"
     "            count,time,longest\n"
     "causes      rank,thread,callpath,metric,cause_rank,cause_thread,\n"
     "            cause,indirect,time\n"
     "instances   metric,rank,thread,phase,iteration,callpath,begin,time,\n"
     "            cause_rank,cause_thread,cause,cause_begin\n"
     "Times are in seconds; values of an iteration are the mean of its cluster,\n"
     "those of a rank the sum over its threads, or over those that --thread chooses.\n"
     "--paths numbered writes the numbers of the table paths for call paths, which\n"
     "keeps tables small where names are long.\n"
     "    --format csv    one line for each row (the default)\n"
     "    --format json   one document: {\"what\", \"columns\", \"rows\": [{column: value}]}\n"
     "    --format folded  stacks for flamegraph.pl, of the whole run or iterations;\n"
     "                    of one metric, the default is time\n"
     "    --format speedscope    the same for https://www.speedscope.app\n"
     "    --format cubex  the summary as a CUBE 4 profile for CubeGUI and Scalasca: no\n"
     "                    --what, but -o OUT.cubex. --iterations clusters (default:\n"
     "                    CUBE's tools show iterations), nodes or sum\n"
     "    --format perfetto  the events of a trace, for https://ui.perfetto.dev and\n"
     "                    chrome://tracing: of NAME.otf2, or of the summary beside\n"
     "doc/exports.md, doc/cube.md and doc/traces.md describe the formats.\n",
     TAKES(OPTION_WHAT, OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_TOTAL, OPTION_PATHS,
           OPTION_PHASE, OPTION_ITERATION, OPTION_MINUS, OPTION_MINUS_ITERATION,
           OPTION_MINUS_RANK, OPTION_SUM, OPTION_ITERATIONS_HOW, OPTION_RANK, OPTION_THREAD,
           OPTION_METRIC),
     OPERANDS_FILES, cmd_export},
    {"html", "FILE [--trace [TRACE]] [-o OUT]", "Make a page that shows a run in any browser",
     "One file that holds the whole summary and needs neither a server nor a network.\n"
     "FILE may be the directory of parts that a job left or is still writing.\n"
     "--trace puts a time line of each iteration of a trace into it: of TRACE, an\n"
     "OTF2 archive, or of NAME.otf2 beside FILE, which is NAME.tsprof then.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_TRACE), OPERANDS_FILES, cmd_html},
    {"compare", "A B [--format csv] [OPTION...]",
     "Show how much summary B differs from A, of the same run or another",
     "A is the reference, so it should have been measured with TSPROF_CLUSTERS=0; B is\n"
     "compressed, or another measurement. What both have is compared: phases,\n"
     "iterations, ranks, threads. Errors are relative to the largest value in A.\n"
     "    --format csv    phase,figure,group,metric,value; shares, so 1 is 100 %\n"
     "iteration_mean, _max          mean error of the mean and the maximum over ranks\n"
     "iteration_rms, _worst         root mean square and largest error of one thread\n"
     "callpath_mean, _worst         mean and largest error of call paths that are not\n"
     "                              zero in A or not in B, exclusive\n"
     "callpath_over_0, _over_0.00001 ... _over_0.1, callpath_reaching_1\n"
     "                              share of call paths with a larger error\n"
     "phantom_paths, missing_paths  share of an iteration's call paths that only B,\n"
     "                              only A has\n"
     "phantom_paths_stated          those that B says itself did not occur\n"
     "compared, only_in_a, only_in_b    what could be compared and what could not\n"
     "doc/compression.md defines them all.\n",
     TAKES(OPTION_FORMAT_CSV, OPTION_PHASE, OPTION_ITERATION, OPTION_RANK, OPTION_THREAD,
           OPTION_METRIC),
     OPERANDS_FILES, cmd_compare},
    {"diff", "A [B] [OPTION...]", "Subtract one run or range of iterations from another",
     "A minus B. --minus-iteration and --minus-rank choose what is subtracted: a part\n"
     "of B or, without B, of A. Call paths are matched by name. Prints tables, or with\n"
     "-o writes a summary, which report, info and export read; its values may be\n"
     "negative.\n"
     "    tsprof diff before.tsprof after.tsprof\n"
     "    tsprof diff run.tsprof --iteration 900-999 --minus-iteration 0-99\n"
     "doc/algebra.md says how runs are put together.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_PHASE, OPTION_ITERATION, OPTION_MINUS_ITERATION,
           OPTION_MINUS_RANK, OPTION_SUM, OPTION_RANK, OPTION_THREAD, OPTION_METRIC,
           OPTION_TOP),
     OPERANDS_FILES, cmd_diff},
    {"mean", "FILE... [-o OUT] [OPTION...]", "Average runs, or the iterations of a run",
     "Of several files the mean; of each file the whole run, or the mean of its\n"
     "iterations if --phase or --iteration is given. Prints tables, or with -o writes\n"
     "a summary, which report, info and export read.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_PHASE, OPTION_ITERATION, OPTION_SUM, OPTION_RANK,
           OPTION_THREAD, OPTION_METRIC, OPTION_TOP),
     OPERANDS_FILES, cmd_mean},
    {"join", "FILE FILE... -o OUT [OPTION...]", "Put metrics of several runs into one summary",
     "Each metric comes from the first file that has it. This joins, for example,\n"
     "counters that cannot be counted in one run.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_PHASE, OPTION_ITERATION, OPTION_SUM, OPTION_RANK,
           OPTION_THREAD),
     OPERANDS_FILES, cmd_join},
    {"compress", "FILE --clusters N -o OUT [OPTION...]",
     "Cluster a summary that holds every iteration",
     "FILE was measured with TSPROF_CLUSTERS=0; OUT is what TSPROF_CLUSTERS=N would\n"
     "have left of the same run. An existing file is not replaced without --force.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_CLUSTERS, OPTION_CLUSTERING, OPTION_EQUIVALENCE),
     OPERANDS_FILES, cmd_compress},
    {"merge", "DIR|PART... [-o OUT] [--remove]",
     "Rebuild a summary from what a killed or running job left",
     "While a job runs each of its processes keeps what it has measured in a part, a\n"
     "file in a directory NAME.KEY.parts beside the summary or in TSPROF_TMPDIR. A job\n"
     "that ends normally removes them. For one that does not, this command makes the\n"
     "summary: all that was finished up to a second before the end, and a note of what\n"
     "is missing. DIR is such a directory, or one that contains it; directories of\n"
     "several hosts can be named together.\n"
     "OUT is by default the name that the summary would have had; a file is replaced\n"
     "with --force only. If the job kept events of chosen iterations (TSPROF_TRACE),\n"
     "they are written into an OTF2 archive beside OUT, NAME.otf2 beside NAME.tsprof.\n"
     "The parts stay, unless --remove is given. tsprof report, info and export take\n"
     "DIR as well, without leaving a file, also while the job runs.\n"
     "The exit status is 1 if nothing could be read or written. Damaged parts are left\n"
     "out with a message, and the exit status is 0.\n",
     TAKES(OPTION_OUTPUT, OPTION_FORCE, OPTION_REMOVE), OPERANDS_FILES, cmd_merge},
};

const size_t command_count = sizeof commands / sizeof commands[0];
