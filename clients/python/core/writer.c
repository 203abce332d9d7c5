/* Arrow streams of one batch, made of buffers that Python's objects lend. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define MAX_BUFFERS 3

/* A column that is lent: its names and buffers are released with the last array or schema that points to them. */
typedef struct Lent {
    char *name, *format;
    int64_t length, null_count;
    int count; /* of buffers */
    Py_buffer views[MAX_BUFFERS];
    const void *buffers[MAX_BUFFERS];
    struct Lent *dictionary;
} Lent;

typedef struct {
    int64_t references; /* guarded by the interpreter's lock */
    int64_t length, n_columns;
    Lent **columns;
    int is_read;
} Batch;

static void free_lent(Lent *lent) {
    if (!lent) return;
    for (int i = 0; i < lent->count; ++i) {
        if (lent->buffers[i]) PyBuffer_Release(&lent->views[i]);
    }
    free_lent(lent->dictionary);
    free(lent->name);
    free(lent->format);
    free(lent);
}

/* Consumers release arrays on any thread. */
static void drop(Batch *batch) {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE held = PyGILState_Ensure();
    if (--batch->references == 0) {
        for (int64_t i = 0; i < batch->n_columns; ++i) free_lent(batch->columns[i]);
        free(batch->columns);
        free(batch);
    }
    PyGILState_Release(held);
}

static void keep(Batch *batch) {
    const PyGILState_STATE held = PyGILState_Ensure();
    ++batch->references;
    PyGILState_Release(held);
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; ++i) {
        if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary) {
        if (schema->dictionary->release) schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    schema->release = NULL;
    drop(schema->private_data);
}

static void release_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; ++i) {
        if (array->children[i]->release) array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary) {
        if (array->dictionary->release) array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    array->release = NULL;
    drop(array->private_data);
}

static int fill_schema(Batch *batch, const Lent *lent, struct ArrowSchema *out) {
    memset(out, 0, sizeof *out);
    out->format = lent->format;
    out->name = lent->name;
    out->flags = 2; /* nullable */
    out->release = release_schema;
    out->private_data = batch;
    keep(batch);
    if (!lent->dictionary) return 0;
    out->dictionary = malloc(sizeof *out->dictionary);
    return out->dictionary ? fill_schema(batch, lent->dictionary, out->dictionary) : ENOMEM;
}

static int fill_array(Batch *batch, Lent *lent, struct ArrowArray *out) {
    memset(out, 0, sizeof *out);
    out->length = lent->length;
    out->null_count = lent->null_count;
    out->n_buffers = lent->count;
    out->buffers = lent->buffers;
    out->release = release_array;
    out->private_data = batch;
    keep(batch);
    if (!lent->dictionary) return 0;
    out->dictionary = malloc(sizeof *out->dictionary);
    return out->dictionary ? fill_array(batch, lent->dictionary, out->dictionary) : ENOMEM;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    Batch *batch = stream->private_data;
    memset(out, 0, sizeof *out);
    out->format = "+s";
    out->name = "";
    out->children = calloc((size_t)batch->n_columns + 1, sizeof *out->children);
    if (!out->children) return ENOMEM;
    out->release = release_schema;
    out->private_data = batch;
    keep(batch);
    for (int64_t i = 0; i < batch->n_columns; ++i) {
        out->children[i] = malloc(sizeof **out->children);
        if (!out->children[i] || fill_schema(batch, batch->columns[i], out->children[i])) {
            free(out->children[i]);
            out->release(out);
            return ENOMEM;
        }
        out->n_children = i + 1;
    }
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const void *no_validity[1];
    Batch *batch = stream->private_data;
    memset(out, 0, sizeof *out);
    if (batch->is_read) return 0;
    batch->is_read = 1;
    out->length = batch->length;
    out->n_buffers = 1;
    out->buffers = no_validity;
    out->children = calloc((size_t)batch->n_columns + 1, sizeof *out->children);
    if (!out->children) return ENOMEM;
    out->release = release_array;
    out->private_data = batch;
    keep(batch);
    for (int64_t i = 0; i < batch->n_columns; ++i) {
        out->children[i] = malloc(sizeof **out->children);
        if (!out->children[i] || fill_array(batch, batch->columns[i], out->children[i])) {
            free(out->children[i]);
            out->release(out);
            return ENOMEM;
        }
        out->n_children = i + 1;
    }
    return 0;
}

static const char *last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream) {
    Batch *batch = stream->private_data;
    stream->release = NULL;
    drop(batch);
}

/* Returns how many bytes the offsets of texts want; -1 for formats that are no texts. */
static Py_ssize_t offset_bytes(const char *format, int64_t length) {
    if (!strcmp(format, "U") || !strcmp(format, "Z")) return (Py_ssize_t)(8 * (length + 1));
    if (!strcmp(format, "u") || !strcmp(format, "z")) return (Py_ssize_t)(4 * (length + 1));
    return -1;
}

/* Whether the buffers have the bytes that the length and the format say; 0 with a ValueError otherwise. */
static int fits(const Lent *lent) {
    const Py_ssize_t bits = (Py_ssize_t)((lent->length + 7) / 8), offsets = offset_bytes(lent->format, lent->length);
    const Py_ssize_t data = lent->format[0] == 'b' ? bits : (Py_ssize_t)(element_bytes(lent->format) * lent->length);
    const Py_ssize_t second = offsets >= 0 ? offsets : data;
    int good = lent->length >= 0 && lent->count == (offsets >= 0 ? 3 : 2) && (!lent->buffers[0] || lent->views[0].len >= bits);
    good = good && (lent->length == 0 || (lent->buffers[1] && second > 0 && lent->views[1].len >= second));
    if (good && offsets >= 0 && lent->length > 0) {
        int32_t narrow = 0;
        int64_t last = 0;
        const char *end = (const char *)lent->buffers[1] + offsets;
        if (offsets == (Py_ssize_t)(8 * (lent->length + 1))) {
            memcpy(&last, end - 8, 8);
        } else {
            memcpy(&narrow, end - 4, 4);
            last = narrow;
        }
        good = last >= 0 && (last == 0 || (lent->buffers[2] && lent->views[2].len >= last));
    }
    if (!good) PyErr_Format(PyExc_ValueError, "the buffers of column %s do not have %lld elements of the format %s", lent->name, (long long)lent->length, lent->format);
    return good;
}

/* Returns a column of such a tuple as make_stream takes, or NULL with an exception. */
static Lent *lend(PyObject *tuple) {
    const char *name, *format;
    long long length, nulls;
    PyObject *buffers, *dictionary;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "a column is a tuple");
        return NULL;
    }
    if (!PyArg_ParseTuple(tuple, "ssLLO!O", &name, &format, &length, &nulls, &PyTuple_Type, &buffers, &dictionary)) return NULL;
    const Py_ssize_t count = PyTuple_Size(buffers);
    if (count > MAX_BUFFERS) {
        PyErr_SetString(PyExc_ValueError, "a column has three buffers at most");
        return NULL;
    }
    Lent *lent = calloc(1, sizeof *lent);
    if (!lent || !(lent->name = strdup(name)) || !(lent->format = strdup(format))) {
        free_lent(lent);
        PyErr_NoMemory();
        return NULL;
    }
    lent->length = length;
    lent->null_count = nulls;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *buffer = PyTuple_GetItem(buffers, i);
        lent->count = (int)i + 1;
        if (buffer == Py_None) continue;
        if (PyObject_GetBuffer(buffer, &lent->views[i], PyBUF_SIMPLE) < 0) {
            free_lent(lent);
            return NULL;
        }
        static const char kNoBytes[8];
        lent->buffers[i] = lent->views[i].buf ? lent->views[i].buf : kNoBytes;
    }
    if (!fits(lent) || (dictionary != Py_None && !(lent->dictionary = lend(dictionary)))) {
        free_lent(lent);
        return NULL;
    }
    return lent;
}

PyObject *make_stream(PyObject *module, PyObject *columns) {
    (void)module;
    PyObject *kept = PySequence_Tuple(columns);
    if (!kept) return NULL;
    Batch *batch = calloc(1, sizeof *batch);
    const Py_ssize_t count = PyTuple_Size(kept);
    if (batch) batch->columns = calloc((size_t)count + 1, sizeof *batch->columns);
    if (!batch || !batch->columns) {
        free(batch);
        Py_DECREF(kept);
        return PyErr_NoMemory();
    }
    batch->references = 1;
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; ++i) {
        Lent *lent = lend(PyTuple_GetItem(kept, i));
        failed = !lent;
        if (failed) break;
        batch->columns[i] = lent;
        batch->n_columns = i + 1;
        if (i == 0) batch->length = lent->length;
        if (lent->length != batch->length) {
            PyErr_Format(PyExc_ValueError, "column %s has %lld elements, the first one has %lld", lent->name, (long long)lent->length, (long long)batch->length);
            failed = 1;
        }
    }
    Py_DECREF(kept);
    struct ArrowArrayStream *stream;
    PyObject *capsule = failed ? NULL : new_stream(&stream);
    if (!capsule) {
        drop(batch);
        return NULL;
    }
    *stream = (struct ArrowArrayStream){get_schema, get_next, last_error, release_stream, batch};
    return capsule;
}

/* ---- Texts --------------------------------------------------------------------------------------------------- */

typedef struct {
    char *bytes;
    size_t size, room;
} Grown;

static int grow(Grown *to, const char *bytes, size_t count) {
    if (to->size + count > to->room) {
        const size_t room = 2 * (to->size + count) + 4096;
        char *moved = realloc(to->bytes, room);
        if (!moved) {
            PyErr_NoMemory();
            return -1;
        }
        to->bytes = moved;
        to->room = room;
    }
    memcpy(to->bytes + to->size, bytes, count);
    to->size += count;
    return 0;
}

/* None, NaN, NaT and pandas.NA are missing: each of them differs from itself, or says nothing when asked. */
static int is_missing(PyObject *item) {
    if (item == Py_None) return 1;
    PyObject *same = PyObject_RichCompare(item, item, Py_EQ);
    const int equal = same ? PyObject_IsTrue(same) : -1;
    Py_XDECREF(same);
    if (equal < 0) PyErr_Clear();
    return equal <= 0;
}

/* Adds an item. Returns 1 when it is missing, -1 with an exception for what is no text. */
static int add_text(Grown *texts, PyObject *item, Py_ssize_t at) {
    Py_ssize_t count;
    if (PyUnicode_Check(item)) {
        const char *bytes = PyUnicode_AsUTF8AndSize(item, &count);
        return bytes ? grow(texts, bytes, (size_t)count) : -1;
    }
    if (PyBytes_Check(item)) {
        char *bytes;
        return PyBytes_AsStringAndSize(item, &bytes, &count) < 0 ? -1 : grow(texts, bytes, (size_t)count);
    }
    if (is_missing(item)) return 1;
    PyErr_Format(PyExc_TypeError, "item %zd is no text: %R", at, item);
    return -1;
}

PyObject *text_buffers(PyObject *module, PyObject *items) {
    (void)module;
    const Py_ssize_t count = PySequence_Size(items);
    if (count < 0) return NULL;
    Grown texts = {0}, bits = {0};
    int64_t *offsets = malloc(sizeof *offsets * ((size_t)count + 1));
    bits.bytes = malloc(((size_t)count + 7) / 8 + 1);
    PyObject *result = NULL;
    long long missing = 0;
    if (!offsets || !bits.bytes) {
        PyErr_NoMemory();
        goto done;
    }
    memset(bits.bytes, 0xff, ((size_t)count + 7) / 8 + 1);
    offsets[0] = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *item = PySequence_GetItem(items, i);
        const int added = item ? add_text(&texts, item, i) : -1;
        Py_XDECREF(item);
        if (added < 0) goto done;
        if (added == 1) {
            bits.bytes[i / 8] = (char)(bits.bytes[i / 8] & ~(1 << (i % 8)));
            ++missing;
        }
        offsets[i + 1] = (int64_t)texts.size;
    }
    result = Py_BuildValue("y#y#y#L", bits.bytes, ((Py_ssize_t)count + 7) / 8, (const char *)offsets, (Py_ssize_t)sizeof *offsets * (count + 1),
                           texts.bytes ? texts.bytes : "", (Py_ssize_t)texts.size, missing);
done:
    free(offsets);
    free(bits.bytes);
    free(texts.bytes);
    return result;
}
