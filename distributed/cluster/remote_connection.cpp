#include "distributed/cluster/remote_connection.h"

#include <algorithm>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "interpreter/bytecode/function_text.h"
#include "runtime/function/context.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

bool isName(std::string_view string) {
    return !string.empty() && std::all_of(string.begin(), string.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '!' || c == ':';
    });
}

}  // namespace

RemoteConnection::RemoteConnection(ClientOptions options) {
    const std::string address = options.host + ':' + std::to_string(options.port);
    options_ = options;
    options_.idleCheck = {};
    client_ = std::make_unique<Client>(std::move(options));
    description_ = "Conn[" + address + ':' + std::to_string(client_->sessionId()) + ']';
    signature_.parameters = {{"script", false, false, Value()}, {"args", true, false, Value()}};
    signature_.variadic = true;
}

Value RemoteConnection::call(Context& context, std::span<Value> arguments) const {
    if (arguments.empty()) throw UserError("A connection is called with a script or a function.");
    const MutexLock lock(mutex_);
    client_->onPrint(context.request->print);
    client_->setIdleCheck([&context] { context.checkCancelled(); });
    const Value& first = arguments[0];
    const std::span<const Value> rest = arguments.subspan(1);
    try {
        if (first.isFunction()) return callThere(first.function(), rest);
        if (!first.isString()) throw UserError(0, "script must be a STRING or a function.");
        if (rest.empty()) return client_->run(first.string());
        if (!isName(first.string())) {
            throw UserError(0, "With arguments, script must be the name of a function, but it is '" +
                                   std::string(first.string()) + "'.");
        }
        return client_->call(first.string(), rest);
    } catch (const UserError& error) {
        throw UserError(client_->peerName() + ": " + error.what(), error.hint());
    }
}

// Calls a function there. The other side is a server like any other: it gets the source text of the function and its
// arguments, and no more.
Value RemoteConnection::callThere(const Function& function, std::span<const Value> arguments) const {
    const FunctionText string = functionText(function);
    std::vector<Value> all;
    size_t next = 0;
    for (const Value& v : string.leading) {
        const bool filled = isOmitted(v) && !isDefaultArgument(v) && next < arguments.size();
        all.push_back(filled ? arguments[next++] : v);
    }
    for (; next < arguments.size(); ++next) all.push_back(arguments[next]);
    if (!string.definitions.empty()) client_->run(string.definitions);
    return client_->call(string.name, all);
}

Value RemoteConnection::save() const {
    throw UserError("A connection cannot be sent to another node.", "Connect there, with xdb.");
}

}  // namespace pelorus
