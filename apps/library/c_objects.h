// What the handles of the C interface (pelorus.h) point to.
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apps/library/library_session.h"
#include "apps/library/pelorus.h"
#include "apps/library/statement_thread.h"
#include "runtime/value/value.h"

struct pelorus_error {
    pelorus_error_kind kind;
    std::string message, hint, text;
    int32_t line = 0, column = 0;
};

struct pelorus_value {
    pelorus::Value value;
};

struct pelorus_database {
    std::shared_ptr<pelorus::LibraryDatabase> database;
    const pid_t process = ::getpid();
};

struct pelorus_session {
    std::shared_ptr<pelorus::LibraryDatabase> database;
    std::unique_ptr<pelorus::LibrarySession> session;
    const pid_t process = ::getpid();
    std::atomic<bool> isBusy{false};  // a statement of it runs
    std::atomic<bool> isEnding{false};
    pelorus::StatementThread thread;
};

namespace pelorus {

// Returns the error of the exception that is being handled; `script` is the text that ran. Never throws: without memory
// it is an error that says so.
pelorus_error* caughtError(std::string_view script) noexcept;
// Returns an error of kind PELORUS_MISUSE.
pelorus_error* misuse(std::string message, std::string hint = "");

// Runs a function that may throw, and returns its error or null.
template <class F>
pelorus_error* guarded(const F& f, std::string_view script = {}) noexcept {
    try {
        f();
        return nullptr;
    } catch (...) {
        return caughtError(script);
    }
}

// Does what is short and runs no code of a user on the caller's thread, while no statement of the session runs.
pelorus_error* usingSession(pelorus_session& session, const std::function<void()>& work);

// Returns a copy that std::free frees, ended by a zero. Throws bad_alloc.
char* allocatedCopy(std::string_view string);

inline void give(pelorus_value** place, Value value) {
    *place = new pelorus_value{std::move(value)};
}

}  // namespace pelorus
