// All layers of a process, for tests that meet every function: one process per test program.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "runtime/value/value.h"

namespace pelorus::testing {

class WholeProcess {
public:
    WholeProcess();
    ~WholeProcess();

    const Services& services() const;
    // Runs a script in a new session.
    Value run(std::string_view script) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

WholeProcess& wholeProcess();

// A server over sockets of this process.
class ServedProcess {
public:
    explicit ServedProcess(bool guestsMayRun);
    ~ServedProcess();

    // Sends the bytes over a new connection, and returns the whole response. Ends when the server has closed, or when
    // it waits for more.
    std::string exchange(std::string_view bytes) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace pelorus::testing
