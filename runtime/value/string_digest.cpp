#include "runtime/value/string_digest.h"

#include <xxhash.h>

namespace pelorus {

StringDigest StringDigest::ofLong(std::string_view text) {
    constexpr uint64_t kMark = uint64_t{0xff} << 56;
    return {XXH3_64bits(text.data(), text.size()), kMark | uint64_t{text.size()}};
}

}  // namespace pelorus
