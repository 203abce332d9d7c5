// One input of the fuzzer of the wire: its first byte says who sends the rest.
#pragma once

#include <string_view>

#include "tests/support/wire_checks.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus::testing {

// 0, 1, 2: a value of an unauthenticated client, a client, a node; 3, 4: requests of an unauthenticated client, of a
// guest who may run scripts. Throws when the result is neither a value nor an error of ours, or it took more memory
// than the bytes account for.
inline void checkWireInput(std::string_view input) {
    if (input.empty()) return;
    const std::string_view bytes = input.substr(1);
    const int kind = static_cast<unsigned char>(input[0]) % 5;
    if (kind < 3) {
        checkValue(bytes, kind == 0 ? Peer::Login : kind == 1 ? Peer::Client : Peer::Node);
        return;
    }
    static const ServedProcess closed(false);
    static const ServedProcess open(true);
    const MemoryBound bound(memoryFor(bytes.size()));
    (kind == 4 ? open : closed).exchange(bytes);
}

}  // namespace pelorus::testing
