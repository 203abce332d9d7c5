/* The engine of Pelorus in a program: databases of this process, or of a node, behind one interface.
 *
 * A database gives sessions, a session runs scripts and functions, and tables go in and out by Arrow's C stream
 * interface. Every function that can fail returns NULL, or an error that the caller frees; then it has done nothing,
 * and its results are not set. Strings are UTF-8. A session runs one statement at a time: a second one that begins
 * meanwhile is refused. All else may be called by any thread.
 *
 * No signal handlers are installed. A process that forked may use no database that it had before: calls say so. */
#ifndef PELORUS_H
#define PELORUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PELORUS_API __attribute__((visibility("default")))
#else
#define PELORUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pelorus_database pelorus_database;
typedef struct pelorus_session pelorus_session;
typedef struct pelorus_value pelorus_value;
typedef struct pelorus_error pelorus_error;
struct ArrowArrayStream; /* of Arrow's C stream interface, 40 bytes */

/* The version, as in "0.1.0". */
PELORUS_API const char* pelorus_version(void);

/* ---- Errors -------------------------------------------------------------------------------------------------- */

typedef enum {
    PELORUS_USER_ERROR = 1, /* the script or its data is at fault */
    PELORUS_SYNTAX_ERROR,   /* the script does not parse; nothing ran */
    PELORUS_SYSTEM_ERROR,   /* disk, network or another process refused */
    PELORUS_MEMORY_ERROR,   /* the memory limit, or the machine's memory */
    PELORUS_CANCELLED,      /* pelorus_cancel, or `poll` */
    PELORUS_MISUSE,         /* a session that is busy, a value of another form, a process that forked */
    PELORUS_INTERNAL_ERROR  /* a defect of Pelorus */
} pelorus_error_kind;

PELORUS_API pelorus_error_kind pelorus_error_kind_of(const pelorus_error* error);
/* What is wrong, and what to do about it (empty when the message says enough). Valid until the error is freed. */
PELORUS_API const char* pelorus_error_message(const pelorus_error* error);
PELORUS_API const char* pelorus_error_hint(const pelorus_error* error);
/* The message with place, line of the script and caret, as the console shows it. */
PELORUS_API const char* pelorus_error_text(const pelorus_error* error);
/* The place in the script, from 1 on; 0 where it is not known. Columns count bytes. */
PELORUS_API int32_t pelorus_error_line(const pelorus_error* error);
PELORUS_API int32_t pelorus_error_column(const pelorus_error* error);
PELORUS_API void pelorus_error_free(pelorus_error* error); /* NULL is allowed */

/* ---- Databases and sessions ---------------------------------------------------------------------------------- */

/* Opens the database in a folder, which is made where there is none; NULL or "" for one in a temporary folder, which is
 * removed at the end. A folder has one owner: one that is open already, here or in another process, is a system error.
 * `settings` is a file as `pelorus serve --config` takes, or NULL. */
PELORUS_API pelorus_error* pelorus_open(const char* folder, const char* settings, pelorus_database** database);

typedef struct {
    const char* user; /* NULL: nobody, a guest */
    const char* password;
    int32_t uses_tls;            /* 0 or 1 */
    const char* tls_certificate; /* file of trusted certificates; NULL: those of the system */
    int32_t connect_timeout_ms;  /* 0: 2500 */
} pelorus_login;

/* Names a node, "host:port". Each session is a connection of its own; this one is tried at once. */
PELORUS_API pelorus_error* pelorus_connect(const char* address, const pelorus_login* login,
                                           pelorus_database** database);

/* Gives the database up. It ends with its last session. NULL is allowed. */
PELORUS_API void pelorus_close(pelorus_database* database);

PELORUS_API pelorus_error* pelorus_start_session(pelorus_database* database, pelorus_session** session);
/* Ends the session, and cancels what it runs: waits for it. NULL is allowed. */
PELORUS_API void pelorus_end_session(pelorus_session* session);

/* What a statement calls while it runs. All may be NULL. */
typedef struct {
    /* Called on the calling thread about twenty times a second; anything but 0 cancels the statement. */
    int (*poll)(void* data);
    /* Called with each line that the script prints, by the statement's own thread. */
    void (*print)(void* data, const char* line, size_t bytes);
    void* data;
} pelorus_events;

/* Runs a script. `value` becomes the value of its last statement when that is an expression, else VOID. */
PELORUS_API pelorus_error* pelorus_run(pelorus_session* session, const char* script, size_t bytes,
                                       const pelorus_events* events, pelorus_value** value);
/* Calls a function by name, or by an expression that yields one. The arguments stay the caller's. */
PELORUS_API pelorus_error* pelorus_call(pelorus_session* session, const char* function, pelorus_value* const* arguments,
                                        size_t count, const pelorus_events* events, pelorus_value** value);
/* Sets a variable of the session. The value stays the caller's. */
PELORUS_API pelorus_error* pelorus_put(pelorus_session* session, const char* name, const pelorus_value* value);
/* The value of a variable of the session, or of a shared table. */
PELORUS_API pelorus_error* pelorus_get(pelorus_session* session, const char* name, pelorus_value** value);
/* Whether the session knows the name: 1 for a variable, 2 for a function, 0 for neither. A node is asked
 * once between two statements. */
PELORUS_API int32_t pelorus_knows(pelorus_session* session, const char* name);

/* A function of the program: takes the arguments of one call, and sets `result` or returns the message of an error that
 * malloc gave, which the caller frees. It runs on a thread of the engine, several calls at once. */
typedef char* (*pelorus_function)(void* data, pelorus_value* const* arguments, size_t count, pelorus_value** result);
/* Makes a function of the session. `release` is called with `data` when nobody can call it any more. Databases of this
 * process only. With `is_elementwise` its result has an element for each of the vectors that it takes. */
PELORUS_API pelorus_error* pelorus_define(pelorus_session* session, const char* name, int32_t parameters,
                                          int32_t is_elementwise, pelorus_function function, void* data,
                                          void (*release)(void* data));

/* Cancels what the session runs, within a second. Safe in a signal handler. */
PELORUS_API void pelorus_cancel(pelorus_session* session);

typedef struct {
    char work[32]; /* "query", "import" …; empty while nothing counts */
    char unit[8];  /* "rows", "bytes", "tasks" */
    int64_t done;
    int64_t total; /* 0: not known */
} pelorus_progress;
/* How far the running statement is. Nodes do not say. */
PELORUS_API void pelorus_progress_of(const pelorus_session* session, pelorus_progress* progress);

/* ---- Editing ------------------------------------------------------------------------------------------------- */

/* A proposal: what replaces the script between `begin` and the cursor, what a list shows, and its kind: "variable",
 * "table", "column", "function", "parameter", "keyword", "database" or "file". */
typedef void (*pelorus_candidate)(void* data, const char* text, const char* shown, const char* kind);
/* Calls `each` with the proposals at a cursor, in bytes; best kind first. Takes a third of a second at most. */
PELORUS_API pelorus_error* pelorus_complete(pelorus_session* session, const char* script, size_t bytes, size_t cursor,
                                            pelorus_candidate each, void* data, size_t* begin);
/* The documentation of a function as Markdown; the empty string for another name. Freed by pelorus_string_free. */
PELORUS_API pelorus_error* pelorus_describe(pelorus_session* session, const char* name, char** markdown);
/* 1 when the script ends within a statement, so that another line must follow. */
PELORUS_API int32_t pelorus_is_unfinished(const char* script, size_t bytes);
/* A chart as a document of SVG. Width and height are 120 to 10000. Freed by pelorus_string_free. */
PELORUS_API pelorus_error* pelorus_draw(const pelorus_value* chart, int32_t width, int32_t height, int32_t is_dark,
                                        char** svg);

/* ---- Values -------------------------------------------------------------------------------------------------- */

typedef enum {
    PELORUS_SCALAR = 0,
    PELORUS_VECTOR,
    PELORUS_PAIR,
    PELORUS_MATRIX,
    PELORUS_SET,
    PELORUS_DICTIONARY,
    PELORUS_TABLE,
    PELORUS_TUPLE, /* a vector of any values */
    PELORUS_CHART,
    PELORUS_OTHER /* functions, code, handles */
} pelorus_form;

PELORUS_API void pelorus_value_free(pelorus_value* value); /* NULL is allowed */
/* Another handle of the same value. */
PELORUS_API pelorus_error* pelorus_value_copy(const pelorus_value* value, pelorus_value** copy);
PELORUS_API pelorus_form pelorus_form_of(const pelorus_value* value);
/* The name of the type, as in "DOUBLE"; that of the elements of vectors, and of the values of dictionaries. */
PELORUS_API const char* pelorus_type_of(const pelorus_value* value);
/* Elements, rows, keys; 1 for a scalar. */
PELORUS_API int64_t pelorus_size_of(const pelorus_value* value);
/* Columns of tables and matrices, else 1. */
PELORUS_API int64_t pelorus_width_of(const pelorus_value* value);
/* 1 for a NULL of any type, VOID included; the empty string is the NULL of texts. */
PELORUS_API int32_t pelorus_is_null(const pelorus_value* value);
/* The number of a scalar of a logical, integer or temporal type; of FLOAT and DOUBLE; the bytes of a text, which are
 * the value's. 0 and NULL for others. */
PELORUS_API int64_t pelorus_integer_of(const pelorus_value* value);
PELORUS_API double pelorus_real_of(const pelorus_value* value);
PELORUS_API const char* pelorus_text_of(const pelorus_value* value, size_t* bytes);
/* Element `at` of a vector or tuple; of a dictionary its value. */
PELORUS_API pelorus_error* pelorus_item_of(const pelorus_value* value, int64_t at, pelorus_value** item);
/* The keys of a dictionary, the elements of a set, the labels of a matrix's columns (VOID without labels). */
PELORUS_API pelorus_error* pelorus_keys_of(const pelorus_value* value, pelorus_value** keys);
/* The labels of a matrix's rows (VOID without labels). */
PELORUS_API pelorus_error* pelorus_row_labels_of(const pelorus_value* value, pelorus_value** labels);
/* What the console would show: of long values the beginning, or all of it. Freed by pelorus_string_free. */
PELORUS_API pelorus_error* pelorus_shown(const pelorus_value* value, int32_t is_whole, char** string);
PELORUS_API void pelorus_string_free(char* string);

/* Exports a table in batches of so many rows (0: 2^20; with texts never more); a vector, pair or scalar as one column
 * named `value`; a set as `key`; a dictionary of typed values as `key` and `value`; a matrix as columns named by its
 * labels, or `c0`, `c1` …. Elements that stand in Arrow as they do here are not copied. The stream keeps the value. A
 * table on disk is a user error: select its rows first. */
PELORUS_API pelorus_error* pelorus_export(const pelorus_value* value, int64_t rows, struct ArrowArrayStream* stream);
/* Makes a table of a stream, which is taken and released. `columns` are the names of those that are wanted; NULL for
 * all. Names of columns are those of the stream, made unique. */
PELORUS_API pelorus_error* pelorus_import(struct ArrowArrayStream* stream, const char* const* columns, size_t count,
                                          pelorus_value** table);

/* Scalars. `type` names a logical, integer or temporal type, as "LONG" or "NANOTIMESTAMP", whose number `x` is. */
PELORUS_API pelorus_error* pelorus_make_integer(const char* type, int64_t x, pelorus_value** value);
PELORUS_API pelorus_error* pelorus_make_null(const char* type, pelorus_value** value);
PELORUS_API pelorus_error* pelorus_make_real(double x, pelorus_value** value);
/* `type` is "STRING" or "BLOB". */
PELORUS_API pelorus_error* pelorus_make_text(const char* type, const char* bytes, size_t count, pelorus_value** value);
/* Column `at` of a table, as a vector. */
PELORUS_API pelorus_error* pelorus_column_of(const pelorus_value* table, int64_t at, pelorus_value** vector);
/* A matrix of a table's columns, which have one type. */
PELORUS_API pelorus_error* pelorus_make_matrix(const pelorus_value* table, pelorus_value** matrix);
/* A tuple of values, and a dictionary of keys (a vector, or a tuple of scalars) and values (a tuple). */
PELORUS_API pelorus_error* pelorus_make_tuple(pelorus_value* const* items, size_t count, pelorus_value** tuple);
PELORUS_API pelorus_error* pelorus_make_dictionary(pelorus_value* const* keys, pelorus_value* const* values,
                                                   size_t count, pelorus_value** dictionary);

#ifdef __cplusplus
}
#endif

#endif
