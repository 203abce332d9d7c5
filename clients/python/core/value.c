/* Value: a value of the language. Immutable for Python; its handle is freed with the object. */
#include <string.h>

#include "core.h"

typedef struct {
    PyObject_HEAD
    pelorus_value *value;
} ValueObject;

static PyTypeObject *value_type;

PyObject *wrap_value(pelorus_value *value) {
    ValueObject *object = PyObject_New(ValueObject, value_type);
    if (!object) {
        pelorus_value_free(value);
        return NULL;
    }
    object->value = value;
    return (PyObject *)object;
}

pelorus_value *value_of(PyObject *object) {
    if (PyObject_TypeCheck(object, value_type)) return ((ValueObject *)object)->value;
    PyErr_SetString(PyExc_TypeError, "pelorus._core.Value expected");
    return NULL;
}

/* Wraps the value that a call has set, or raises its error. */
static PyObject *wrapped(pelorus_error *error, pelorus_value *value) {
    return error ? raise_error(error) : wrap_value(value);
}

static void free_value(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    pelorus_value *value = ((ValueObject *)self)->value;
    PyObject_Free(self);
    Py_DECREF(type);
    if (!value) return;
    Py_BEGIN_ALLOW_THREADS
    pelorus_value_free(value);
    Py_END_ALLOW_THREADS
}

static pelorus_value *self_of(PyObject *self) {
    return ((ValueObject *)self)->value;
}

static PyObject *get_form(PyObject *self, void *unused) {
    (void)unused;
    static const char *const names[] = {"scalar", "vector", "pair", "matrix", "set", "dictionary", "table", "tuple", "chart", "other"};
    return PyUnicode_FromString(names[pelorus_form_of(self_of(self))]);
}

static PyObject *get_type(PyObject *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(pelorus_type_of(self_of(self)));
}

static PyObject *get_size(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(pelorus_size_of(self_of(self)));
}

static PyObject *get_width(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(pelorus_width_of(self_of(self)));
}

static PyObject *get_is_null(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(pelorus_is_null(self_of(self)));
}

static PyGetSetDef fields[] = {{"form", get_form, NULL, "scalar, vector, pair, matrix, set, dictionary, table, tuple, chart or other", NULL},
                               {"type", get_type, NULL, "name of the type, as in DOUBLE", NULL},
                               {"size", get_size, NULL, "elements, rows or keys", NULL},
                               {"width", get_width, NULL, "columns", NULL},
                               {"is_null", get_is_null, NULL, "whether it is a NULL scalar", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyObject *integer(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromLongLong(pelorus_integer_of(self_of(self)));
}

static PyObject *real(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyFloat_FromDouble(pelorus_real_of(self_of(self)));
}

/* A text as str; what is no UTF-8 as bytes, and so is a BLOB. */
static PyObject *text(PyObject *self, PyObject *unused) {
    (void)unused;
    size_t bytes = 0;
    const char *start = pelorus_text_of(self_of(self), &bytes);
    if (!start) Py_RETURN_NONE;
    if (strcmp(pelorus_type_of(self_of(self)), "BLOB") != 0) {
        PyObject *string = PyUnicode_DecodeUTF8(start, (Py_ssize_t)bytes, "strict");
        if (string) return string;
        PyErr_Clear();
    }
    return PyBytes_FromStringAndSize(start, (Py_ssize_t)bytes);
}

static PyObject *shown(PyObject *self, PyObject *is_whole) {
    const int whole = PyObject_IsTrue(is_whole);
    if (whole < 0) return NULL;
    char *string = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_shown(self_of(self), whole, &string);
    Py_END_ALLOW_THREADS
    if (error) return raise_error(error);
    PyObject *result = PyUnicode_DecodeUTF8(string, (Py_ssize_t)strlen(string), "replace");
    pelorus_string_free(string);
    return result;
}

static PyObject *draw(PyObject *self, PyObject *arguments) {
    int width = 800, height = 450, is_dark = 0;
    if (!PyArg_ParseTuple(arguments, "|iip", &width, &height, &is_dark)) return NULL;
    char *svg = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_draw(self_of(self), width, height, is_dark, &svg);
    Py_END_ALLOW_THREADS
    if (error) return raise_error(error);
    PyObject *result = PyUnicode_FromString(svg);
    pelorus_string_free(svg);
    return result;
}

static PyObject *item(PyObject *self, PyObject *at) {
    const long long number = PyLong_AsLongLong(at);
    if (number == -1 && PyErr_Occurred()) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_item_of(self_of(self), number, &value);
    return wrapped(error, value);
}

static PyObject *column(PyObject *self, PyObject *at) {
    const long long number = PyLong_AsLongLong(at);
    if (number == -1 && PyErr_Occurred()) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_column_of(self_of(self), number, &value);
    return wrapped(error, value);
}

static PyObject *matrix(PyObject *self, PyObject *unused) {
    (void)unused;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_make_matrix(self_of(self), &value);
    return wrapped(error, value);
}

static PyObject *keys(PyObject *self, PyObject *unused) {
    (void)unused;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_keys_of(self_of(self), &value);
    return wrapped(error, value);
}

static PyObject *row_labels(PyObject *self, PyObject *unused) {
    (void)unused;
    if (pelorus_form_of(self_of(self)) != PELORUS_MATRIX) Py_RETURN_NONE;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_row_labels_of(self_of(self), &value);
    return wrapped(error, value);
}

static PyObject *stream(PyObject *self, PyObject *arguments) {
    long long rows = 0;
    if (!PyArg_ParseTuple(arguments, "|L", &rows)) return NULL;
    struct ArrowArrayStream *out;
    PyObject *capsule = new_stream(&out);
    if (!capsule) return NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_export(self_of(self), rows, out);
    Py_END_ALLOW_THREADS
    if (!error) return capsule;
    Py_DECREF(capsule);
    return raise_error(error);
}

/* Returns the names of a sequence of str as an array that PyMem_Free frees; the strings belong to `kept`. */
static const char **names_of(PyObject *kept, Py_ssize_t count) {
    const char **names = PyMem_Malloc(sizeof *names * (size_t)(count + 1));
    if (!names) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(kept, i), NULL);
        if (!names[i]) {
            PyMem_Free(names);
            return NULL;
        }
    }
    return names;
}

static PyObject *from_stream(PyObject *class, PyObject *arguments) {
    (void)class;
    PyObject *capsule, *columns = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|O", &capsule, &columns)) return NULL;
    struct ArrowArrayStream *given = PyCapsule_GetPointer(capsule, STREAM_CAPSULE);
    if (!given) return NULL;
    if (!given->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was read before");
        return NULL;
    }
    PyObject *kept = columns == Py_None ? NULL : PySequence_Tuple(columns);
    if (columns != Py_None && !kept) return NULL;
    const Py_ssize_t count = kept ? PyTuple_Size(kept) : 0;
    const char **names = kept ? names_of(kept, count) : NULL;
    if (kept && !names) {
        Py_DECREF(kept);
        return NULL;
    }
    pelorus_value *value = NULL;
    pelorus_error *error;
    Py_BEGIN_ALLOW_THREADS
    error = pelorus_import(given, names, (size_t)count, &value);
    Py_END_ALLOW_THREADS
    PyMem_Free(names);
    Py_XDECREF(kept);
    return wrapped(error, value);
}

static PyObject *make_integer(PyObject *class, PyObject *arguments) {
    (void)class;
    const char *type;
    long long number;
    if (!PyArg_ParseTuple(arguments, "sL", &type, &number)) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_make_integer(type, number, &value);
    return wrapped(error, value);
}

static PyObject *make_null(PyObject *class, PyObject *type) {
    (void)class;
    const char *name = PyUnicode_AsUTF8AndSize(type, NULL);
    if (!name) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_make_null(name, &value);
    return wrapped(error, value);
}

static PyObject *make_real(PyObject *class, PyObject *number) {
    (void)class;
    const double x = PyFloat_AsDouble(number);
    if (x == -1 && PyErr_Occurred()) return NULL;
    pelorus_value *value = NULL;
    pelorus_error *error = pelorus_make_real(x, &value);
    return wrapped(error, value);
}

static PyObject *make_text(PyObject *class, PyObject *given) {
    (void)class;
    pelorus_value *value = NULL;
    if (PyBytes_Check(given)) {
        char *bytes;
        Py_ssize_t count;
        if (PyBytes_AsStringAndSize(given, &bytes, &count) < 0) return NULL;
        pelorus_error *error = pelorus_make_text("BLOB", bytes, (size_t)count, &value);
    return wrapped(error, value);
    }
    Py_ssize_t count;
    const char *bytes = PyUnicode_AsUTF8AndSize(given, &count);
    if (!bytes) return NULL;
    pelorus_error *error = pelorus_make_text("STRING", bytes, (size_t)count, &value);
    return wrapped(error, value);
}

/* Returns the handles of a tuple of Values, borrowed from it, as an array that PyMem_Free frees. */
static pelorus_value **handles_of(PyObject *values) {
    const Py_ssize_t count = PyTuple_Size(values);
    pelorus_value **handles = PyMem_Malloc(sizeof *handles * (size_t)(count + 1));
    if (!handles) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        handles[i] = value_of(PyTuple_GetItem(values, i));
        if (!handles[i]) {
            PyMem_Free(handles);
            return NULL;
        }
    }
    return handles;
}

static PyObject *make_tuple(PyObject *class, PyObject *items) {
    (void)class;
    PyObject *kept = PySequence_Tuple(items);
    if (!kept) return NULL;
    pelorus_value **handles = handles_of(kept);
    PyObject *result = NULL;
    if (handles) {
        pelorus_value *value = NULL;
        pelorus_error *error = pelorus_make_tuple(handles, (size_t)PyTuple_Size(kept), &value);
        result = wrapped(error, value);
        PyMem_Free(handles);
    }
    Py_DECREF(kept);
    return result;
}

static PyObject *make_dictionary(PyObject *class, PyObject *arguments) {
    (void)class;
    PyObject *given_keys, *given_values, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", &given_keys, &given_values)) return NULL;
    PyObject *kept_keys = PySequence_Tuple(given_keys);
    PyObject *kept_values = kept_keys ? PySequence_Tuple(given_values) : NULL;
    pelorus_value **left = NULL, **right = NULL;
    if (kept_values && PyTuple_Size(kept_keys) != PyTuple_Size(kept_values)) {
        PyErr_SetString(PyExc_ValueError, "as many values as keys expected");
    } else if (kept_values && (left = handles_of(kept_keys)) && (right = handles_of(kept_values))) {
        pelorus_value *value = NULL;
        pelorus_error *error = pelorus_make_dictionary(left, right, (size_t)PyTuple_Size(kept_keys), &value);
        result = wrapped(error, value);
    }
    PyMem_Free(left);
    PyMem_Free(right);
    Py_XDECREF(kept_keys);
    Py_XDECREF(kept_values);
    return result;
}

static PyMethodDef methods[] = {
    {"integer", integer, METH_NOARGS, "integer(): the number of a logical, integer or temporal scalar."},
    {"real", real, METH_NOARGS, "real(): the number of a FLOAT or DOUBLE scalar."},
    {"text", text, METH_NOARGS, "text(): a text as str, or bytes; None for other values."},
    {"shown", shown, METH_O, "shown(is_whole): what the console shows."},
    {"draw", draw, METH_VARARGS, "draw(width=800, height=450, is_dark=False): a chart as SVG."},
    {"item", item, METH_O, "item(at): element of a vector, tuple or dictionary."},
    {"column", column, METH_O, "column(at): column of a table as a vector."},
    {"keys", keys, METH_NOARGS, "keys(): keys of a dictionary, elements of a set, labels of a matrix's columns."},
    {"row_labels", row_labels, METH_NOARGS, "row_labels(): labels of a matrix's rows."},
    {"stream", stream, METH_VARARGS, "stream(rows=0): the rows as a capsule with an Arrow C stream, in batches of so many at most."},
    {"matrix", matrix, METH_NOARGS, "matrix(): a matrix of the table's columns."},
    {"from_stream", from_stream, METH_VARARGS | METH_STATIC, "from_stream(capsule, columns=None): a table of a stream."},
    {"make_integer", make_integer, METH_VARARGS | METH_STATIC, "make_integer(type, x)"},
    {"make_null", make_null, METH_O | METH_STATIC, "make_null(type)"},
    {"make_real", make_real, METH_O | METH_STATIC, "make_real(x)"},
    {"make_text", make_text, METH_O | METH_STATIC, "make_text(str or bytes)"},
    {"make_tuple", make_tuple, METH_O | METH_STATIC, "make_tuple(values)"},
    {"make_dictionary", make_dictionary, METH_VARARGS | METH_STATIC, "make_dictionary(keys, values)"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_dealloc, free_value}, {Py_tp_methods, methods}, {Py_tp_getset, fields}, {Py_tp_doc, "A value of the language."}, {0, NULL}};
static PyType_Spec spec = {"pelorus._core.Value", sizeof(ValueObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int add_value_type(PyObject *module) {
    value_type = add_type(module, &spec);
    return value_type ? 0 : -1;
}
