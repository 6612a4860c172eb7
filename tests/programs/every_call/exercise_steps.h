/*
 * exercise_steps.h: what the rows of exercise.def do around their calls: ways to prepare one,
 * to complete and to undo it, by kind of call.
 *
 * Everyone sends to the right neighbour and receives from the left one.
 */
#ifndef EXERCISE_STEPS_H
#define EXERCISE_STEPS_H

#include "exercise.h"

/* Point to point */
static void post_receive(void)
{
    MPI_Irecv(in, ROOM, MPI_INT, left, TAG, world, &requests[0]);
}

static void post_send(int count)
{
    MPI_Isend(out, count, MPI_INT, right, TAG, world, &requests[1]);
}

static void complete(void)
{
    MPI_Waitall(2, requests, statuses);
}

static void receive(void)
{
    MPI_Recv(in, ROOM, MPI_INT, left, TAG, world, &status);
    complete();
}

static void receive_for_status(int count)
{
    post_send(count);
    receive();
}

static void persistent_send(void)
{
    MPI_Send_init(out, 3, MPI_INT, right, TAG, world, &requests[1]);
}

static void persistent_receive(void)
{
    MPI_Recv_init(in, ROOM, MPI_INT, left, TAG, world, &requests[0]);
}

static void free_requests(void)
{
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void start_complete_free(MPI_Request *request)
{
    MPI_Start(request);
    complete();
    MPI_Request_free(request);
}

static void attach_buffer(void)
{
    MPI_Buffer_attach(buffer, sizeof buffer);
}

static void detach_buffer(void)
{
    MPI_Buffer_detach(&address, &size_i);
}

#if MPI_VERSION >= 4
static void partitioned_send(void)
{
    MPI_Psend_init(out, 2, 3, MPI_INT, right, TAG, world, MPI_INFO_NULL, &requests[1]);
}

static void partitioned_receive(void)
{
    MPI_Precv_init(in, 2, 3, MPI_INT, left, TAG, world, MPI_INFO_NULL, &requests[0]);
}

static void start_partitioned(void)
{
    MPI_Startall(2, requests);
}

static void ready_partitions(int first, int last)
{
    MPI_Pready_range(first, last, requests[1]);
}

static void end_partitioned(void)
{
    complete();
    free_requests();
}
#endif

/* Collectives: rank r has r + 1 integers. */
#define OWN_BYTES (4 * (rank + 1))
#define SUM_BYTES (2 * ranks * (ranks + 1))

static void set_lengths(void)
{
    int total = 0;
    for (int r = 0; r < ranks; r++) {
        lengths_i[r] = r + 1;
        own_lengths_i[r] = rank + 1;
        at_i[r] = total;
        at_bytes_i[r] = 4 * total;
        MPI4(lengths_c[r] = r + 1; own_lengths_c[r] = rank + 1; at_c[r] = total;
             at_bytes_c[r] = 4 * total;)
        total += r + 1;
    }
    for (int i = 0; i < 2 * MOST_RANKS; i++) {
        own_at_i[i] = MOST_RANKS * i;
        own_at_bytes_i[i] = 4 * MOST_RANKS * i;
        aint_at_bytes[i] = 4 * MOST_RANKS * i;
        threes_i[i] = 3;
        types[i] = MPI_INT;
        MPI4(own_at_c[i] = MOST_RANKS * i; own_at_bytes_c[i] = 4 * MOST_RANKS * i;
             threes_c[i] = 3;)
    }
}

/* One-sided */
static void make_window(void)
{
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, world, &win);
}

static void open_fenced(void)
{
    make_window();
    MPI_Win_fence(0, win);
}

static void close_fenced(void)
{
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void open_locked(void)
{
    make_window();
    MPI_Win_lock_all(0, win);
}

static void close_locked(void)
{
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* Files.  Written by other means, so that each row finds the same. */
static void prepare_file(void)
{
    MPI_Barrier(world);
    if (rank == 0) {
        FILE *plain = fopen(path, "w");
        for (int i = 0; plain && i < ranks * PIECE_BYTES; i++)
            putc('a' + i % 26, plain);
        if (!plain || fclose(plain))
            perror(path);
    }
    MPI_Barrier(world);
}

static void open_file(void)
{
    prepare_file();
    MPI_File_open(world, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

static void close_file(void)
{
    MPI_File_close(&file);
}

/* Who got which piece depends on who came first. */
static void forget_in(void)
{
    memset(in, 0, sizeof in);
}

static int representation_extent(MPI_Datatype datatype, MPI_Aint *extent, void *state)
{
    (void)datatype, (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

/* Datatypes, packing, operations */
static void note_type(void)
{
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    note(bytes);
}

static void free_type(void)
{
    note_type();
    MPI_Type_free(&type);
}

static void pack(void)
{
    int used = 0;
    MPI_Pack(out, 3, MPI_INT, buffer, sizeof buffer, &used, world);
}

static void pack_external(void)
{
    MPI_Aint used = 0;
    MPI_Pack_external("external32", out, 3, MPI_INT, buffer, sizeof buffer, &used);
}

/* These and the following callbacks call MPI themselves, which must not count. */
static void add_up_i(void *from, void *to, int *count, MPI_Datatype *datatype)
{
    int bytes;
    MPI_Type_size(*datatype, &bytes);
    for (int i = 0; i < *count; i++)
        ((int *)to)[i] += ((int *)from)[i] * bytes / 4;
}

#if MPI_VERSION >= 4
static void add_up_c(void *from, void *to, MPI_Count *count, MPI_Datatype *datatype)
{
    int few = (int)*count;
    add_up_i(from, to, &few, datatype);
}
#endif

static void reduce_with_op(void)
{
    MPI_Allreduce(out, in, 3, MPI_INT, op, world);
}

static int copy_attribute(MPI_Comm old, int keyval, void *state, void *from, void *to,
                          int *copies)
{
    int members = 0;
    (void)keyval, (void)state;
    MPI_Comm_size(old, &members);
    copied += members;
    *(void **)to = from;
    *copies = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm old, int keyval, void *value, void *state)
{
    int members = 0;
    (void)keyval, (void)value, (void)state;
    MPI_Comm_size(old, &members);
    deleted += members;
    return MPI_SUCCESS;
}

static int delete_window_attribute(MPI_Win old, int keyval, void *value, void *state)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    (void)keyval, (void)value, (void)state;
    MPI_Win_get_name(old, name, &length);
    deleted += 1 + length;
    return MPI_SUCCESS;
}

static int delete_type_attribute(MPI_Datatype old, int keyval, void *value, void *state)
{
    int bytes = 0;
    (void)keyval, (void)value, (void)state;
    MPI_Type_size(old, &bytes);
    deleted += bytes;
    return MPI_SUCCESS;
}

static void communicator_key(void)
{
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
}

static void window_key(void)
{
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_window_attribute, &key, NULL);
}

static void type_key(void)
{
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type_attribute, &key, NULL);
}

static void attach_to_world(void)
{
    communicator_key();
    MPI_Comm_set_attr(world, key, &number);
}

static void detach_from_world(void)
{
    MPI_Comm_delete_attr(world, key);
    MPI_Comm_free_keyval(&key);
}

/* Error handlers */
static void handle(int code)
{
    int class = 0;
    MPI_Error_class(code, &class);
    handled += class;
}

static void handle_communicator(MPI_Comm *where, int *code, ...)
{
    (void)where;
    handle(*code);
}

static void handle_window(MPI_Win *where, int *code, ...)
{
    (void)where;
    handle(*code);
}

static void handle_file(MPI_File *where, int *code, ...)
{
    (void)where;
    handle(*code);
}

#if MPI_VERSION >= 4
static void handle_session(MPI_Session *where, int *code, ...)
{
    (void)where;
    handle(*code);
}

static void open_session(void)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
}

static void close_session(void)
{
    MPI_Session_finalize(&session);
}
#endif

#if MPI_VERSION >= 4
typedef int c2f08_function(const MPI_Status *, MPI_F08_status *);
typedef int f082c_function(const MPI_F08_status *, MPI_Status *);

/*
 * MPICH has some functions of C in the library of its Fortran bindings only, with which no C
 * program is linked.  They are found by name, as a program would.
 */
static void *by_name;

PATH_FUNCTION static int in_fortran_library(const char *name)
{
    static const char *const libraries[] = {"libmpichfort.so.12", "libmpifort.so.12"};
    void *library = NULL;
    for (int i = 0; i < 2 && !library; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);
    if (!library || !dlsym(library, name))
        return 0;
    by_name = dlsym(RTLD_DEFAULT, name);
    return 1;
}
#endif

/* Groups, communicators, info objects, statuses, generalized requests */
static void note_group(void)
{
    int members = 0;
    MPI_Group_size(group, &members);
    note(members);
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
}

static void note_communicator(void)
{
    int members = 0, place = 0;
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &place);
    note(members);
    note(place);
}

static void make_info(void)
{
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
}

static void note_info(MPI_Info which)
{
    int keys = 0;
    MPI_Info_get_nkeys(which, &keys);
    note(keys);
}

static void clear_status(void)
{
    MPI_Recv(in, 0, MPI_INT, MPI_PROC_NULL, 0, world, &status);
}

static void note_status(void)
{
    MPI_Get_count(&status, MPI_INT, &number);
    note(number);
}

static int query_request(void *state, MPI_Status *which)
{
    (void)state;
    MPI_Status_set_elements(which, MPI_INT, 3);
    MPI_Status_set_cancelled(which, 0);
    which->MPI_SOURCE = 0;
    which->MPI_TAG = 0;
    return MPI_SUCCESS;
}

static int free_request(void *state)
{
    int there = 0;
    (void)state;
    MPI_Initialized(&there);
    freed += there;
    return MPI_SUCCESS;
}

static int cancel_request(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

/* Functions that give no error code */
static int take_time(double seconds)
{
    return seconds >= 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int take_aint(MPI_Aint value)
{
    aint = value;
    return MPI_SUCCESS;
}

static int take_fortran(MPI_Fint value)
{
    number = (int)value;
    return MPI_SUCCESS;
}

#define TAKE(handle) ((void)(handle), MPI_SUCCESS)

/* Processes.  Ranks 0 and 1 connect, each alone. */
static void open_port(void)
{
    if (rank == 0 && MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS)
        port[0] = '\0';
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, world);
}

static void close_port(void)
{
    MPI_Barrier(world);
    if (rank == 0 && *port)
        MPI_Close_port(port);
}

static void accept_rank_1(void)
{
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
}

static void connect_rank_0(void)
{
    if (rank == 1)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
}

static void note_pair(void)
{
    if (rank > 1 || comm == MPI_COMM_NULL)
        return;
    int value = 5 + rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, TAG, 0, TAG, comm, &status);
    note(value);
}

static void disconnect_pair(void)
{
    note_pair();
    if (rank < 2 && comm != MPI_COMM_NULL)
        MPI_Comm_disconnect(&comm);
}

/* A connection between ranks 0 and 1 outside MPI. */
static void open_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int listening = -1;
    snprintf(name.sun_path, sizeof name.sun_path, "%.90s/socket", directory);
    if (rank == 0) {
        unlink(name.sun_path);
        listening = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(listening, (struct sockaddr *)&name, sizeof name) || listen(listening, 1))
            perror(name.sun_path);
    }
    MPI_Barrier(world);
    if (rank == 0) {
        socket_fd = accept(listening, NULL, NULL);
        close(listening);
        unlink(name.sun_path);
    } else if (rank == 1) {
        socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(socket_fd, (struct sockaddr *)&name, sizeof name))
            perror(name.sun_path);
    }
}

static void close_socket(void)
{
    if (socket_fd >= 0)
        close(socket_fd);
    socket_fd = -1;
}

static void publish(void)
{
    MPI_Publish_name(service, MPI_INFO_NULL, port);
}

static void unpublish(void)
{
    MPI_Unpublish_name(service, MPI_INFO_NULL, port);
}

static void prepare_commands(void)
{
    commands[0] = commands[1] = arguments[0];
    infos[0] = infos[1] = MPI_INFO_NULL;
}

/* Each child sends its rank to the root and leaves. */
static void meet_children(int children)
{
    if (comm == MPI_COMM_NULL)
        return;
    for (int i = 0; rank == ROOT && i < children; i++) {
        MPI_Recv(&number, 1, MPI_INT, i, TAG, comm, &status);
        note(number);
    }
    MPI_Comm_disconnect(&comm);
}

/* MPI_T */
static void first_control(void)
{
    int length = sizeof text;
    long_length = sizeof long_text;
    MPI_T_cvar_get_info(0, text, &length, &in[0], &type, &enumeration, long_text, &long_length,
                        &in[1], &in[2]);
}

static void first_category(void)
{
    int length = sizeof text;
    long_length = sizeof long_text;
    MPI_T_category_get_info(0, text, &length, long_text, &long_length, &in[0], &in[1], &in[2]);
}

PATH_FUNCTION static int variable_count(void)
{
    int count = 0;
    MPI_T_pvar_get_num(&count);
    return count;
}

/* Of any variable of control: whether there is one. */
PATH_FUNCTION static int find_enumeration(void)
{
    int count = 0;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int name_length = 0, unused[3];
        long_length = 0;
        enumeration = MPI_T_ENUM_NULL;
        MPI_T_cvar_get_info(i, NULL, &name_length, &unused[0], &type, &enumeration, NULL,
                            &long_length, &unused[1], &unused[2]);
        if (enumeration != MPI_T_ENUM_NULL)
            return 1;
    }
    return 0;
}

static void open_variable(void)
{
    MPI_T_pvar_session_create(&variables);
    if (variable_count())
        MPI_T_pvar_handle_alloc(variables, 0, &world, &variable, &number);
}

static void close_variable(void)
{
    if (variable_count())
        MPI_T_pvar_handle_free(variables, &variable);
    MPI_T_pvar_session_free(&variables);
}

#endif
