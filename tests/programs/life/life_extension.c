/*
 * life_extension.c: MPI behind an extension of an interpreter, opened as such are: privately,
 * so that nobody else sees the MPI library that comes with it.
 *
 * As a plain shared library it has life_start, life_work and life_end, for Python's ctypes;
 * with WITH_PYTHON it is the Python module life_extension with start(), work(n) and end().
 */
#include <mpi.h>

#include <tsprof.h>

int life_start(void);
int life_work(int rounds);
int life_end(void);

int life_start(void)
{
    int provided;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
}

/* Each round sends 24 bytes to itself and probes twice. */
int life_work(int rounds)
{
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        int out[6] = {i, 1, 2, 3, 4, 5}, in[6], flag;
        TSPROF_ITERATION_BEGIN("round");
        MPI_Sendrecv(out, 6, MPI_INT, 0, 1, in, 6, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        for (int n = 0; n < 2; n++)
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        for (volatile int n = 0; n < 1000000; n++)
            continue;
        TSPROF_ITERATION_END("round");
        sum += in[0] + flag;
    }
    return sum;
}

int life_end(void)
{
    return MPI_Finalize();
}

#ifdef WITH_PYTHON
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *start(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyLong_FromLong(life_start());
}

static PyObject *work(PyObject *self, PyObject *arguments)
{
    int rounds;
    (void)self;
    return PyArg_ParseTuple(arguments, "i", &rounds) ? PyLong_FromLong(life_work(rounds))
                                                     : NULL;
}

static PyObject *end(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyLong_FromLong(life_end());
}

static PyMethodDef methods[] = {{"start", start, METH_NOARGS, NULL},
                                {"work", work, METH_VARARGS, NULL},
                                {"end", end, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "life_extension",
                                    .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_life_extension(void)
{
    return PyModule_Create(&module);
}
#endif
