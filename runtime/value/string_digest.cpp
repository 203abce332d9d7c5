#include "runtime/value/string_digest.h"

#include <xxhash.h>

namespace pelorus {

StringDigest StringDigest::ofLong(std::string_view string) {
    constexpr uint64_t kMark = uint64_t{0xff} << 56;
    return {XXH3_64bits(string.data(), string.size()), kMark | uint64_t{string.size()}};
}

}  // namespace pelorus
