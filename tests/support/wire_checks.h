// What must hold of any bytes that arrive, used by the fuzzer and by the test that runs without one.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/error.h"
#include "runtime/memory/budget.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/print.h"

namespace pelorus::testing {

// What a value may take while it is read and once it is there, in proportion to the bytes that came.
constexpr int64_t memoryFor(size_t sizeBytes) {
    return (int64_t{48} << 20) + 1024 * static_cast<int64_t>(sizeBytes);
}

// Lowers the limit of the process to what is in use and `more`, as long as it lives.
class MemoryBound {
public:
    explicit MemoryBound(int64_t more) : before_(memory::limitBytes()) {
        memory::setLimitBytes(memory::usedBytes() + more);
    }
    ~MemoryBound() { memory::setLimitBytes(before_); }
    MemoryBound(const MemoryBound&) = delete;
    MemoryBound& operator=(const MemoryBound&) = delete;

private:
    int64_t before_;
};

// The bytes are a value or an error of ours, within the bound. A value can be shown, and sent on to where it came from.
// Throws std::logic_error otherwise. True when they were a value.
inline bool checkValue(std::string_view bytes, Peer peer) {
    const MemoryBound bound(memoryFor(bytes.size()));
    StringSource source(bytes);
    Value value;
    try {
        value = decodeValue(source, peer);
        memory::passNotes();
        memory::checkLimit();
    } catch (const memory::OutOfMemory& error) {
        throw std::logic_error(std::string("reading took more memory than the bytes account for: ") + error.what());
    } catch (const InternalError& error) {
        throw std::logic_error(std::string("an internal error: ") + error.what());
    } catch (const Error&) {
        return false;
    }
    try {
        display(value);
        std::string again;
        encodeValue(value, peer == Peer::Login ? Peer::Client : peer, again);
    } catch (const InternalError& error) {
        throw std::logic_error(std::string("an internal error: ") + error.what());
    } catch (const Error&) {
    }
    return true;
}

}  // namespace pelorus::testing
