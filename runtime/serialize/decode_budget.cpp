// Limits of a decoder, and bytes in memory as its source.
#include <atomic>
#include <cstring>

#include "common/error.h"
#include "runtime/memory/budget.h"
#include "runtime/serialize/value_decoder.h"

namespace pelorus {

static std::atomic<int64_t> requestBytes{0};  // 0: half of what the process may take

void StringSource::read(void* target, size_t sizeBytes) {
    if (sizeBytes > bytes_.size() - position_) throw SystemError("The bytes of a value end early.");
    if (sizeBytes > 0) std::memcpy(target, bytes_.data() + position_, sizeBytes);
    position_ += sizeBytes;
}

void StringSource::readUntilZero(std::string& string, size_t limitBytes) {
    const size_t end = bytes_.find('\0', position_);
    if (end == std::string_view::npos) throw SystemError("The bytes of a value end early.");
    if (end - position_ > limitBytes) malformed("a string of " + std::to_string(end - position_) + " bytes");
    string.assign(bytes_, position_, end - position_);
    position_ = end + 1;
}

DecodeBudget::DecodeBudget(Peer peer)
    : limit_(peer == Peer::Login    ? kLoginBytes
             : peer == Peer::Client ? maxRequestBytes()
                                    : INT64_MAX),
      valuesLeft_(peer == Peer::Login ? kLoginValues : INT64_MAX) {}

void DecodeBudget::charge(int64_t bytes) {
    const int64_t proportionate =
        received_ > INT64_MAX / (2 * kChargePerByte) ? INT64_MAX : kFreeBytes + received_ * kChargePerByte;
    if (bytes > limit_ - charged_) {
        throw UserError("The values of a request are larger than " + std::to_string(limit_) + " bytes.",
                        "Send them in parts, or raise maxRequestBytes.");
    }
    if (bytes > proportionate - charged_) malformed("they claim far more than the bytes that came");
    charged_ += bytes;
}

void DecodeBudget::charge(int64_t elements, int64_t bytesOfEach) {
    int64_t bytes = 0;
    charge(__builtin_mul_overflow(elements, bytesOfEach, &bytes) ? INT64_MAX : bytes);
}

void DecodeBudget::countValue() {
    if (--valuesLeft_ < 0) throw UserError("A request before login has at most 16 values.");
}

size_t DecodeBudget::stringLimit() const {
    return static_cast<size_t>(limit_ - charged_);
}

void setMaxRequestBytes(int64_t bytes) {
    requestBytes = bytes;
}
int64_t maxRequestBytes() {
    const int64_t set = requestBytes.load(std::memory_order_relaxed);
    const int64_t limit = memory::limitBytes();
    return set > 0 ? set : limit > 0 ? limit / 2 : INT64_MAX;
}

}  // namespace pelorus
