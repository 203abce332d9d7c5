// Longs are divided by one number through DOUBLE where that is exact: quotients and remainders are those of integers.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "common/type_table.h"
#include "runtime/kernel/block/block_kernels.h"

namespace pelorus {

namespace isa_v2 {
void fillBlockKernels(BlockKernels& kernels);
}
namespace isa_v3 {
void fillBlockKernels(BlockKernels& kernels);
}
namespace isa_v4 {
void fillBlockKernels(BlockKernels& kernels);
}

}  // namespace pelorus

using namespace pelorus;

namespace {

std::vector<BlockKernels> kernelsOfThisMachine() {
    std::vector<BlockKernels> all(1);
    isa_v2::fillBlockKernels(all.back());
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        isa_v3::fillBlockKernels(all.emplace_back());
    }
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        isa_v4::fillBlockKernels(all.emplace_back());
    }
    return all;
}

int64_t quotient(int64_t x, int64_t divisor) {
    const int64_t q = x / divisor;
    return x % divisor < 0 ? q - 1 : q;
}

// Numbers around multiples of the divisor, and around the largest that are divided through DOUBLE.
std::vector<int64_t> hardItems(int64_t divisor, int64_t largest, std::mt19937_64& random) {
    std::vector<int64_t> elements{null<int64_t>, 0, 1, -1, divisor, -divisor, largest, -largest};
    while (elements.size() < 2000) {
        const int bits = static_cast<int>(random() % 63);
        auto x = static_cast<int64_t>(random() >> 1 >> bits) % largest;
        if (random() % 2) x = x / divisor * divisor + static_cast<int64_t>(random() % 3) - 1;
        if (random() % 3 == 0) x = largest - static_cast<int64_t>(random() % 1000);
        x = std::min(x, largest);
        elements.push_back(random() % 2 ? x : -x);
    }
    return elements;
}

}  // namespace

TEST_CASE("longs divided by one number give the quotients and remainders of integers") {
    std::mt19937_64 random(11);
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kExact = int64_t{1} << 53;
    std::vector<int64_t> divisors{1,
                                  2,
                                  3,
                                  5,
                                  7,
                                  24,
                                  60,
                                  1000,
                                  86400,
                                  3600000,
                                  86400000,
                                  1 << 20,
                                  86400000000000,
                                  kExact,
                                  kExact + 1,
                                  kExact - 1,
                                  kMax,
                                  kMax - 1,
                                  int64_t{1} << 62};
    for (int i = 0; i < 300; ++i) divisors.push_back(static_cast<int64_t>(random() >> (1 + random() % 62)) + 1);
    const std::vector<BlockKernels> kernels = kernelsOfThisMachine();
    int met = 0;
    for (const int64_t divisor : divisors) {
        // The dividends are those that DOUBLE holds when powers of two are shifted out of the divisor, and all there
        // are.
        const int shift = __builtin_ctzll(static_cast<uint64_t>(divisor));
        const int64_t exact = shift >= 10 ? kMax : (kExact << shift) - 1;
        for (const int64_t largest : {exact, kMax}) {
            const std::vector<int64_t> elements = hardItems(divisor, largest, random);
            const std::vector<int64_t> by(elements.size(), divisor);
            std::vector<int64_t> quotients(elements.size()), remainders(elements.size());
            for (const BlockKernels& k : kernels) {
                const auto n = static_cast<int64_t>(elements.size());
                const auto lane = static_cast<int>(Lane::I64);
                k.binary[static_cast<int>(BlockOp::Div)][lane](elements.data(), by.data(), quotients.data(), n);
                k.binary[static_cast<int>(BlockOp::Mod)][lane](elements.data(), by.data(), remainders.data(), n);
                for (size_t i = 0; i < elements.size(); ++i) {
                    const int64_t x = elements[i], q = quotient(x, divisor);
                    // The product of a quotient that was rounded down may be below all LONGs.
                    const auto rest = static_cast<int64_t>(static_cast<uint64_t>(x) -
                                                           static_cast<uint64_t>(q) * static_cast<uint64_t>(divisor));
                    const bool isRight = isNull(x) ? isNull(quotients[i]) && isNull(remainders[i])
                                                   : quotients[i] == q && remainders[i] == rest;
                    if (!isRight) FAIL(x << " by " << divisor << " gave " << quotients[i] << ", " << remainders[i]);
                    ++met;
                }
            }
        }
    }
    CHECK(met > 1'000'000);
}
