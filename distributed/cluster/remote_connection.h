// Connections to other servers as values of the language: conn("script"), conn("f", x, y), conn(f, x, y).
#pragma once

#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "net/client.h"
#include "runtime/function/function.h"

namespace pelorus {

// A function whose calls are carried out by another server, over a connection that it owns and closes when destroyed.
// The built-in xdb makes it. Thread-safe: concurrent calls wait for each other.
class RemoteConnection final : public Function {
public:
    // Connects and logs in. Throws as Client does.
    explicit RemoteConnection(ClientOptions options);

    std::string_view name() const override { return "connection"; }
    const Signature& signature() const override { return signature_; }
    // Returns the result of the other server. The first argument is a script, which takes no arguments; the name of a
    // function there; or a function, whose source text is sent along. Throws UserError with the server's message, and
    // SystemError when the connection fails. A cancelled request ends the wait.
    Value call(Context& context, std::span<Value> arguments) const override;
    // Returns how the server is reached, with the password.
    const ClientOptions& options() const { return options_; }
    std::string describe() const override { return description_; }
    std::string_view portableKind() const override { return "connection"; }
    // Throws UserError: a connection belongs to this process.
    Value save() const override;

private:
    Value callThere(const Function& function, std::span<const Value> arguments) const;

    mutable Mutex mutex_;  // held during a call: a client has one at a time
    std::unique_ptr<Client> client_;
    ClientOptions options_;  // without an idle check
    std::string description_;
    Signature signature_;
};

}  // namespace pelorus
