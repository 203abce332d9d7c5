/* Database and Session. Their calls release the interpreter's lock; a session runs one statement at a time. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef struct {
    PyObject_HEAD
    pelorus_database *database; /* NULL: closed */
} DatabaseObject;

typedef struct {
    PyObject_HEAD
    pelorus_session *session; /* NULL: closed */
    Py_ssize_t users;         /* calls that are using it: they hold the interpreter's lock when they come and go */
} SessionObject;

static PyTypeObject *database_type, *session_type;

/* ---- What a statement calls ---------------------------------------------------------------------------------- */

typedef struct {
    SessionObject *session;
    PyThreadState *state; /* of the calling thread, while it has released the lock */
    PyObject *print;      /* callable with a str, or None */
    PyObject *watch;      /* callable without arguments, which is called with the others; or None */
    int has_failed;       /* an exception is set in `state` */
} Statement;

static int poll_signals(void *data) {
    Statement *statement = data;
    if (statement->has_failed) return 1;
    PyEval_RestoreThread(statement->state);
    int failed = PyErr_CheckSignals();
    if (!failed && statement->watch != Py_None) {
        PyObject *result = PyObject_CallNoArgs(statement->watch);
        failed = !result;
        Py_XDECREF(result);
    }
    statement->has_failed = failed != 0;
    statement->state = PyEval_SaveThread();
    return statement->has_failed;
}

static void print_line(void *data, const char *line, size_t bytes) {
    const Statement *statement = data;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *string = PyUnicode_DecodeUTF8(line, (Py_ssize_t)bytes, "replace");
    PyObject *result = string ? PyObject_CallFunctionObjArgs(statement->print, string, NULL) : NULL;
    if (!result) PyErr_WriteUnraisable(statement->print);
    Py_XDECREF(result);
    Py_XDECREF(string);
    PyGILState_Release(held);
}

static pelorus_events events_of(Statement *statement) {
    return (pelorus_events){poll_signals, statement->print == Py_None ? NULL : print_line, statement};
}

/* Returns 0 with an InterfaceError for a closed session. Each use ends by leave(). */
static int enter(SessionObject *self) {
    if (!self->session) {
        raise_misuse("The connection is closed.");
        return 0;
    }
    ++self->users;
    return 1;
}

static void leave(SessionObject *self) {
    --self->users;
}

/* Returns the value, or raises: the exception of a signal or of `watch` goes before the error of the cancelled call. */
static PyObject *result_of(const Statement *statement, pelorus_error *error, pelorus_value *value) {
    if (!statement->has_failed) return error ? raise_error(error) : wrap_value(value);
    pelorus_error_free(error);
    if (!error) pelorus_value_free(value);
    return NULL;
}

static PyObject *run(PyObject *self, PyObject *arguments) {
    SessionObject *session = (SessionObject *)self;
    const char *script;
    Py_ssize_t bytes;
    PyObject *names = NULL, *objects = NULL, *convert = NULL;
    Variables variables = {0};
    Statement statement = {session, NULL, Py_None, Py_None, 0};
    if (!PyArg_ParseTuple(arguments, "s#|OOO!O!O", &script, &bytes, &statement.print, &statement.watch, &PyTuple_Type, &names, &PyTuple_Type, &objects, &convert)) return NULL;
    if (names && (!convert || !take_variables(&variables, names, objects, convert))) {
        if (!convert) PyErr_SetString(PyExc_TypeError, "variables come as names, objects and what converts them");
        return NULL;
    }
    if (!enter(session)) {
        free_variables(&variables);
        return NULL;
    }
    const pelorus_events events = events_of(&statement);
    pelorus_value *value = NULL;
    statement.state = PyEval_SaveThread();
    pelorus_error *error = put_variables(session->session, &variables);
    if (!error) error = pelorus_run(session->session, script, (size_t)bytes, &events, &value);
    PyEval_RestoreThread(statement.state);
    free_variables(&variables);
    leave(session);
    return result_of(&statement, error, value);
}

static PyObject *call(PyObject *self, PyObject *arguments) {
    SessionObject *session = (SessionObject *)self;
    const char *function;
    PyObject *values;
    Statement statement = {session, NULL, Py_None, Py_None, 0};
    if (!PyArg_ParseTuple(arguments, "sO!|OO", &function, &PyTuple_Type, &values, &statement.print, &statement.watch)) return NULL;
    const Py_ssize_t count = PyTuple_Size(values);
    pelorus_value **handles = PyMem_Malloc(sizeof *handles * (size_t)(count + 1));
    if (!handles) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; ++i) {
        handles[i] = value_of(PyTuple_GetItem(values, i));
        if (!handles[i]) {
            PyMem_Free(handles);
            return NULL;
        }
    }
    if (!enter(session)) {
        PyMem_Free(handles);
        return NULL;
    }
    const pelorus_events events = events_of(&statement);
    pelorus_value *value = NULL;
    statement.state = PyEval_SaveThread();
    pelorus_error *error = pelorus_call(session->session, function, handles, (size_t)count, &events, &value);
    PyEval_RestoreThread(statement.state);
    PyMem_Free(handles);
    leave(session);
    return result_of(&statement, error, value);
}

/* ---- Variables and functions --------------------------------------------------------------------------------- */

static PyObject *put(PyObject *self, PyObject *arguments) {
    SessionObject *session = (SessionObject *)self;
    const char *name;
    PyObject *object;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &object)) return NULL;
    pelorus_value *value = value_of(object);
    if (!value || !enter(session)) return NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_put(session->session, name, value);
    Py_END_ALLOW_THREADS
    leave(session);
    if (error) return raise_error(error);
    Py_RETURN_NONE;
}

static PyObject *get(PyObject *self, PyObject *given) {
    SessionObject *session = (SessionObject *)self;
    const char *name = PyUnicode_AsUTF8AndSize(given, NULL);
    if (!name || !enter(session)) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_get(session->session, name, &value);
    Py_END_ALLOW_THREADS
    leave(session);
    return error ? raise_error(error) : wrap_value(value);
}

static PyObject *knows(PyObject *self, PyObject *given) {
    SessionObject *session = (SessionObject *)self;
    const char *name = PyUnicode_AsUTF8AndSize(given, NULL);
    if (!name || !enter(session)) return NULL;
    const int32_t kind = pelorus_knows(session->session, name);
    leave(session);
    return PyLong_FromLong(kind);
}

/* Returns the text of the exception that is set, as malloc gives it, and clears it. */
static char *exception_text(void) {
    PyObject *type, *exception, *trace;
    PyErr_Fetch(&type, &exception, &trace);
    PyErr_NormalizeException(&type, &exception, &trace);
    PyObject *string = exception ? PyObject_Str(exception) : NULL;
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *whole = string && name ? PyUnicode_FromFormat("%U: %U", name, string) : NULL;
    const char *text = whole ? PyUnicode_AsUTF8AndSize(whole, NULL) : NULL;
    char *copy = strdup(text ? text : "the function of Python failed");
    Py_XDECREF(whole);
    Py_XDECREF(name);
    Py_XDECREF(string);
    Py_XDECREF(type);
    Py_XDECREF(exception);
    Py_XDECREF(trace);
    PyErr_Clear();
    return copy;
}

/* Returns the arguments as a tuple of Values. */
static PyObject *wrapped_arguments(pelorus_value *const *arguments, size_t count) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple && i < count; ++i) {
        pelorus_value *copy = NULL;
        pelorus_error *error = pelorus_value_copy(arguments[i], &copy);
        PyObject *value = error ? raise_error(error) : wrap_value(copy);
        if (!value || PyTuple_SetItem(tuple, (Py_ssize_t)i, value) < 0) {
            Py_DECREF(tuple);
            return NULL;
        }
    }
    return tuple;
}

static char *call_python(void *data, pelorus_value *const *arguments, size_t count, pelorus_value **result) {
    const PyGILState_STATE held = PyGILState_Ensure();
    char *failure = NULL;
    PyObject *values = wrapped_arguments(arguments, count);
    PyObject *returned = values ? PyObject_CallFunctionObjArgs(data, values, NULL) : NULL;
    pelorus_value *value = returned ? value_of(returned) : NULL;
    if (value) {
        pelorus_error *error = pelorus_value_copy(value, result);
        if (error) raise_error(error);
    }
    if (PyErr_Occurred()) failure = exception_text();
    Py_XDECREF(returned);
    Py_XDECREF(values);
    PyGILState_Release(held);
    return failure;
}

/* The engine may end after the interpreter: what is left then is the system's. */
static void release_python(void *data) {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE held = PyGILState_Ensure();
    Py_DECREF((PyObject *)data);
    PyGILState_Release(held);
}

static PyObject *define(PyObject *self, PyObject *arguments) {
    SessionObject *session = (SessionObject *)self;
    const char *name;
    int parameters, is_elementwise;
    PyObject *function;
    if (!PyArg_ParseTuple(arguments, "sipO", &name, &parameters, &is_elementwise, &function) || !enter(session)) return NULL;
    Py_INCREF(function);
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_define(session->session, name, parameters, is_elementwise, call_python, function, release_python);
    Py_END_ALLOW_THREADS
    leave(session);
    if (error) return raise_error(error);
    Py_RETURN_NONE;
}

/* ---- The rest of a session ----------------------------------------------------------------------------------- */

static PyObject *cancel(PyObject *self, PyObject *unused) {
    (void)unused;
    SessionObject *session = (SessionObject *)self;
    if (session->session) pelorus_cancel(session->session);
    Py_RETURN_NONE;
}

static PyObject *progress(PyObject *self, PyObject *unused) {
    (void)unused;
    SessionObject *session = (SessionObject *)self;
    if (!session->session) Py_RETURN_NONE;
    pelorus_progress seen;
    pelorus_progress_of(session->session, &seen);
    if (!seen.work[0]) Py_RETURN_NONE;
    return Py_BuildValue("ssLL", seen.work, seen.unit, (long long)seen.done, (long long)seen.total);
}

static void add_candidate(void *data, const char *text, const char *shown, const char *kind) {
    PyObject *triple = Py_BuildValue("sss", text, shown, kind);
    if (!triple || PyList_Append(data, triple) < 0) PyErr_Clear(); /* a name that is no UTF-8 */
    Py_XDECREF(triple);
}

/* The engine looks names up while it holds the interpreter's lock: a third of a second at most. */
static PyObject *complete(PyObject *self, PyObject *arguments) {
    SessionObject *session = (SessionObject *)self;
    const char *script;
    Py_ssize_t bytes, cursor;
    if (!PyArg_ParseTuple(arguments, "s#n", &script, &bytes, &cursor) || !enter(session)) return NULL;
    PyObject *candidates = PyList_New(0);
    size_t begin = 0;
    pelorus_error *error = candidates ? pelorus_complete(session->session, script, (size_t)bytes, cursor < 0 ? 0 : (size_t)cursor, add_candidate, candidates, &begin) : NULL;
    leave(session);
    if (error) {
        Py_DECREF(candidates);
        return raise_error(error);
    }
    return candidates ? Py_BuildValue("nN", (Py_ssize_t)begin, candidates) : NULL;
}

static PyObject *describe(PyObject *self, PyObject *given) {
    SessionObject *session = (SessionObject *)self;
    const char *name = PyUnicode_AsUTF8AndSize(given, NULL);
    if (!name || !enter(session)) return NULL;
    char *markdown = NULL;
    pelorus_error *error = pelorus_describe(session->session, name, &markdown);
    leave(session);
    if (error) return raise_error(error);
    PyObject *result = PyUnicode_DecodeUTF8(markdown, (Py_ssize_t)strlen(markdown), "replace");
    pelorus_string_free(markdown);
    return result;
}

static PyObject *is_unfinished(PyObject *class, PyObject *given) {
    (void)class;
    Py_ssize_t bytes;
    const char *script = PyUnicode_AsUTF8AndSize(given, &bytes);
    return script ? PyBool_FromLong(pelorus_is_unfinished(script, (size_t)bytes)) : NULL;
}

static void end(SessionObject *self) {
    pelorus_session *session = self->session;
    self->session = NULL;
    if (!session) return;
    Py_BEGIN_ALLOW_THREADS
    pelorus_end_session(session);
    Py_END_ALLOW_THREADS
}

/* Another thread's call is cancelled, and must have left before the session goes. */
static PyObject *close_session(PyObject *self, PyObject *unused) {
    (void)unused;
    SessionObject *session = (SessionObject *)self;
    while (session->session && session->users > 0) {
        pelorus_cancel(session->session);
        PyObject *time = PyImport_ImportModule("time");
        PyObject *slept = time ? PyObject_CallMethod(time, "sleep", "d", 0.002) : NULL;
        Py_XDECREF(time);
        if (!slept) return NULL;
        Py_DECREF(slept);
    }
    end(session);
    Py_RETURN_NONE;
}

static void free_session(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    end((SessionObject *)self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef session_methods[] = {
    {"run", run, METH_VARARGS, "run(script, print=None, watch=None, names=(), objects=(), convert=None): the value of the last statement, after the variables were set."},
    {"call", call, METH_VARARGS, "call(function, arguments, print=None, watch=None): what the function returns for a tuple of Values."},
    {"put", put, METH_VARARGS, "put(name, value): sets a variable."},
    {"get", get, METH_O, "get(name): the value of a variable."},
    {"knows", knows, METH_O, "knows(name): 1 for a variable, 2 for a function, else 0."},
    {"define", define, METH_VARARGS, "define(name, parameters, is_elementwise, function): a function of Values."},
    {"cancel", cancel, METH_NOARGS, "cancel(): cancels the running statement."},
    {"progress", progress, METH_NOARGS, "progress(): (work, unit, done, total) of the running statement, or None."},
    {"complete", complete, METH_VARARGS, "complete(script, cursor): (begin, [(text, shown, kind)]), in bytes of UTF-8."},
    {"describe", describe, METH_O, "describe(name): the documentation of a function as Markdown, or ''."},
    {"is_unfinished", is_unfinished, METH_O | METH_STATIC, "is_unfinished(script): whether another line must follow."},
    {"close", close_session, METH_NOARGS, "close(): cancels what runs, and ends the session."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot session_slots[] = {{Py_tp_dealloc, free_session}, {Py_tp_methods, session_methods}, {Py_tp_doc, "A session with a database."}, {0, NULL}};
static PyType_Spec session_spec = {"pelorus._core.Session", sizeof(SessionObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, session_slots};

/* ---- Databases ----------------------------------------------------------------------------------------------- */

static PyObject *wrap_database(pelorus_error *error, pelorus_database *database) {
    if (error) return raise_error(error);
    DatabaseObject *object = PyObject_New(DatabaseObject, database_type);
    if (!object) {
        pelorus_close(database);
        return NULL;
    }
    object->database = database;
    return (PyObject *)object;
}

static PyObject *open_database(PyObject *class, PyObject *arguments) {
    (void)class;
    const char *folder, *settings;
    if (!PyArg_ParseTuple(arguments, "zz", &folder, &settings)) return NULL;
    pelorus_database *database = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_open(folder, settings, &database);
    Py_END_ALLOW_THREADS
    return wrap_database(error, database);
}

static PyObject *connect_database(PyObject *class, PyObject *arguments) {
    (void)class;
    const char *address;
    int uses_tls, timeout;
    pelorus_login login = {0};
    if (!PyArg_ParseTuple(arguments, "szzpzi", &address, &login.user, &login.password, &uses_tls, &login.tls_certificate, &timeout)) return NULL;
    login.uses_tls = uses_tls;
    login.connect_timeout_ms = timeout;
    pelorus_database *database = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_connect(address, &login, &database);
    Py_END_ALLOW_THREADS
    return wrap_database(error, database);
}

static PyObject *start_session(PyObject *self, PyObject *unused) {
    (void)unused;
    pelorus_database *database = ((DatabaseObject *)self)->database;
    if (!database) {
        raise_misuse("The database is closed.");
        return NULL;
    }
    pelorus_session *session = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_start_session(database, &session);
    Py_END_ALLOW_THREADS
    if (error) return raise_error(error);
    SessionObject *object = PyObject_New(SessionObject, session_type);
    if (!object) {
        pelorus_end_session(session);
        return NULL;
    }
    object->session = session;
    object->users = 0;
    return (PyObject *)object;
}

static PyObject *close_database(PyObject *self, PyObject *unused) {
    (void)unused;
    DatabaseObject *object = (DatabaseObject *)self;
    pelorus_database *database = object->database;
    object->database = NULL;
    Py_BEGIN_ALLOW_THREADS
    pelorus_close(database);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static void free_database(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(close_database(self, NULL));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef database_methods[] = {
    {"open", open_database, METH_VARARGS | METH_STATIC, "open(folder, settings): the database in a folder, or a temporary one."},
    {"connect", connect_database, METH_VARARGS | METH_STATIC, "connect(address, user, password, uses_tls, certificate, timeout_ms): a node."},
    {"session", start_session, METH_NOARGS, "session(): a session of its own variables."},
    {"close", close_database, METH_NOARGS, "close(): the database ends with its last session."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot database_slots[] = {{Py_tp_dealloc, free_database}, {Py_tp_methods, database_methods}, {Py_tp_doc, "A database of this process, or a node."}, {0, NULL}};
static PyType_Spec database_spec = {"pelorus._core.Database", sizeof(DatabaseObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, database_slots};

int add_session_types(PyObject *module) {
    database_type = add_type(module, &database_spec);
    session_type = database_type ? add_type(module, &session_spec) : NULL;
    return session_type ? 0 : -1;
}
