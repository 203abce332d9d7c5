#include "distributed/remote_connection.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/context.h"
#include "runtime/vector.h"

namespace pelorus {
namespace {

bool isName(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '!' || c == ':';
    });
}

}  // namespace

RemoteConnection::RemoteConnection(ClientOptions options) {
    const std::string address = options.host + ':' + std::to_string(options.port);
    client_ = std::make_unique<Client>(std::move(options));
    description_ = "Conn[" + address + ':' + std::to_string(client_->sessionId()) + ']';
    signature_.parameters = {{"script", false, false, Value()}, {"args", true, false, Value()}};
    signature_.variadic = true;
}

Value RemoteConnection::call(Context& context, std::span<Value> arguments) const {
    if (arguments.empty()) throw UserError("A connection is called with a script or a function.");
    std::lock_guard lock(mutex_);
    client_->onPrint(context.request->print);
    client_->setIdleCheck([&context] { context.checkCancelled(); });
    const Value& first = arguments[0];
    const std::span<const Value> rest = arguments.subspan(1);
    try {
        if (first.isFunction()) {
            const std::vector<Value> sent{first,
                                          Value::of(makeRef<Tuple>(std::vector<Value>(rest.begin(), rest.end())))};
            return client_->call("applyForNode", sent);
        }
        if (!first.isText()) throw UserError(0, "script must be a STRING or a function.");
        if (rest.empty()) return client_->run(first.text());
        if (!isName(first.text())) {
            throw UserError(0, "With arguments, script must be the name of a function, but it is '" +
                                   std::string(first.text()) + "'.");
        }
        return client_->call(first.text(), rest);
    } catch (const UserError& error) {
        throw UserError(client_->peerName() + ": " + error.what(), error.hint());
    }
}

Value RemoteConnection::save() const {
    throw UserError("A connection cannot be sent to another node.", "Connect there, with xdb.");
}

}  // namespace pelorus
