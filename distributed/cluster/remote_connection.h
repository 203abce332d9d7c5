// A connection to another server as a value of the language: conn("script"), conn("f", x, y), conn(f, x, y).
#pragma once

#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "net/client.h"
#include "runtime/function/function.h"

namespace pelorus {

// Thread-safe: calls queue.
class RemoteConnection final : public Function {
public:
    // Connects. Throws as Client does.
    explicit RemoteConnection(ClientOptions options);

    std::string_view name() const override { return "connection"; }
    const Signature& signature() const override { return signature_; }
    // The first argument is a script, the name of a function there, or a function that is sent along.
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string describe() const override { return description_; }
    std::string_view portableKind() const override { return "connection"; }
    // Throws UserError: a connection belongs to this process.
    Value save() const override;

private:
    Value callThere(const Function& function, std::span<const Value> arguments) const;

    mutable Mutex mutex_;  // orders calls: a client has one at a time
    std::unique_ptr<Client> client_;
    std::string description_;
    Signature signature_;
};

}  // namespace pelorus
