#include "storage/codec/byte_planes.h"

#include <algorithm>
#include <bit>

#include "common/check.h"
#include "common/widest.h"
#include "storage/codec/general.h"

namespace pelorus::codec {

static constexpr size_t kMaxPlanes = 4;

bool encodePlanes(std::span<const uint64_t> numbers, std::string& bytes) {
    const uint64_t* from = numbers.data();
    const size_t n = numbers.size();
    const uint64_t bits = onWidest([=]() __attribute__((always_inline)) {
        uint64_t all = 0;
        for (size_t i = 0; i < n; ++i) all |= from[i];
        return all;
    });
    const size_t count = std::max<size_t>(1, (static_cast<size_t>(std::bit_width(bits)) + 7) / 8);
    if (count > kMaxPlanes) return false;
    ByteWriter writer(bytes);
    writer.fixed(static_cast<uint8_t>(count));
    std::string plane(n, '\0');
    for (size_t p = 0; p < count; ++p) {
        char* to = plane.data();
        const size_t shift = 8 * p;
        onWidest([=]() __attribute__((always_inline)) {
            for (size_t i = 0; i < n; ++i) to[i] = static_cast<char>(from[i] >> shift);
        });
        writer.string(zstd(plane));
    }
    return true;
}

void PlaneReader::open(ByteReader& reader, int64_t n) {
    n_ = static_cast<size_t>(n);
    count_ = reader.fixed<uint8_t>();
    if (count_ == 0 || count_ > kMaxPlanes) throw SystemError("a number of byte planes is wrong");
    planes_.resize(count_ * n_);
    for (size_t p = 0; p < count_; ++p) unzstd(reader.string(), planes_.data() + p * n_, n_);
}

template <class Number>
void PlaneReader::next(Number* numbers, int count) {
    CHECK(at_ + static_cast<size_t>(count) <= n_) << "no more numbers are read than the planes hold";
    for (size_t p = 0; p < count_; ++p) {
        const auto* __restrict from = reinterpret_cast<const uint8_t*>(planes_.data()) + p * n_ + at_;
        const size_t shift = 8 * p;
        onWidest([=]() __attribute__((always_inline)) {
            if (p == 0) {
                for (int i = 0; i < count; ++i) numbers[i] = from[i];
            } else {
                for (int i = 0; i < count; ++i) numbers[i] |= static_cast<Number>(from[i]) << shift;
            }
        });
    }
    at_ += static_cast<size_t>(count);
}

template void PlaneReader::next(uint32_t*, int);
template void PlaneReader::next(uint64_t*, int);

}  // namespace pelorus::codec
