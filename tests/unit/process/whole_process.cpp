#include "tests/unit/process/whole_process.h"
#include "runtime/function/principal.h"
#include "storage/version/metadata_embedded.h"

#include <sys/socket.h>

#include <array>
#include <thread>

#include "apps/process/wiring.h"
#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "net/connection.h"
#include "server/access/access_control.h"
#include "server/connection/client_connection.h"
#include "server/session/engine_host.h"
#include "server/session/session_registry.h"

namespace pelorus::testing {

struct WholeProcess::Parts {
    Process process{ProcessOptions()};
};

WholeProcess::WholeProcess() {
    registerAllFunctions();
    parts_ = std::make_unique<Parts>();
}
WholeProcess::~WholeProcess() = default;

const Services& WholeProcess::services() const {
    return parts_->process.services();
}

Value WholeProcess::run(std::string_view script) const {
    Request request{Principal::owner()};
    Context context(services(), request);
    Session session(services());
    return evaluate(script, session, context);
}

WholeProcess& wholeProcess() {
    static WholeProcess process;
    return process;
}

namespace {

// Session that returns its arguments, and runs nothing.
class EchoSession final : public ScriptSession {
public:
    Value run(Request&, std::string_view script) override { return Value::ofString(script.substr(0, 20)); }
    Value call(Request&, std::string_view expression, std::vector<Value> arguments) override {
        if (expression == "version") return Value::ofString("3.00");
        return Value::of(makeRef<Tuple>(std::move(arguments)));
    }
    Value apply(Request&, const Function&, std::vector<Value>) override { return Value(); }
    void setVariable(const std::string&, Value value) override { kept_ = std::move(value); }
    void clear() override {}

private:
    Value kept_;
};

class EchoHost final : public ScriptHost {
public:
    std::unique_ptr<ScriptSession> newSession() override { return std::make_unique<EchoSession>(); }
    std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
};

}  // namespace

struct ServedProcess::Parts {
    EchoHost host;
    SessionRegistry sessions;
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl access{*store, *store, policy};
    ServerParts server{host, sessions, access, policy};
};

ServedProcess::ServedProcess(bool guestsMayRun) : parts_(std::make_unique<Parts>()) {
    parts_->policy.guestsMayRun = guestsMayRun;
    parts_->policy.lineMillis = 2000;
}
ServedProcess::~ServedProcess() = default;

std::string ServedProcess::exchange(std::string_view bytes) const {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw SystemError("No socket pair.");
    std::string answer;
    std::thread client([&, fd = ends[1]] {
        for (std::string_view rest = bytes; !rest.empty();) {
            const ssize_t sent = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent <= 0) break;
            rest.remove_prefix(static_cast<size_t>(sent));
        }
        ::shutdown(fd, SHUT_WR);
        std::array<char, 65536> piece{};
        for (ssize_t got; (got = ::recv(fd, piece.data(), piece.size(), 0)) > 0;) {
            answer.append(piece.data(), static_cast<size_t>(got));
        }
        ::close(fd);
    });
    {
        ClientConnection connection(std::make_unique<Connection>(ends[0]), parts_->server);
        connection.serve();
    }
    client.join();
    return answer;
}

}  // namespace pelorus::testing
