// Checks properties that decoding must have for any bytes, for the fuzzer and the test that runs without one.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/error.h"
#include "runtime/memory/budget.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/print.h"

namespace pelorus::testing {

// Returns the maximum memory of a value while and after it is decoded, in proportion to the bytes that came.
constexpr int64_t memoryFor(size_t sizeBytes) {
    return (int64_t{48} << 20) + 1024 * static_cast<int64_t>(sizeBytes);
}

// Scope that lowers the memory limit of the process to the memory in use and `more`.
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

// Decodes the bytes, and returns whether they are a value. Throws std::logic_error unless they are a value or an Error
// within the memory bound, and the value can be printed and encoded for its sender.
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
