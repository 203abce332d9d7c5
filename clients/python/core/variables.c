/* Variables that a statement sets before it runs: objects of Python as values of the engine. */
#include <string.h>

#include "core.h"

/* Returns a value for an object that needs no code of Python; NULL without an exception for another one, and with one on
 * failure. */
static pelorus_value *plain_value(PyObject *object) {
    pelorus_value *value = NULL;
    pelorus_error *error = NULL;
    if (object == Py_None) {
        error = pelorus_make_null("VOID", &value);
    } else if (PyLong_CheckExact(object)) {
        int is_beyond = 0;
        const long long number = PyLong_AsLongLongAndOverflow(object, &is_beyond);
        if (is_beyond || number == INT64_MIN) return NULL;
        error = pelorus_make_integer("LONG", number, &value);
    } else if (PyFloat_CheckExact(object)) {
        error = pelorus_make_real(PyFloat_AsDouble(object), &value);
    } else if (PyUnicode_CheckExact(object)) {
        Py_ssize_t count;
        const char *bytes = PyUnicode_AsUTF8AndSize(object, &count);
        if (bytes) error = pelorus_make_text("STRING", bytes, (size_t)count, &value);
    }
    if (error) raise_error(error);
    return value;
}

/* Sets the place of a variable. Returns 0 with an exception. */
static int take_variable(Variables *variables, Py_ssize_t at, PyObject *name, PyObject *object, PyObject *convert) {
    variables->names[at] = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!variables->names[at]) return 0;
    variables->values[at] = plain_value(object);
    if (variables->values[at]) return 1;
    if (PyErr_Occurred()) return 0;
    PyObject *converted = PyObject_CallFunctionObjArgs(convert, object, NULL);
    if (!converted) return 0;
    pelorus_value *borrowed = value_of(converted);
    pelorus_error *error = borrowed ? pelorus_value_copy(borrowed, &variables->values[at]) : NULL;
    Py_DECREF(converted);
    if (error) raise_error(error);
    return variables->values[at] != NULL;
}

int take_variables(Variables *variables, PyObject *names, PyObject *objects, PyObject *convert) {
    memset(variables, 0, sizeof *variables);
    const Py_ssize_t count = PyTuple_Size(names);
    if (PyTuple_Size(objects) != count) {
        PyErr_SetString(PyExc_ValueError, "there are as many names as objects");
        return 0;
    }
    variables->names = PyMem_Calloc((size_t)count + 1, sizeof *variables->names);
    variables->values = PyMem_Calloc((size_t)count + 1, sizeof *variables->values);
    if (!variables->names || !variables->values) {
        free_variables(variables);
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        variables->count = i + 1;
        if (take_variable(variables, i, PyTuple_GetItem(names, i), PyTuple_GetItem(objects, i), convert)) continue;
        free_variables(variables);
        return 0;
    }
    return 1;
}

pelorus_error *put_variables(pelorus_session *session, const Variables *variables) {
    for (Py_ssize_t i = 0; i < variables->count; ++i) {
        pelorus_error *error = pelorus_put(session, variables->names[i], variables->values[i]);
        if (error) return error;
    }
    return NULL;
}

void free_variables(Variables *variables) {
    for (Py_ssize_t i = 0; i < variables->count; ++i) pelorus_value_free(variables->values[i]);
    PyMem_Free(variables->names);
    PyMem_Free(variables->values);
    memset(variables, 0, sizeof *variables);
}
