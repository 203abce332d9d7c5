#include "common/widest.h"

namespace pelorus {

Registers widestRegisters() {
    static const Registers found = [] {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512cd")) {
            return Registers::Avx512;
        }
        return __builtin_cpu_supports("avx2") ? Registers::Avx2 : Registers::Baseline;
    }();
    return found;
}

}  // namespace pelorus
