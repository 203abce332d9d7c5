/* The module, its errors and helpers. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* pelorus.errors' class for each kind of error, by the kind's number. */
static PyObject *error_classes;

static PyObject *error_class(pelorus_error_kind kind) {
    if (!error_classes) {
        PyObject *errors = PyImport_ImportModule("pelorus.errors");
        if (!errors) return NULL;
        error_classes = PyObject_GetAttrString(errors, "KINDS");
        Py_DECREF(errors);
        if (!error_classes) return NULL;
    }
    return PySequence_GetItem(error_classes, (Py_ssize_t)kind);
}

static int set_string(PyObject *exception, const char *name, const char *string) {
    PyObject *value = PyUnicode_DecodeUTF8(string, (Py_ssize_t)strlen(string), "replace");
    const int failed = !value || PyObject_SetAttrString(exception, name, value) < 0;
    Py_XDECREF(value);
    return failed;
}

static int set_number(PyObject *exception, const char *name, long number) {
    PyObject *value = PyLong_FromLong(number);
    const int failed = !value || PyObject_SetAttrString(exception, name, value) < 0;
    Py_XDECREF(value);
    return failed;
}

PyObject *raise_error(pelorus_error *error) {
    PyObject *class = error_class(pelorus_error_kind_of(error));
    const char *text = pelorus_error_text(error);
    PyObject *message = class ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : NULL;
    PyObject *exception = message ? PyObject_CallFunctionObjArgs(class, message, NULL) : NULL;
    if (exception && !set_string(exception, "message", pelorus_error_message(error)) &&
        !set_string(exception, "hint", pelorus_error_hint(error)) &&
        !set_number(exception, "line", pelorus_error_line(error)) &&
        !set_number(exception, "column", pelorus_error_column(error)))
        PyErr_SetObject(class, exception);
    Py_XDECREF(exception);
    Py_XDECREF(message);
    Py_XDECREF(class);
    pelorus_error_free(error);
    return NULL;
}

void raise_misuse(const char *message) {
    PyObject *class = error_class(PELORUS_MISUSE);
    if (class) PyErr_SetString(class, message);
    Py_XDECREF(class);
}

PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
    PyObject *type = PyType_FromSpec(spec);
    if (!type) return NULL;
    const char *dot = strrchr(spec->name, '.');
    if (PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

static void free_stream(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, STREAM_CAPSULE);
    if (!stream) {
        PyErr_Clear();
        return;
    }
    if (stream->release) stream->release(stream);
    free(stream);
}

PyObject *new_stream(struct ArrowArrayStream **stream) {
    *stream = calloc(1, sizeof **stream);
    if (!*stream) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(*stream, STREAM_CAPSULE, free_stream);
    if (!capsule) free(*stream);
    return capsule;
}

int64_t element_bytes(const char *format) {
    if (format[0] == 't') return !strcmp(format, "tdD") || !strcmp(format, "tts") || !strcmp(format, "ttm") ? 4 : 8;
    if (format[0] == 'w' && format[1] == ':') return strtoll(format + 2, NULL, 10);
    switch (format[0]) {
        case 'c':
        case 'C':
            return 1;
        case 's':
        case 'S':
            return 2;
        case 'i':
        case 'I':
        case 'f':
            return 4;
        case 'l':
        case 'L':
        case 'g':
            return 8;
        case 'd':
            return 16;
        default:
            return 0;
    }
}

static PyMethodDef methods[] = {
    {"make_stream", make_stream, METH_O,
     "make_stream(columns): a capsule with an Arrow C stream of one batch. A column is (name, format, length, null_count, buffers, "
     "dictionary), where dictionary is such a tuple or None; buffers are kept until the stream's arrays are released."},
    {"text_buffers", text_buffers, METH_O,
     "text_buffers(items): (validity or None, offsets, bytes, null_count) of a sequence of str, bytes and missing items."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "pelorus._core", "The engine's C interface.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (add_value_type(module) < 0 || add_session_types(module) < 0 || add_reader_types(module) < 0 ||
        PyModule_AddStringConstant(module, "engine_version", pelorus_version()) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
