// The structures of Arrow's C data interface and C stream interface, by which libraries of one process hand columns to
// each other without copies. Their layout is that of the published interface: never change it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pelorus::arrow {

// The type of an array and of those below it. Whoever made it sets `release`, which frees all that it points to, and
// sets itself to null; a structure without it is empty.
struct CSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t childCount;
    CSchema** children;
    CSchema* dictionary;
    void (*release)(CSchema*);
    void* privateData;
};

// The elements of an array, owned as a schema is.
struct CArray {
    int64_t length;
    int64_t nullCount;  // -1: unknown
    int64_t offset;     // elements of the buffers before the first one
    int64_t bufferCount;
    int64_t childCount;
    const void** buffers;
    CArray** children;
    CArray* dictionary;
    void (*release)(CArray*);
    void* privateData;
};

// Arrays of one schema, one after another. The functions return 0, or an `errno` that lastError explains; an array
// without `release` is the end. One thread uses it at a time.
struct CStream {
    int (*schema)(CStream*, CSchema* out);
    int (*next)(CStream*, CArray* out);
    const char* (*lastError)(CStream*);
    void (*release)(CStream*);
    void* privateData;
};

constexpr int64_t kDictionaryIsOrdered = 1, kIsNullable = 2, kMapKeysAreSorted = 4;

static_assert(sizeof(CSchema) == 72 && offsetof(CSchema, release) == 56);
static_assert(sizeof(CArray) == 80 && offsetof(CArray, release) == 64);
static_assert(sizeof(CStream) == 40 && offsetof(CStream, release) == 24);

}  // namespace pelorus::arrow
