/* pelorus._core: the engine's C interface as types of Python, by the limited API of 3.11. */
#ifndef PELORUS_CORE_H
#define PELORUS_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdint.h>

#include "apps/library/pelorus.h"

/* Arrow's C data and stream interfaces. Their layout is that of the published interface. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};
#define STREAM_CAPSULE "arrow_array_stream"

/* Sets the exception of an error, which is freed. Returns NULL. */
PyObject* raise_error(pelorus_error* error);
/* Sets an InterfaceError. */
void raise_misuse(const char* message);

/* Values: value.c. */
PyObject* wrap_value(pelorus_value* value); /* takes the value */
pelorus_value* value_of(PyObject* object);  /* borrowed; NULL with a TypeError for another object */
int add_value_type(PyObject* module);

/* Variables that a statement sets before it runs: variables.c. */
typedef struct {
    Py_ssize_t count;
    const char** names;     /* of the objects that name them, which outlive this */
    pelorus_value** values; /* owned */
} Variables;
/* Makes them of tuples of names and objects; `convert` is called with each object that is no int, float, str or None,
 * and returns a Value. Returns 0 with an exception. */
int take_variables(Variables* variables, PyObject* names, PyObject* objects, PyObject* convert);
/* Sets them in a session, without the interpreter's lock. Returns the first error. */
pelorus_error* put_variables(pelorus_session* session, const Variables* variables);
void free_variables(Variables* variables);

/* Databases and sessions: session.c. */
int add_session_types(PyObject* module);

/* Streams that are read: reader.c. */
int add_reader_types(PyObject* module);

/* Streams that are made of Python's buffers: writer.c. */
PyObject* make_stream(PyObject* module, PyObject* columns);
PyObject* text_buffers(PyObject* module, PyObject* items);

/* Returns the bytes of an element of an Arrow format of a fixed size; 0 for others. */
int64_t element_bytes(const char* format);
/* Makes a heap type, and adds it to the module. Returns a reference that the module keeps, too. */
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec);
/* Makes a capsule that owns an empty stream. */
PyObject* new_stream(struct ArrowArrayStream** stream);

#endif
