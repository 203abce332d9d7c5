// Databases and sessions of the C interface.
#include <cstring>

#include "apps/library/c_objects.h"
#include "apps/library/foreign_function.h"
#include "common/error.h"

namespace pelorus {

namespace {

constexpr const char* kForkHint =
    "Open the database anew in the process that was forked, or use multiprocessing's spawn.";

// The use of a session by one statement; empty when another one runs, or the process is a fork.
class SessionUse {
public:
    explicit SessionUse(pelorus_session& session) : session_(session) {
        if (session.process != ::getpid()) {
            refusal_ = misuse("The session belongs to the process that this one was forked from.", kForkHint);
        } else if (session.isBusy.exchange(true)) {
            refusal_ = misuse("The session runs another statement.", "Start a session for each thread.");
        } else {
            isHeld_ = true;
        }
    }
    ~SessionUse() {
        if (isHeld_) session_.isBusy = false;
    }
    SessionUse(const SessionUse&) = delete;
    SessionUse& operator=(const SessionUse&) = delete;

    // Null when the session is ours. The caller owns the error.
    pelorus_error* refusal() const { return refusal_; }

private:
    pelorus_session& session_;
    pelorus_error* refusal_ = nullptr;
    bool isHeld_ = false;
};

LibrarySession::Print printOf(const pelorus_events* events) {
    if (!events || !events->print) return {};
    return [events](std::string_view line) { events->print(events->data, line.data(), line.size()); };
}

// Runs a statement on the session's thread, one that is brief on the caller's.
pelorus_error* runStatement(pelorus_session& session, const pelorus_events* events, std::string_view script,
                            pelorus_value** place, bool mayBeBrief,
                            const std::function<Value(const LibrarySession::Print&)>& statement) {
    const SessionUse use(session);
    if (use.refusal()) return use.refusal();
    const auto poll = [&] {
        const bool isUnwanted = events && events->poll && events->poll(events->data) != 0;
        if (isUnwanted || session.isEnding) session.session->cancel();
    };
    const auto task = [&] { give(place, statement(printOf(events))); };
    return guarded(
        [&] {
            if (mayBeBrief && session.session->isBrief(script)) return task();
            session.thread.run(task, poll);
        },
        script);
}

std::string orEmpty(const char* string) {
    return string ? string : "";
}

}  // namespace

pelorus_error* usingSession(pelorus_session& session, const std::function<void()>& work) {
    const SessionUse use(session);
    return use.refusal() ? use.refusal() : guarded(work);
}

}  // namespace pelorus

using namespace pelorus;

const char* pelorus_version(void) {
    return "0.1.0";
}

pelorus_error* pelorus_open(const char* folder, const char* settings, pelorus_database** database) {
    return guarded([&] { *database = new pelorus_database{openLibraryDatabase(orEmpty(folder), orEmpty(settings))}; });
}

pelorus_error* pelorus_connect(const char* address, const pelorus_login* login, pelorus_database** database) {
    return guarded([&] {
        NodeLogin named{.address = orEmpty(address)};
        if (login) {
            named.user = orEmpty(login->user);
            named.password = orEmpty(login->password);
            named.usesTls = login->uses_tls != 0;
            named.certificates = orEmpty(login->tls_certificate);
            if (login->connect_timeout_ms > 0) named.connectTimeoutMillis = login->connect_timeout_ms;
        }
        *database = new pelorus_database{nodeLibraryDatabase(named)};
    });
}

// A fork has the parent's locks as they were, and none of its threads: what belongs to the parent is left alone there.
void pelorus_close(pelorus_database* database) {
    if (database && database->process == ::getpid()) delete database;
}

pelorus_error* pelorus_start_session(pelorus_database* database, pelorus_session** session) {
    if (database->process != ::getpid())
        return misuse("The database belongs to the process that this one was forked from.", kForkHint);
    return guarded([&] {
        auto made = std::make_unique<pelorus_session>();
        made->database = database->database;
        made->session = database->database->startSession();
        *session = made.release();
    });
}

void pelorus_end_session(pelorus_session* session) {
    if (!session || session->process != ::getpid()) return;
    session->isEnding = true;
    while (session->isBusy.exchange(true)) {
        session->session->cancel();
        std::this_thread::sleep_for(StatementThread::kPollInterval / 10);
    }
    delete session;
}

pelorus_error* pelorus_run(pelorus_session* session, const char* script, size_t bytes, const pelorus_events* events,
                           pelorus_value** value) {
    const std::string_view text(script, bytes);
    return runStatement(*session, events, text, value, true,
                        [&](const LibrarySession::Print& print) { return session->session->run(text, print); });
}

pelorus_error* pelorus_call(pelorus_session* session, const char* function, pelorus_value* const* arguments,
                            size_t count, const pelorus_events* events, pelorus_value** value) {
    return runStatement(*session, events, function, value, false, [&](const LibrarySession::Print& print) {
        std::vector<Value> given;
        given.reserve(count);
        for (size_t i = 0; i < count; ++i) given.push_back(arguments[i]->value);
        return session->session->call(function, std::move(given), print);
    });
}

pelorus_error* pelorus_put(pelorus_session* session, const char* name, const pelorus_value* value) {
    return usingSession(*session, [&] { session->session->put(name, value->value); });
}

pelorus_error* pelorus_get(pelorus_session* session, const char* name, pelorus_value** value) {
    return usingSession(*session, [&] { give(value, session->session->get(name)); });
}

int32_t pelorus_knows(pelorus_session* session, const char* name) {
    const SessionUse use(*session);
    if (use.refusal()) {
        pelorus_error_free(use.refusal());
        return 0;
    }
    if (session->session->hasVariable(name)) return 1;
    return session->session->hasFunction(name) ? 2 : 0;
}

pelorus_error* pelorus_define(pelorus_session* session, const char* name, int32_t parameters, int32_t is_elementwise,
                              pelorus_function function, void* data, void (*release)(void* data)) {
    return usingSession(*session, [&] {
        session->session->define(
            name, makeRef<ForeignFunction>(name, parameters, is_elementwise != 0, function, data, release));
    });
}

void pelorus_cancel(pelorus_session* session) {
    session->session->cancel();
}

void pelorus_progress_of(const pelorus_session* session, pelorus_progress* progress) {
    *progress = {};
    const Progress::Snapshot seen = session->session->progress();
    if (!seen.work) return;
    constexpr const char* kUnits[] = {"rows", "bytes", "tasks"};
    std::strncpy(progress->work, seen.work, sizeof progress->work - 1);
    std::strncpy(progress->unit, kUnits[static_cast<size_t>(seen.unit)], sizeof progress->unit - 1);
    progress->done = seen.done;
    progress->total = seen.total;
}
