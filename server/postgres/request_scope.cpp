#include "server/postgres/request_scope.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "net/connection.h"
#include "postgres/sql_error.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "server/access/access_control.h"
#include "server/session/request_slot.h"
#include "server/session/server_parts.h"
#include "server/session/session_registry.h"

namespace pelorus::postgres {
namespace {

constexpr size_t kDescriptionBytes = 200;
constexpr size_t kMaxPrinted = 1000;
constexpr int64_t kNotedBytes = 64 << 10;
constexpr int64_t kUsersPart = 4;  // fraction of the memory that a user's clients may leave unread

}  // namespace

struct RequestScope::Open {
    Open(const Place& place, RequestSlot::Details details)
        : user(details.principal->user()),
          address(place.connection.peerHost()),
          log(place.sessionId),
          origin({.user = user, .address = address, .port = place.connection.peerPort(), .session = place.sessionId}),
          run(place.slot, place.server.sessions, std::move(details)),
          context(*place.server.services, run.request()) {}

    const std::string user, address;  // what `origin` refers to
    const LogSession log;
    const AuditOrigin origin;
    RequestSlot::Run run;
    Context context;
};

RequestScope::RequestScope(const Place& place) : place_(place) {
    CHECK(place.server.services != nullptr) << "the protocol is spoken where the services of the process are known";
}

RequestScope::~RequestScope() {
    if (heldBytes_ > 0) place_.server.sessions.holdAnswer(place_.sessionId, 0);
}

Context& RequestScope::open(std::string_view description, int64_t timeoutMillis) {
    if (open_) return open_->context;
    ServerParts& server = place_.server;
    if (server.state->isStopping) throw SqlError("57P01", "terminating connection due to administrator command");
    std::shared_ptr<const Principal> principal;
    try {
        if (place_.onlyAdministrators) server.requireAdministrator(place_.sessionId);
        principal = server.principalOf(place_.sessionId);
        requireLogin(*principal, "");
    } catch (const UserError& error) {
        throw SqlError("28000", error.what(), -1, error.hint());
    }
    const auto access = server.access.state();
    const UserEntry* user = access->user(principal->user());
    RequestSlot::Details details{.principal = std::move(principal),
                                 .sessionId = place_.sessionId,
                                 .description = hideSecretsInBeginning(description, kDescriptionBytes),
                                 .print = [this](std::string_view text) { print(text); },
                                 .notice = [this](std::string_view text) { print(text); },
                                 .maxSeconds = static_cast<double>(timeoutMillis) / 1000};
    if (user) {
        details.priority = std::min(details.priority, user->maxJobPriority);
        details.parallelism = std::min(details.parallelism, user->maxJobParallelism);
    }
    ++server.state->requests;
    open_ = std::make_unique<Open>(place_, std::move(details));
    return open_->context;
}

void RequestScope::close() {
    open_.reset();
}

void RequestScope::requireSize(const Value& result) const {
    CHECK(open_ != nullptr) << "a result is one of a running request";
    place_.server.requireSize(open_->run.request().principal(), result);
}

void RequestScope::holdAnswer(int64_t bytes) {
    if (bytes < kNotedBytes) bytes = 0;
    if (bytes == heldBytes_) return;
    int64_t most = 0;
    if (open_) {
        const Principal& user = open_->run.request().principal();
        if (!user.powers().everything && !user.isNode()) most = memory::limitBytes() / kUsersPart;
    }
    place_.server.sessions.holdAnswer(place_.sessionId, bytes, most);
    heldBytes_ = bytes;
}

RequestScope::Failure RequestScope::failed(const std::exception& error) {
    ++place_.server.state->failures;
    auditRefusal(error.what());
    if (!open_ || !open_->run.request().cancelled) return {};
    if (place_.server.state->isStopping) return {"57P01", "terminating connection due to administrator command"};
    const std::string why = place_.slot.explain("");
    return {std::string(sql_state::kQueryCanceled), why.empty() ? "canceling statement due to user request" : why};
}

Value RequestScope::runScript(std::string_view script, Context& context) {
    return place_.server.host.newSession()->run(*context.request, script);
}

void RequestScope::noteApplication(const std::string& name) {
    place_.server.sessions.setApplication(place_.sessionId, name);
}

StatementCache* RequestScope::statements() const {
    return place_.server.statements.get();
}

void RequestScope::print(std::string_view text) {
    const MutexLock lock(mutex_);
    if (printed_.size() < kMaxPrinted) printed_.emplace_back(text);
}

std::vector<std::string> RequestScope::takePrinted() {
    const MutexLock lock(mutex_);
    return std::exchange(printed_, {});
}

}  // namespace pelorus::postgres
