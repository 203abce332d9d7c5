// Owners of the handles of the C interface, for its tests.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "apps/library/pelorus.h"

namespace pelorus::testing {

struct HandleDeleter {
    void operator()(pelorus_error* error) const { pelorus_error_free(error); }
    void operator()(pelorus_value* value) const { pelorus_value_free(value); }
    void operator()(pelorus_database* database) const { pelorus_close(database); }
    void operator()(pelorus_session* session) const { pelorus_end_session(session); }
};
using OwnedError = std::unique_ptr<pelorus_error, HandleDeleter>;
using OwnedValue = std::unique_ptr<pelorus_value, HandleDeleter>;
using OwnedDatabase = std::unique_ptr<pelorus_database, HandleDeleter>;
using OwnedSession = std::unique_ptr<pelorus_session, HandleDeleter>;

// Fails the test with the error's text when there is one.
inline void require(pelorus_error* error) {
    const OwnedError owned(error);
    INFO((error ? pelorus_error_text(error) : ""));
    REQUIRE(error == nullptr);
}

inline OwnedDatabase openTemporary() {
    pelorus_database* database = nullptr;
    require(pelorus_open(nullptr, nullptr, &database));
    return OwnedDatabase(database);
}

inline OwnedSession startSession(const OwnedDatabase& database) {
    pelorus_session* session = nullptr;
    require(pelorus_start_session(database.get(), &session));
    return OwnedSession(session);
}

inline OwnedValue run(const OwnedSession& session, const std::string& script, const pelorus_events* events = nullptr) {
    pelorus_value* value = nullptr;
    require(pelorus_run(session.get(), script.data(), script.size(), events, &value));
    return OwnedValue(value);
}

// Returns the error of a script that fails.
inline OwnedError failureOf(const OwnedSession& session, const std::string& script,
                            const pelorus_events* events = nullptr) {
    pelorus_value* value = nullptr;
    OwnedError error(pelorus_run(session.get(), script.data(), script.size(), events, &value));
    pelorus_value_free(value);
    REQUIRE(error != nullptr);
    return error;
}

inline std::string shown(const OwnedValue& value) {
    char* string = nullptr;
    require(pelorus_shown(value.get(), 1, &string));
    const std::string copy = string;
    pelorus_string_free(string);
    return copy;
}

}  // namespace pelorus::testing
