/* Reader, Batch, Column and Buffer: an Arrow C stream as objects whose buffers Python can borrow without a copy. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

static PyTypeObject *reader_type, *batch_type, *column_type, *buffer_type;

/* ---- Buffer -------------------------------------------------------------------------------------------------- */

/* Bytes of an array, which `owner` keeps. */
typedef struct {
    PyObject_HEAD
    PyObject *owner;
    const void *bytes;
    Py_ssize_t size;
} BufferObject;

static const char kNoBytes[8];

static PyObject *new_buffer(PyObject *owner, const void *bytes, int64_t size) {
    BufferObject *buffer = PyObject_New(BufferObject, buffer_type);
    if (!buffer) return NULL;
    Py_INCREF(owner);
    buffer->owner = owner;
    buffer->bytes = bytes ? bytes : kNoBytes;
    buffer->size = bytes ? (Py_ssize_t)size : 0;
    return (PyObject *)buffer;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    BufferObject *buffer = (BufferObject *)self;
    return PyBuffer_FillInfo(view, self, (void *)buffer->bytes, buffer->size, 1, flags);
}

static void free_buffer(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((BufferObject *)self)->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot buffer_slots[] = {{Py_tp_dealloc, free_buffer}, {Py_bf_getbuffer, get_buffer}, {Py_tp_doc, "Bytes of an Arrow array."}, {0, NULL}};
static PyType_Spec buffer_spec = {"pelorus._core.Buffer", sizeof(BufferObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, buffer_slots};

/* ---- Reader and Batch ---------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *capsule; /* owns the stream */
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
} ReaderObject;

typedef struct {
    PyObject_HEAD
    PyObject *reader; /* owns the schema */
    struct ArrowArray array;
} BatchObject;

/* Parts of a batch, or a dictionary or child of such a part. */
typedef struct {
    PyObject_HEAD
    PyObject *batch;
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
} ColumnObject;

static PyObject *stream_error(struct ArrowArrayStream *stream) {
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    PyErr_SetString(PyExc_RuntimeError, why ? why : "the Arrow stream failed");
    return NULL;
}

static PyObject *open_reader(PyObject *class, PyObject *capsule) {
    (void)class;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, STREAM_CAPSULE);
    if (!stream) return NULL;
    if (!stream->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was read before");
        return NULL;
    }
    ReaderObject *reader = PyObject_New(ReaderObject, reader_type);
    if (!reader) return NULL;
    memset(&reader->schema, 0, sizeof reader->schema);
    Py_INCREF(capsule);
    reader->capsule = capsule;
    reader->stream = stream;
    if (!stream->get_schema(stream, &reader->schema)) return (PyObject *)reader;
    Py_DECREF(reader);
    return stream_error(stream);
}

static void free_reader(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    ReaderObject *reader = (ReaderObject *)self;
    if (reader->schema.release) reader->schema.release(&reader->schema);
    Py_DECREF(reader->capsule);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *next_batch(PyObject *self) {
    ReaderObject *reader = (ReaderObject *)self;
    BatchObject *batch = PyObject_New(BatchObject, batch_type);
    if (!batch) return NULL;
    memset(&batch->array, 0, sizeof batch->array);
    Py_INCREF(self);
    batch->reader = self;
    int failed;
    Py_BEGIN_ALLOW_THREADS
    failed = reader->stream->get_next(reader->stream, &batch->array);
    Py_END_ALLOW_THREADS
    if (!failed && batch->array.release) return (PyObject *)batch;
    Py_DECREF(batch);
    return failed ? stream_error(reader->stream) : NULL; /* NULL without an exception: the end */
}

static PyObject *reader_names(PyObject *self, void *unused) {
    (void)unused;
    const struct ArrowSchema *schema = &((ReaderObject *)self)->schema;
    PyObject *names = PyTuple_New((Py_ssize_t)schema->n_children);
    for (int64_t i = 0; names && i < schema->n_children; ++i) {
        const char *name = schema->children[i]->name ? schema->children[i]->name : "";
        PyObject *string = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (!string || PyTuple_SetItem(names, (Py_ssize_t)i, string) < 0) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

/* The value of the key in a schema's metadata; NULL when there is none. */
static const char *metadata_of(const char *at, const char *key, int32_t *bytes) {
    if (!at) return NULL;
    int32_t pairs, length;
    memcpy(&pairs, at, 4);
    at += 4;
    for (int32_t i = 0; i < pairs; ++i) {
        memcpy(&length, at, 4);
        const int is_key = length == (int32_t)strlen(key) && memcmp(at + 4, key, (size_t)length) == 0;
        at += 4 + length;
        memcpy(bytes, at, 4);
        if (is_key) return at + 4;
        at += 4 + *bytes;
    }
    return NULL;
}

static PyObject *format_of(const struct ArrowSchema *schema) {
    return PyUnicode_FromString(schema->format);
}

static PyObject *type_name(const struct ArrowSchema *schema) {
    int32_t bytes = 0;
    const char *name = metadata_of(schema->metadata, "pelorus.type", &bytes);
    if (!name) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(name, bytes, "replace");
}

/* (format, format of the dictionary or None, type's name or None) of each column. */
static PyObject *reader_formats(PyObject *self, void *unused) {
    (void)unused;
    const struct ArrowSchema *schema = &((ReaderObject *)self)->schema;
    PyObject *formats = PyTuple_New((Py_ssize_t)schema->n_children);
    for (int64_t i = 0; formats && i < schema->n_children; ++i) {
        const struct ArrowSchema *child = schema->children[i];
        PyObject *triple = Py_BuildValue("NzN", format_of(child), child->dictionary ? child->dictionary->format : NULL, type_name(child));
        if (!triple || PyTuple_SetItem(formats, (Py_ssize_t)i, triple) < 0) {
            Py_DECREF(formats);
            return NULL;
        }
    }
    return formats;
}

static PyGetSetDef reader_fields[] = {{"names", reader_names, NULL, "names of the columns", NULL},
                                      {"formats", reader_formats, NULL, "(format, dictionary's format, language's type) of each column", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyObject *self_iterator(PyObject *self) {
    Py_INCREF(self);
    return self;
}
static PyMethodDef reader_methods[] = {{"open", open_reader, METH_O | METH_STATIC, "open(capsule): reads an Arrow C stream."}, {NULL, NULL, 0, NULL}};
static PyType_Slot reader_slots[] = {{Py_tp_dealloc, free_reader}, {Py_tp_iter, self_iterator}, {Py_tp_iternext, next_batch}, {Py_tp_methods, reader_methods},
                                     {Py_tp_getset, reader_fields}, {Py_tp_doc, "Batches of an Arrow C stream."}, {0, NULL}};
static PyType_Spec reader_spec = {"pelorus._core.Reader", sizeof(ReaderObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, reader_slots};

static void free_batch(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    BatchObject *batch = (BatchObject *)self;
    if (batch->array.release) batch->array.release(&batch->array);
    Py_DECREF(batch->reader);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *new_column(PyObject *batch, const struct ArrowSchema *schema, const struct ArrowArray *array) {
    ColumnObject *column = PyObject_New(ColumnObject, column_type);
    if (!column) return NULL;
    Py_INCREF(batch);
    column->batch = batch;
    column->schema = schema;
    column->array = array;
    return (PyObject *)column;
}

static PyObject *batch_column(PyObject *self, PyObject *at) {
    BatchObject *batch = (BatchObject *)self;
    const long long i = PyLong_AsLongLong(at);
    if (i == -1 && PyErr_Occurred()) return NULL;
    if (i < 0 || i >= batch->array.n_children) {
        PyErr_SetString(PyExc_IndexError, "no such column");
        return NULL;
    }
    return new_column(self, ((ReaderObject *)batch->reader)->schema.children[i], batch->array.children[i]);
}

static PyObject *batch_length(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(((BatchObject *)self)->array.length);
}

static PyGetSetDef batch_fields[] = {{"length", batch_length, NULL, "rows", NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef batch_methods[] = {{"column", batch_column, METH_O, "column(at)"}, {NULL, NULL, 0, NULL}};
static PyType_Slot batch_slots[] = {{Py_tp_dealloc, free_batch}, {Py_tp_methods, batch_methods}, {Py_tp_getset, batch_fields}, {Py_tp_doc, "Rows of a stream."}, {0, NULL}};
static PyType_Spec batch_spec = {"pelorus._core.Batch", sizeof(BatchObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, batch_slots};

/* ---- Column -------------------------------------------------------------------------------------------------- */

static void free_column(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((ColumnObject *)self)->batch);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int is_text(const char *format) {
    return format[0] == 'u' || format[0] == 'U' || format[0] == 'z' || format[0] == 'Z';
}

static int has_long_offsets(const char *format) {
    return format[0] == 'U' || format[0] == 'Z' || strcmp(format, "+L") == 0;
}

static int64_t offset_at(const struct ArrowArray *array, const char *format, int64_t at) {
    return has_long_offsets(format) ? ((const int64_t *)array->buffers[1])[at] : ((const int32_t *)array->buffers[1])[at];
}

static int64_t buffer_bytes(const struct ArrowArray *array, const char *format, int64_t which) {
    const int64_t end = array->offset + array->length;
    if (which == 0 || format[0] == 'b') return (end + 7) / 8;
    if (which == 2) return is_text(format) ? offset_at(array, format, end) : 0;
    if (is_text(format) || format[0] == '+') return (end + 1) * (has_long_offsets(format) ? 8 : 4);
    return end * element_bytes(format);
}

static PyObject *column_buffers(PyObject *self, void *unused) {
    (void)unused;
    ColumnObject *column = (ColumnObject *)self;
    const struct ArrowArray *array = column->array;
    PyObject *buffers = PyTuple_New((Py_ssize_t)array->n_buffers);
    for (int64_t i = 0; buffers && i < array->n_buffers; ++i) {
        PyObject *buffer;
        if (array->buffers[i]) {
            buffer = new_buffer(column->batch, array->buffers[i], buffer_bytes(array, column->schema->format, i));
        } else {
            buffer = Py_None;
            Py_INCREF(buffer);
        }
        if (!buffer || PyTuple_SetItem(buffers, (Py_ssize_t)i, buffer) < 0) {
            Py_DECREF(buffers);
            return NULL;
        }
    }
    return buffers;
}

static PyObject *column_length(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(((ColumnObject *)self)->array->length);
}
static PyObject *column_offset(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(((ColumnObject *)self)->array->offset);
}
static PyObject *column_nulls(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(((ColumnObject *)self)->array->null_count);
}
static PyObject *column_format(PyObject *self, void *unused) {
    (void)unused;
    return format_of(((ColumnObject *)self)->schema);
}
static PyObject *column_type_name(PyObject *self, void *unused) {
    (void)unused;
    return type_name(((ColumnObject *)self)->schema);
}
static PyObject *column_dictionary(PyObject *self, void *unused) {
    (void)unused;
    const ColumnObject *column = (ColumnObject *)self;
    if (!column->array->dictionary) Py_RETURN_NONE;
    return new_column(column->batch, column->schema->dictionary, column->array->dictionary);
}
static PyObject *column_child(PyObject *self, void *unused) {
    (void)unused;
    const ColumnObject *column = (ColumnObject *)self;
    if (column->array->n_children != 1) Py_RETURN_NONE;
    return new_column(column->batch, column->schema->children[0], column->array->children[0]);
}

static int is_null_at(const struct ArrowArray *array, int64_t at) {
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    return bits && !(bits[at / 8] >> (at % 8) & 1);
}

static PyObject *decimal_at(const unsigned char *bytes) {
    PyObject *number = PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "y#s", (const char *)bytes, (Py_ssize_t)16, "little");
    if (!number || bytes[15] < 128) return number;
    PyObject *whole = PyLong_FromString("340282366920938463463374607431768211456", NULL, 10);
    PyObject *signed_number = whole ? PyNumber_Subtract(number, whole) : NULL;
    Py_XDECREF(whole);
    Py_DECREF(number);
    return signed_number;
}

static PyObject *item_at(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t at);

static PyObject *list_at(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t at) {
    const int64_t begin = offset_at(array, schema->format, at), end = offset_at(array, schema->format, at + 1);
    const struct ArrowArray *child = array->children[0];
    PyObject *list = PyList_New((Py_ssize_t)(end - begin));
    for (int64_t i = begin; list && i < end; ++i) {
        PyObject *element = item_at(schema->children[0], child, child->offset + i);
        if (!element || PyList_SetItem(list, (Py_ssize_t)(i - begin), element) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *integer_at(const void *data, char kind, int64_t at) {
    switch (kind) {
        case 'c':
            return PyLong_FromLong(((const int8_t *)data)[at]);
        case 'C':
            return PyLong_FromLong(((const uint8_t *)data)[at]);
        case 's':
            return PyLong_FromLong(((const int16_t *)data)[at]);
        case 'S':
            return PyLong_FromLong(((const uint16_t *)data)[at]);
        case 'i':
            return PyLong_FromLong(((const int32_t *)data)[at]);
        case 'I':
            return PyLong_FromUnsignedLong(((const uint32_t *)data)[at]);
        case 'L':
            return PyLong_FromUnsignedLongLong(((const uint64_t *)data)[at]);
        default:
            return PyLong_FromLongLong(((const int64_t *)data)[at]);
    }
}

static PyObject *text_at(const struct ArrowArray *array, const char *format, int64_t at) {
    const int64_t begin = offset_at(array, format, at), end = offset_at(array, format, at + 1);
    const char *bytes = array->buffers[2] ? (const char *)array->buffers[2] + begin : "";
    if (format[0] == 'z' || format[0] == 'Z') return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)(end - begin));
    return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)(end - begin), "replace");
}

/* The element as int, float, bool, str, bytes, list or None: times and decimals as their numbers. */
static PyObject *item_at(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t at) {
    const char *format = schema->format;
    if (format[0] == 'n' || is_null_at(array, at)) Py_RETURN_NONE;
    const void *data = array->n_buffers > 1 ? array->buffers[1] : NULL;
    if (schema->dictionary) {
        PyObject *index = integer_at(data, format[0], at);
        const long long place = index ? PyLong_AsLongLong(index) : -1;
        Py_XDECREF(index);
        if (place == -1 && PyErr_Occurred()) return NULL;
        return item_at(schema->dictionary, array->dictionary, array->dictionary->offset + place);
    }
    if (is_text(format)) return text_at(array, format, at);
    switch (format[0]) {
        case 'b':
            return PyBool_FromLong(((const uint8_t *)data)[at / 8] >> (at % 8) & 1);
        case 'f':
            return PyFloat_FromDouble(((const float *)data)[at]);
        case 'g':
            return PyFloat_FromDouble(((const double *)data)[at]);
        case 'd':
            return decimal_at((const unsigned char *)data + 16 * at);
        case 'w': {
            const int64_t width = element_bytes(format);
            return PyBytes_FromStringAndSize((const char *)data + width * at, (Py_ssize_t)width);
        }
        case 't':
            return integer_at(data, element_bytes(format) == 4 ? 'i' : 'l', at);
        case '+':
            return list_at(schema, array, at);
        default:
            return integer_at(data, format[0], at);
    }
}

static PyObject *column_items(PyObject *self, PyObject *arguments) {
    const ColumnObject *column = (ColumnObject *)self;
    long long begin = 0, count = column->array->length;
    if (!PyArg_ParseTuple(arguments, "|LL", &begin, &count)) return NULL;
    if (begin < 0 || count < 0 || begin > column->array->length || count > column->array->length - begin) {
        PyErr_SetString(PyExc_IndexError, "no such elements");
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (long long i = 0; list && i < count; ++i) {
        PyObject *item = item_at(column->schema, column->array, column->array->offset + begin + i);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyGetSetDef column_fields[] = {{"format", column_format, NULL, "Arrow's format string; of a dictionary's indexes", NULL},
                                      {"type", column_type_name, NULL, "the language's type where Arrow has none", NULL},
                                      {"length", column_length, NULL, "elements", NULL},
                                      {"offset", column_offset, NULL, "elements of the buffers before the first one", NULL},
                                      {"null_count", column_nulls, NULL, "-1: not known", NULL},
                                      {"buffers", column_buffers, NULL, "Buffers or None: validity, then data", NULL},
                                      {"dictionary", column_dictionary, NULL, "Column of the dictionary's values, or None", NULL},
                                      {"child", column_child, NULL, "Column of a list's elements, or None", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef column_methods[] = {{"items", column_items, METH_VARARGS, "items(begin=0, count=all): a list of plain objects; times and decimals are numbers."},
                                       {NULL, NULL, 0, NULL}};
static PyType_Slot column_slots[] = {{Py_tp_dealloc, free_column}, {Py_tp_methods, column_methods}, {Py_tp_getset, column_fields}, {Py_tp_doc, "A column of a batch."}, {0, NULL}};
static PyType_Spec column_spec = {"pelorus._core.Column", sizeof(ColumnObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

int add_reader_types(PyObject *module) {
    return (buffer_type = add_type(module, &buffer_spec)) && (column_type = add_type(module, &column_spec)) && (batch_type = add_type(module, &batch_spec)) &&
                   (reader_type = add_type(module, &reader_spec))
               ? 0
               : -1;
}
